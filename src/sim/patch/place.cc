#include "sim/patch/place.h"

#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "kube/codec/json_shape.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

bool is_type_meta(std::string_view name) { return name == "apiVersion" || name == "kind"; }

bool is_empty(const json::value* value) {
  if (value == nullptr || value->is_null()) return true;
  if (const auto* object = value->if_object()) return object->empty();
  const auto* array = value->if_array();
  return array != nullptr && array->empty();
}

}  // namespace

Place Place::root(const google::protobuf::Descriptor* object) {
  Place place;
  place.form_ = object == nullptr ? Form::CustomRoot : Form::Structure;
  if (object != nullptr) place.shape_ = &kube::json_shape_of(*object);
  return place;
}

Place Place::of_value(const kube::JsonShape* shape, const FieldRule* rule) {
  Place place;
  place.rule_ = rule;
  place.shape_ = shape;
  const bool structure = shape != nullptr && shape->form == api::OBJECT;
  place.form_ = structure ? Form::Structure : Form::Leaf;
  const bool granular = rule != nullptr && rule->granular_struct;
  place.atomic_ = structure && !granular && is_atomic(*shape->message);
  return place;
}

Place Place::of_field(const kube::JsonField& field) {
  const FieldRule* rule = rule_of(*field.field);
  if (!field.field->is_repeated()) return of_value(field.child, rule);
  Place place;
  place.rule_ = rule;
  place.shape_ = field.child;
  place.form_ = field.field->is_map() ? Form::Map : Form::List;
  place.atomic_ = field.field->is_map() ? place.rule().atomic_map : place.rule().list_type == ListType::Atomic;
  return place;
}

Place Place::member(std::string_view name) const {
  if (form_ == Form::Map) return of_value(shape_, nullptr);
  if (form_ == Form::CustomRoot && name == "metadata") {
    return of_value(&kube::json_shape_of(*api::ObjectMeta::descriptor()), nullptr);
  }
  if (form_ != Form::Structure) return {};
  const kube::JsonField* field = shape_->find(name);
  if (field != nullptr) return of_field(*field);
  Place place;
  if (shape_->resource != nullptr && is_type_meta(name)) place.form_ = Form::Leaf;
  return place;
}

Place Place::item() const { return form_ == Form::List ? of_value(shape_, nullptr) : Place{}; }

bool Place::declares(std::string_view name) const {
  if (form_ == Form::CustomRoot) return name == "metadata" || is_type_meta(name);
  if (form_ != Form::Structure) return false;
  return shape_->find(name) != nullptr || (shape_->resource != nullptr && is_type_meta(name));
}

const FieldRule& Place::rule() const {
  static constexpr FieldRule kDefaults{};
  return rule_ == nullptr ? kDefaults : *rule_;
}

Walk Place::walk(const json::value* value) const {
  if (value == nullptr || atomic_) return Walk::Leaf;
  switch (form_) {
    case Form::Leaf: return Walk::Leaf;
    case Form::List: return value->is_array() ? Walk::Items : Walk::Leaf;
    default: return value->is_object() ? Walk::Members : Walk::Leaf;
  }
}

Walk Place::walk(const json::value* left, const json::value* right) const {
  // Two empty values have nothing to walk. As a leaf, empty and null stay different.
  if (is_empty(left) && is_empty(right)) return Walk::Leaf;
  if (left == nullptr || left->is_null()) return walk(right);
  if (right == nullptr || right->is_null()) return walk(left);
  const Walk one = walk(left);
  return one == walk(right) ? one : Walk::Leaf;
}

std::optional<PathElement> Place::name_of(const json::value& item) const {
  if (rule().list_type == ListType::Set) {
    if (item.is_structured() || item.is_null()) return std::nullopt;
    return PathElement::value(scalar_of(item));
  }
  const json::object* object = item.if_object();
  if (object == nullptr) return std::nullopt;
  std::vector<PathKey> keys;
  for (const std::string_view key : rule().keys) {
    if (key.empty()) continue;
    if (const json::value* found = object->if_contains(key)) {
      if (found->is_structured()) return std::nullopt;
      keys.push_back({std::string(key), scalar_of(*found)});
    } else if (const std::string_view otherwise = key_default(key); !otherwise.empty()) {
      keys.push_back({std::string(key), std::string(otherwise)});
    }
  }
  if (keys.empty()) return std::nullopt;
  return PathElement::keyed(std::move(keys));
}

}  // namespace rescheduler::sim
