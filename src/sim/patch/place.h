// The type of one path in a document, found by walking down from the type of the object.
//
// For kinds with a wire type, the descriptor has the types. Objects without one (custom resources) have typed metadata.
// In their other fields, and in fields that our wire types do not have, the value decides: objects are maps, arrays and
// scalars are single values.
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

// How to walk a value: as one value, by member, or by item.
enum class Walk : std::uint8_t { Leaf, Members, Items };

class Place {
 public:
  static Place root(const google::protobuf::Descriptor* object);  // null: an object without a wire type

  Place member(std::string_view name) const;
  Place item() const;
  // Whether this is a structure with such a field. (The keys of a map are data.)
  bool declares(std::string_view name) const;
  const FieldRule& rule() const;

  // For server-side apply. A null pointer is an absent value; at most one can be null. JSON's null fits every type.
  Walk walk(const boost::json::value* value) const;
  Walk walk(const boost::json::value* left, const boost::json::value* right) const;
  // The path element of a list item; nullopt if the item lacks every key or has the wrong type.
  std::optional<PathElement> name_of(const boost::json::value& item) const;

 private:
  enum class Form : std::uint8_t { Untyped, CustomRoot, Leaf, Structure, Map, List };

  static Place of_value(const kube::JsonShape* shape, const FieldRule* rule);
  static Place of_field(const kube::JsonField& field);

  Form form_ = Form::Untyped;
  bool atomic_ = false;
  const kube::JsonShape* shape_ = nullptr;  // of the structure, or of the values of the map or list
  const FieldRule* rule_ = nullptr;
};

}  // namespace rescheduler::sim
