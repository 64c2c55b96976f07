// Sets of fields of an object, as in managedFields ("FieldsV1"): for each manager, the paths that it owns.
//
// A path consists of members ("f:spec"), list items with their keys (k:{"name":"web"}) and set values (v:"finalizer").
// A set can hold a path and paths below it independently.
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

// A JSON scalar; monostate is null. Order: numbers by value, then strings, then booleans, then null.
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
  static std::optional<PathElement> parse(std::string_view text);  // nullopt: unknown or malformed

  // The name of a member, else null.
  const std::string* member_name() const { return form_ == Form::Member ? &name_ : nullptr; }

  std::string serialized() const;  // f:spec
  std::string shown() const;       // .spec or [name="web"], for messages

  friend bool operator<(const PathElement& left, const PathElement& right) { return left.compare(right) < 0; }
  friend bool operator==(const PathElement& left, const PathElement& right) { return left.compare(right) == 0; }

 private:
  enum class Form : std::uint8_t { Member, Keyed, Value, Index };
  int compare(const PathElement& other) const;

  Form form_ = Form::Member;
  std::string name_;           // if it is a member
  std::vector<PathKey> keys_;  // sorted by name; a Value or an Index has one key without a name
};

using FieldPath = std::vector<PathElement>;
std::string shown(const FieldPath& path);  // .spec.template.spec.containers[name="web"].image

class FieldSet {
 public:
  void insert(const FieldPath& path);
  void insert(const PathElement& element) { members_.insert(element); }
  bool has(const PathElement& element) const { return members_.contains(element); }
  const FieldSet* below(const PathElement& element) const;  // null: none
  bool empty() const;
  std::vector<FieldPath> paths() const;

  const std::set<PathElement>& members() const { return members_; }
  const std::map<PathElement, FieldSet>& children() const { return children_; }
  void set_child(const PathElement& element, FieldSet child);  // an empty child is removed

  FieldSet united(const FieldSet& other) const;
  FieldSet shared(const FieldSet& other) const;
  FieldSet without(const FieldSet& other) const;        // removes exactly these paths; paths below stay
  FieldSet without_trees(const FieldSet& roots) const;  // also removes all paths below

  bool operator==(const FieldSet& other) const = default;

  boost::json::object to_json() const;
  static Result<FieldSet> from_json(const boost::json::value& fields);

 private:
  void write(boost::json::object& into, bool with_self) const;
  // `itself`: whether the set contains the path itself; the parent stores it.
  static Result<void> read(const boost::json::value& fields, FieldSet& into, bool& itself);

  std::set<PathElement> members_;
  std::map<PathElement, FieldSet> children_;
};

}  // namespace rescheduler::sim
