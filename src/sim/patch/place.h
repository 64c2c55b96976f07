// The type of one place in a document, found by walking down from the type of the object.
//
// Kinds with a wire type are walked by its descriptor. Objects without one (custom resources) have typed metadata; in
// the rest, and in fields our wire types do not have, values speak for themselves: objects are maps, arrays and scalars
// are single values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "sim/patch/field_rules.h"
#include "sim/patch/field_set.h"

namespace rescheduler::kube {
struct JsonField;
struct JsonShape;
}  // namespace rescheduler::kube

namespace rescheduler::sim {

// How to walk a value: as one value, member by member, or item by item.
enum class Walk : std::uint8_t { Leaf, Members, Items };

class Place {
 public:
  static Place root(const google::protobuf::Descriptor* object);  // null: an object without a wire type

  Place member(std::string_view name) const;
  Place item() const;
  // Is this a structure that has such a field? (The keys of a map are data.)
  bool declares(std::string_view name) const;
  const FieldRule& rule() const;

  // For server-side apply. Null pointers are absent values; at most one may be. JSON's null fits everything.
  Walk walk(const boost::json::value* value) const;
  Walk walk(const boost::json::value* left, const boost::json::value* right) const;
  // How the path of a list's item names it; nullopt when it lacks every key, or is not what the list should hold.
  std::optional<PathElement> name_of(const boost::json::value& item) const;

 private:
  enum class Form : std::uint8_t { Untyped, CustomRoot, Leaf, Structure, Map, List };

  static Place of_value(const kube::JsonShape* shape, const FieldRule* rule);
  static Place of_field(const kube::JsonField& field);

  Form form_ = Form::Untyped;
  bool atomic_ = false;
  const kube::JsonShape* shape_ = nullptr;  // of the structure, or of the map's or list's values
  const FieldRule* rule_ = nullptr;
};

}  // namespace rescheduler::sim
