#include "sim/frontend/open_api.h"

#include <algorithm>
#include <array>
#include <set>

#include <boost/json.hpp>

#include "kube/codec/json_shape.h"
#include "kube/proto/meta.pb.h"
#include "sim/frontend/wire_writer.h"
#include "sim/kinds/custom/custom_version.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using google::protobuf::FieldDescriptor;
using kube::JsonField;
using kube::JsonShape;

constexpr std::array<const char*, 3> kWriteParameters = {"dryRun", "fieldManager", "fieldValidation"};
constexpr const char* kTypeKey = "x-kubernetes-group-version-kind";

bool has_verb(const Kind& kind, std::string_view verb) {
  const auto verbs = verbs_of(kind);
  return std::ranges::find(verbs, verb) != verbs.end();
}

json::object type_of(const Kind& kind) {
  return {{"group", kind.group}, {"kind", kind.kind}, {"version", kind.version}};
}

std::string root_of(std::string_view group, std::string_view version) {
  return group.empty() ? fmt::format("api/{}", version) : fmt::format("apis/{}/{}", group, version);
}

std::string collection_path(const Kind& kind) {
  return fmt::format("/{}/{}{}", root_of(kind.group, kind.version), kind.namespaced ? "namespaces/{namespace}/" : "",
                     kind.plural);
}

std::string schema_name(const JsonShape& shape) {
  return fmt::format("io.k8s.api.{}", std::string(shape.message->name()));
}

json::object reference(const std::string& name) { return {{"$ref", fmt::format("#/components/schemas/{}", name)}}; }

// Collects the schemas of all messages that are reachable from the requested ones.
class Schemas {
 public:
  json::object take() && { return std::move(schemas_); }

  void add_kind(const Kind& kind) {
    json::object schema;
    std::string name = fmt::format("{}.{}.{}", kind.group.empty() ? "core" : kind.group, kind.version, kind.kind);
    if (kind.type != nullptr && kind.stored_as == nullptr) {
      const JsonShape& shape = kube::json_shape_of(*kind.type->message);
      name = schema_name(shape);
      schema = object_schema(shape);
    } else {
      schema = untyped_schema(kind);
    }
    json::object& properties =
        schema["properties"].is_object() ? schema["properties"].get_object() : schema["properties"].emplace_object();
    properties["apiVersion"] = json::object{{"type", "string"}};
    properties["kind"] = json::object{{"type", "string"}};
    schema[kTypeKey] = json::array{type_of(kind)};
    schemas_[name] = std::move(schema);
  }

 private:
  json::object untyped_schema(const Kind& kind) {
    json::value schema = json::object{{"type", "object"}, {"properties", json::object{}}};
    if (kind.definition && !kind.definition->schema_text.empty()) {
      json::error_code error;
      json::value given = json::parse(kind.definition->schema_text, error);
      if (!error && given.is_object()) schema = std::move(given);
    }
    json::object out = std::move(schema.get_object());
    if (!out["properties"].is_object()) out["properties"].emplace_object();
    out["properties"].get_object()["metadata"] = message(kube::json_shape_of(*api::ObjectMeta::descriptor()));
    return out;
  }

  json::object object_schema(const JsonShape& shape) {
    json::object properties;
    for (const JsonField& field : shape.fields) properties[std::string(field.name())] = value_of(field);
    return {{"type", "object"}, {"properties", std::move(properties)}};
  }

  json::object value_of(const JsonField& field) {
    json::object one = single(field);
    if (field.field->is_map()) return {{"type", "object"}, {"additionalProperties", std::move(one)}};
    if (field.field->is_repeated()) return {{"type", "array"}, {"items", std::move(one)}};
    return one;
  }

  json::object single(const JsonField& field) {
    if (field.child != nullptr) return message(*field.child);
    switch (field.value_field().cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL: return {{"type", "boolean"}};
      case FieldDescriptor::CPPTYPE_INT32:
      case FieldDescriptor::CPPTYPE_UINT32: return {{"type", "integer"}, {"format", "int32"}};
      case FieldDescriptor::CPPTYPE_INT64:
      case FieldDescriptor::CPPTYPE_UINT64: return {{"type", "integer"}, {"format", "int64"}};
      case FieldDescriptor::CPPTYPE_DOUBLE:
      case FieldDescriptor::CPPTYPE_FLOAT: return {{"type", "number"}};
      default: break;
    }
    if (field.value_field().type() == FieldDescriptor::TYPE_BYTES) return {{"type", "string"}, {"format", "byte"}};
    return {{"type", "string"}};
  }

  json::object message(const JsonShape& shape) {
    switch (shape.form) {
      case api::TIME:
      case api::MICRO_TIME: return {{"type", "string"}, {"format", "date-time"}};
      case api::QUANTITY:
      case api::DURATION: return {{"type", "string"}};
      case api::INT_OR_STRING:
        return {{"format", "int-or-string"},
                {"oneOf", json::array{json::object{{"type", "integer"}}, json::object{{"type", "string"}}}}};
      case api::RAW: return {{"type", "object"}};
      case api::LIST: return value_of(shape.fields.front());
      default: break;
    }
    const std::string name = schema_name(shape);
    if (known_.insert(shape.message).second) {
      json::object schema = object_schema(shape);
      schemas_.emplace(name, std::move(schema));
    }
    return reference(name);
  }

  json::object schemas_;
  std::set<const google::protobuf::Descriptor*> known_;
};

json::array write_parameters() {
  json::array parameters;
  for (const char* name : kWriteParameters) {
    parameters.push_back(json::object{
        {"name", name}, {"in", "query"}, {"schema", json::object{{"type", "string"}, {"uniqueItems", true}}}});
  }
  return parameters;
}

json::object operation(const Kind& kind, bool writes) {
  json::object out{{"responses", json::object{{"200", json::object{{"description", "OK"}}}}},
                   {kTypeKey, type_of(kind)}};
  if (writes) out["parameters"] = write_parameters();
  return out;
}

void add_paths(const Kind& kind, json::object& paths) {
  const std::string collection = collection_path(kind);
  json::object all;
  if (has_verb(kind, "list")) all["get"] = operation(kind, false);
  if (has_verb(kind, "create")) all["post"] = operation(kind, true);
  paths[collection] = std::move(all);
  json::object one;
  if (has_verb(kind, "get")) one["get"] = operation(kind, false);
  if (has_verb(kind, "update")) one["put"] = operation(kind, true);
  if (has_verb(kind, "patch")) one["patch"] = operation(kind, true);
  if (has_verb(kind, "delete")) one["delete"] = operation(kind, false);
  if (!one.empty()) paths[collection + "/{name}"] = std::move(one);
}

json::object info() { return {{"title", "Kubernetes"}, {"version", kGitVersion}}; }

// openapi.v2.ParametersItem: parameter(1).non_body_parameter(2).query_parameter_sub_schema(3).
std::string v2_query_parameter(std::string_view name) {
  WireWriter query;
  query.bytes(2, "query");
  query.bytes(4, name);
  query.bytes(6, "string");
  WireWriter non_body, parameter, item;
  non_body.bytes(3, query.text());
  parameter.bytes(2, non_body.text());
  item.bytes(1, parameter.text());
  return item.text();
}

std::string v2_patch_operation(const Kind& kind) {
  WireWriter operation;
  for (const char* name : kWriteParameters) operation.bytes(8, v2_query_parameter(name));
  WireWriter value, extension;
  value.bytes(2, json::serialize(type_of(kind)));  // JSON is YAML
  extension.bytes(1, kTypeKey);
  extension.bytes(2, value.text());
  operation.bytes(13, extension.text());
  return operation.text();
}

}  // namespace

std::string open_api_index(const std::vector<ServedGroup>& groups, std::uint64_t revision) {
  json::object paths;
  for (const ServedGroup& group : groups) {
    for (const ServedVersion& version : group.versions) {
      const std::string root = root_of(group.name, version.version);
      paths[root] = json::object{{"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", root, revision)}};
    }
  }
  return json::serialize(json::object{{"paths", std::move(paths)}});
}

std::string open_api_document(const ServedGroup&, const ServedVersion& version) {
  json::object paths;
  Schemas schemas;
  for (const Kind* kind : version.kinds) {
    add_paths(*kind, paths);
    schemas.add_kind(*kind);
  }
  return json::serialize(json::object{{"openapi", "3.0.0"},
                                      {"info", info()},
                                      {"paths", std::move(paths)},
                                      {"components", json::object{{"schemas", std::move(schemas).take()}}}});
}

std::string open_api_v2_json(const std::vector<ServedGroup>& groups) {
  json::object paths;
  for (const ServedGroup& group : groups) {
    for (const ServedVersion& version : group.versions) {
      for (const Kind* kind : version.kinds) add_paths(*kind, paths);
    }
  }
  return json::serialize(
      json::object{{"swagger", "2.0"}, {"info", info()}, {"paths", std::move(paths)}, {"definitions", json::object{}}});
}

std::string open_api_v2_protobuf(const std::vector<ServedGroup>& groups) {
  WireWriter paths;
  for (const ServedGroup& group : groups) {
    for (const ServedVersion& version : group.versions) {
      for (const Kind* kind : version.kinds) {
        if (!has_verb(*kind, "patch")) continue;
        WireWriter item, named;
        item.bytes(8, v2_patch_operation(*kind));
        named.bytes(1, collection_path(*kind) + "/{name}");
        named.bytes(2, item.text());
        paths.bytes(2, named.text());
      }
    }
  }
  WireWriter about, document;
  about.bytes(1, "Kubernetes");
  about.bytes(2, kGitVersion);
  document.bytes(1, "2.0");
  document.bytes(2, about.text());
  document.bytes(8, paths.text());
  return document.text();
}

}  // namespace rescheduler::sim
