// CustomResourceDefinitions as objects: defaults, validation and status.
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "kube/proto/meta.pb.h"
#include "kube/value/time.h"
#include "sim/kinds/custom/custom_content.h"
#include "sim/kinds/custom/schema.h"
#include "sim/kinds/rules.h"
#include "sim/kinds/typed_rules.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

const json::value* at(const json::value* value, const char* name) {
  const json::object* object = value == nullptr ? nullptr : value->if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

std::string text_at(const json::value* value, const char* name) {
  const json::value* found = at(value, name);
  return found != nullptr && found->is_string() ? std::string(found->get_string().c_str()) : std::string();
}

bool flag_at(const json::value* value, const char* name) {
  const json::value* found = at(value, name);
  return found != nullptr && found->is_bool() && found->get_bool();
}

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

void fill_in(CustomObject& definition) {
  json::monotonic_resource memory;
  json::object content = content_of(definition, &memory);
  json::value* spec = content.if_contains("spec");
  if (spec == nullptr || !spec->is_object()) return;
  json::value* names = spec->get_object().if_contains("names");
  if (names != nullptr && names->is_object()) {
    const std::string kind = text_at(names, "kind");
    if (text_at(names, "singular").empty() && !kind.empty()) names->get_object()["singular"] = lower(kind);
    if (text_at(names, "listKind").empty() && !kind.empty()) names->get_object()["listKind"] = kind + "List";
  }
  if (spec->get_object().if_contains("conversion") == nullptr) {
    spec->get_object()["conversion"] = json::object{{"strategy", "None"}};
  }
  set_content(definition, content);
}

json::object condition(const char* type, const char* reason, const char* message, const std::string& time) {
  return {{"type", type}, {"status", "True"}, {"reason", reason}, {"message", message}, {"lastTransitionTime", time}};
}

json::array stored_versions(const json::value& spec, const json::value* known) {
  json::array versions;
  if (known != nullptr && known->is_array()) versions = known->get_array();
  const json::value* all = at(&spec, "versions");
  if (all == nullptr || !all->is_array()) return versions;
  for (const json::value& version : all->get_array()) {
    if (!flag_at(&version, "storage")) continue;
    const json::value name(text_at(&version, "name"));
    if (std::ranges::find(versions, name) == versions.end()) versions.push_back(name);
  }
  return versions;
}

// Conflicts of names are not checked, so a definition is established at once.
void establish(CustomObject& definition, const RuleContext& context, Faults&) {
  json::monotonic_resource memory;
  json::object content = content_of(definition, &memory);
  const json::value* spec = content.if_contains("spec");
  if (spec == nullptr) return;
  const std::string now = kube::format_time(context.now);
  json::object status;
  status["conditions"] =
      json::array{condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
                  condition("Established", "InitialNamesAccepted", "the initial names have been accepted", now)};
  if (const json::value* names = at(spec, "names")) status["acceptedNames"] = *names;
  status["storedVersions"] = stored_versions(*spec, nullptr);
  content["status"] = std::move(status);
  set_content(definition, content);
}

void keep_status(const CustomObject& before, CustomObject& after) {
  json::monotonic_resource memory;
  json::object content = content_of(after, &memory);
  const json::object old = content_of(before, &memory);
  content.erase("status");
  const json::value* status = old.if_contains("status");
  const json::value* spec = content.if_contains("spec");
  if (status != nullptr && status->is_object() && spec != nullptr) {
    json::object kept = status->get_object();
    if (const json::value* names = at(spec, "names")) kept["acceptedNames"] = *names;
    kept["storedVersions"] = stored_versions(*spec, kept.if_contains("storedVersions"));
    content["status"] = std::move(kept);
  }
  set_content(after, content);
}

void check_versions(const json::value* versions, Faults& faults) {
  if (versions == nullptr || !versions->is_array() || versions->get_array().empty()) {
    faults.invalid("spec.versions", "null", "must have exactly one version marked as storage version");
    return;
  }
  int stored = 0;
  const At all("spec.versions");
  const json::array& list = versions->get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const At here = all[static_cast<int>(i)];
    const std::string name = text_at(&list[i], "name");
    report(dns_1035_label_faults(name), name, here.child("name"), faults);
    stored += flag_at(&list[i], "storage") ? 1 : 0;
    const json::value* schema = at(at(&list[i], "schema"), "openAPIV3Schema");
    if (schema == nullptr) {
      faults.required(here.child("schema.openAPIV3Schema").str(), "schemas are required");
      continue;
    }
    if (text_at(schema, "type") != "object") {
      faults.invalid(here.child("schema.openAPIV3Schema.type").str(), kube::json_string(text_at(schema, "type")),
                     "must be object at the root");
    }
    const auto usable = Schema::parse(*schema);
    if (!usable) {
      faults.invalid(here.child("schema.openAPIV3Schema").str(), "\"schema\"", usable.error().message);
    }
  }
  if (stored != 1) {
    faults.invalid("spec.versions", json::serialize(list), "must have exactly one version marked as storage version");
  }
}

void check_definition(const CustomObject& definition, Faults& faults) {
  json::monotonic_resource memory;
  const json::object content = content_of(definition, &memory);
  const json::value* spec = content.if_contains("spec");
  const std::string group = text_at(spec, "group");
  const json::value* names = at(spec, "names");
  const std::string plural = text_at(names, "plural");
  if (definition.metadata().name() != plural + "." + group) {
    faults.invalid("metadata.name", kube::json_string(definition.metadata().name()),
                   "must be spec.names.plural+\".\"+spec.group");
  }
  if (group.empty()) {
    faults.required("spec.group");
  } else if (group.find('.') == std::string::npos) {
    faults.invalid("spec.group", kube::json_string(group), "should be a domain with at least one dot");
  } else {
    check_dns_subdomain(group, At("spec.group"), faults);
  }
  const std::string scope = text_at(spec, "scope");
  check_one_of(scope, {"Cluster", "Namespaced"}, At("spec.scope"), faults);
  check_versions(at(spec, "versions"), faults);
  const At named("spec.names");
  for (const char* name : {"plural", "singular", "kind", "listKind"}) {
    const std::string text = text_at(names, name);
    if (text.empty()) {
      faults.required(named.child(name).str());
    } else {
      report(dns_1035_label_faults(lower(text)), text, named.child(name), faults);
    }
  }
}

void check_definition_update(const CustomObject& before, const CustomObject& after, Faults& faults) {
  json::monotonic_resource memory;
  const json::object old = content_of(before, &memory);
  const json::object now = content_of(after, &memory);
  const json::value* old_spec = old.if_contains("spec");
  const json::value* new_spec = now.if_contains("spec");
  check_immutable(text_at(old_spec, "group"), text_at(new_spec, "group"), At("spec.group"), faults);
  check_immutable(text_at(old_spec, "scope"), text_at(new_spec, "scope"), At("spec.scope"), faults);
  check_immutable(text_at(at(old_spec, "names"), "plural"), text_at(at(new_spec, "names"), "plural"),
                  At("spec.names.plural"), faults);
  check_immutable(text_at(at(old_spec, "names"), "kind"), text_at(at(new_spec, "names"), "kind"), At("spec.names.kind"),
                  faults);
}

}  // namespace

KindRules definition_rules() {
  KindRules rules = untyped_rules(true, true);
  rules.defaults = on<CustomObject>(fill_in);
  rules.on_create = on<CustomObject>(establish);
  rules.on_update = on_both<CustomObject>(keep_status);
  rules.validate = on<CustomObject>(check_definition);
  rules.validate_update = on_both<CustomObject>(check_definition_update);
  return rules;
}

}  // namespace rescheduler::sim
