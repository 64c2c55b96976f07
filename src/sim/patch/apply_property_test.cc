// Properties of server-side apply for any configuration.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "sim/patch/apply_fixture.h"
#include "sim/patch/ownership.h"
#include "sim/patch/random_json.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

bool chance() { return *rc::gen::arbitrary<bool>(); }
json::value letter() { return json::value(*rc::gen::element<std::string>("x", "y")); }

json::object any_labels() {
  json::object labels;
  for (const char* name : {"a", "b", "c"}) {
    if (chance()) labels[name] = letter();
  }
  return labels;
}

// Never empty: as in Kubernetes, an empty list with keys has no owner.
json::array named(std::initializer_list<const char*> names, const std::function<void(json::object&)>& fill) {
  json::array list;
  for (const char* name : names) {
    if (!list.empty() && !chance()) continue;
    json::object item{{"name", name}};
    fill(item);
    list.insert(chance() ? list.begin() : list.end(), item);
  }
  return list;
}

json::value any_pod() {
  json::object metadata;
  if (chance()) metadata["labels"] = any_labels();
  if (chance()) metadata["finalizers"] = chance() ? json::array{"x"} : json::array{"y", "x"};
  json::object spec;
  if (chance()) spec["nodeSelector"] = any_labels();
  if (chance()) spec["priority"] = *rc::gen::inRange(0, 2);
  if (chance()) spec["tolerations"] = json::array{json::object{{"key", letter()}}};
  if (chance()) {
    spec["containers"] = named({"p", "q", "r"}, [](json::object& container) {
      if (chance()) container["image"] = letter();
      if (chance()) container["ports"] = json::array{json::object{{"containerPort", *rc::gen::inRange(1, 3)}}};
      if (chance()) container["env"] = named({"E", "F"}, [](json::object& env) { env["value"] = letter(); });
    });
  }
  return json::object{{"metadata", metadata}, {"spec", spec}};
}

struct DocumentKind {
  const google::protobuf::Descriptor* schema;
  json::value (*any)();
};
json::value any_custom() { return json::object{{"spec", any_object(Nulls::Never)}}; }
DocumentKind any_document_kind() {
  return chance() ? DocumentKind{api::Pod::descriptor(), any_pod} : DocumentKind{nullptr, any_custom};
}

RC_GTEST_PROP(ApplyProperty, ApplyingTheSameConfigurationAgainChangesNothing, ()) {
  const DocumentKind kind = any_document_kind();
  AppliedObject object(kind.schema, "v1");
  if (chance()) object.exists(kind.any());
  const json::value config = kind.any();
  RC_ASSERT(object.apply("a", config, true).has_value());
  const Json document = object.document();
  const std::string managed = object.managed();
  object.set_time("2025-01-01T00:00:00Z");
  RC_ASSERT(object.apply("a", config).has_value());
  RC_ASSERT(object.document() == document);
  RC_ASSERT(object.managed() == managed);
}

RC_GTEST_PROP(ApplyProperty, ApplyingAnEmptyConfigurationRemovesAllOwnedFields, ()) {
  const DocumentKind kind = any_document_kind();
  AppliedObject object(kind.schema, "v1");
  RC_ASSERT(object.apply("a", kind.any()).has_value());
  RC_ASSERT(object.apply("a", kind.any(), chance()).has_value());
  RC_ASSERT(object.apply("a", json::object()).has_value());
  RC_ASSERT(object.managed().empty());
  json::object left = object.document().value.get_object();
  left.erase("metadata");  // every object has metadata, so metadata has no owner
  RC_ASSERT(left.empty());
}

RC_GTEST_PROP(ApplyProperty, ApplyingAnEmptyConfigurationRestoresTheFieldsOfTheOtherManager, ()) {
  const DocumentKind kind = any_document_kind();
  AppliedObject object(kind.schema, "v1");
  const json::value theirs = kind.any();
  RC_ASSERT(object.apply("b", theirs).has_value());
  const bool applied = object.apply("a", kind.any()).has_value();
  if (applied) RC_ASSERT(object.apply("a", json::object()).has_value());
  RC_ASSERT(object.fields("a").empty());
  const Place place = Place::root(kind.schema);
  const FieldSet left = fields_of(object.document().value, place);
  RC_ASSERT(fields_of(theirs, place).without(with_structures(left, place)).empty());
  const Differences changes = differences(theirs, object.document().value, place);
  RC_ASSERT(changes.modified.empty());
  RC_ASSERT(changes.removed.without(never_owned()).empty());
}

RC_GTEST_PROP(ApplyProperty, AppliedFieldsExistAndManagersOwnOnlyExistingFields, ()) {
  const DocumentKind kind = any_document_kind();
  AppliedObject object(kind.schema, "v1");
  for (const char* manager : {"a", "b", "c"}) RC_ASSERT(object.apply(manager, kind.any(), true).has_value());
  const json::value config = kind.any();
  RC_ASSERT(object.apply("d", config, true).has_value());
  const Place place = Place::root(kind.schema);
  RC_ASSERT(differences(config, object.document().value, place).removed.empty());
  RC_ASSERT(differences(config, object.document().value, place).modified.empty());
  // Managers own only fields that exist.
  const FieldSet there = with_structures(fields_of(object.document().value, place), place);
  const auto managed = read_managed_fields(object.managed());
  for (const auto& [manager, owned] : *managed) {
    RC_ASSERT(owned.fields.without(there).empty());
  }
}

RC_GTEST_PROP(ApplyProperty, AfterUpdatesManagersOwnOnlyExistingFields, ()) {
  const DocumentKind kind = any_document_kind();
  AppliedObject object(kind.schema, "v1");
  RC_ASSERT(object.apply("a", kind.any()).has_value());
  object.update("u", kind.any());
  object.update("v", kind.any());
  const Place place = Place::root(kind.schema);
  const FieldSet there = with_structures(fields_of(object.document().value, place), place);
  const auto managed = read_managed_fields(object.managed());
  for (const auto& [manager, owned] : *managed) {
    RC_ASSERT(owned.fields.without(there).empty());
  }
}

}  // namespace
}  // namespace rescheduler::sim
