// Sets of fields of an object, as managedFields records them ("FieldsV1"): for each manager, the paths it owns.
//
// A path leads through members ("f:spec"), items of lists named by their keys (k:{"name":"web"}) and values of sets
// (v:"finalizer"). A set may hold a place and places below it independently of each other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/json/fwd.hpp>

#include "base/error.h"

namespace rescheduler::sim {

// A JSON scalar; monostate is null. Numbers compare by value, and before texts, texts before flags.
using PathScalar = std::variant<std::monostate, std::int64_t, double, std::string, bool>;
PathScalar scalar_of(const boost::json::value& value);  // null for arrays and objects

struct PathKey {
  std::string name;
  PathScalar value;
};

class PathElement {
 public:
  static PathElement member(std::string_view name);
  static PathElement keyed(std::vector<PathKey> keys);
  static PathElement value(PathScalar value);
  static std::optional<PathElement> parse(std::string_view text);  // nullopt: of a form nobody knows, or broken

  // Its name, if it is a member.
  const std::string* member_name() const { return form_ == Form::Member ? &name_ : nullptr; }

  std::string serialized() const;  // f:spec
  std::string shown() const;       // .spec or [name="web"], for people

  friend bool operator<(const PathElement& left, const PathElement& right) { return left.compare(right) < 0; }
  friend bool operator==(const PathElement& left, const PathElement& right) { return left.compare(right) == 0; }

 private:
  enum class Form : std::uint8_t { Member, Keyed, Value, Index };
  int compare(const PathElement& other) const;

  Form form_ = Form::Member;
  std::string name_;           // of a member
  std::vector<PathKey> keys_;  // sorted by name; a Value or an Index has one without a name
};

using FieldPath = std::vector<PathElement>;
std::string shown(const FieldPath& path);  // .spec.template.spec.containers[name="web"].image

class FieldSet {
 public:
  void insert(const FieldPath& path);
  void insert(const PathElement& element) { members_.insert(element); }
  bool has(const PathElement& element) const { return members_.contains(element); }
  const FieldSet* below(const PathElement& element) const;  // null: nothing
  bool empty() const;
  std::vector<FieldPath> paths() const;

  const std::set<PathElement>& members() const { return members_; }
  const std::map<PathElement, FieldSet>& children() const { return children_; }
  void set_child(const PathElement& element, FieldSet child);  // an empty one removes it

  FieldSet united(const FieldSet& other) const;
  FieldSet shared(const FieldSet& other) const;
  FieldSet without(const FieldSet& other) const;        // exactly those places; what lies below them stays
  FieldSet without_trees(const FieldSet& roots) const;  // with everything below

  bool operator==(const FieldSet& other) const = default;

  boost::json::object to_json() const;
  static Result<FieldSet> from_json(const boost::json::value& fields);

 private:
  void write(boost::json::object& into, bool with_self) const;
  // Whether the place itself belongs to the set is the parent's to note.
  static Result<void> read(const boost::json::value& fields, FieldSet& into, bool& itself);

  std::set<PathElement> members_;
  std::map<PathElement, FieldSet> children_;
};

}  // namespace rescheduler::sim
