// Nodes, namespaces, config maps and secrets.
#include <fmt/format.h>

#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "sim/kinds/resources.h"
#include "sim/kinds/rules.h"
#include "sim/kinds/typed_rules.h"

namespace rescheduler::sim {
namespace {

constexpr std::size_t kMostBytes = 1024 * 1024;  // of a config map or a secret
constexpr std::string_view kImmutable = "field is immutable when `immutable` is set";

// --- Node ---

void default_node(api::Node& node) {
  if (!node.has_status()) return;
  auto& status = *node.mutable_status();
  canonicalize(*status.mutable_capacity());
  canonicalize(*status.mutable_allocatable());
  if (status.allocatable().empty() && !status.capacity().empty()) *status.mutable_allocatable() = status.capacity();
}

void check_taints(const api::NodeSpec& spec, const At& at, Faults& faults) {
  for (int i = 0; i < spec.taints_size(); ++i) {
    const auto& taint = spec.taints(i);
    const At here = at[i];
    check_label_key(taint.key(), here.child("key"), faults);
    check_label_value(taint.value(), here.child("value"), faults);
    check_one_of(taint.effect(), {"NoSchedule", "PreferNoSchedule", "NoExecute"}, here.child("effect"), faults);
    for (int j = 0; j < i; ++j) {
      if (spec.taints(j).key() != taint.key() || spec.taints(j).effect() != taint.effect()) continue;
      faults.add("FieldValueDuplicate",
                 fmt::format("Duplicate value: {}: taints must be unique by key and effect pair",
                             json_of(static_cast<const Message&>(taint))),
                 here.str());
      break;
    }
  }
}

void check_node(const api::Node& node, Faults& faults) {
  check_taints(node.spec(), At("metadata.taints"), faults);  // sic: the path of the real server
  check_amounts(node.status().capacity(), At("status.capacity"), faults);
  check_amounts(node.status().allocatable(), At("status.allocatable"), faults);
}

void check_node_update(const api::Node& before, const api::Node& after, Faults& faults) {
  const auto& old = before.spec();
  const auto& now = after.spec();
  if (!old.pod_cidrs().empty() && !std::ranges::equal(old.pod_cidrs(), now.pod_cidrs())) {
    faults.forbidden("spec.podCIDRs", "node updates may not change podCIDR except from \"\" to valid");
  }
  if (!old.provider_id().empty() && now.provider_id() != old.provider_id()) {
    faults.invalid(
        "spec.providerID", "null",
        now.provider_id().empty() ? "field cannot be cleared once set" : "field cannot be modified once set");
  }
}

// Nodes can be created with their status, because kubelets register themselves in this way.
void keep_node_status(const api::Node& before, api::Node& after) { *after.mutable_status() = before.status(); }

void check_node_status(const api::Node&, const api::Node& after, Faults& faults) {
  check_amounts(after.status().capacity(), At("status.capacity"), faults);
  check_amounts(after.status().allocatable(), At("status.allocatable"), faults);
}

// --- Namespace ---

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";

void default_namespace(api::Namespace& ns) {
  auto& metadata = *ns.mutable_metadata();
  if (!metadata.name().empty()) (*metadata.mutable_labels())[std::string(kNameLabel)] = metadata.name();
}

void prepare_namespace(api::Namespace& ns, const RuleContext&, Faults&) {
  ns.mutable_status()->Clear();
  ns.mutable_status()->set_phase("Active");
  auto& finalizers = *ns.mutable_spec()->mutable_finalizers();
  if (std::ranges::find(finalizers, "kubernetes") == finalizers.end()) *finalizers.Add() = "kubernetes";
  default_namespace(ns);  // the name can be generated
}

// The finalizers of a namespace have their own subresource.
void keep_namespace(const api::Namespace& before, api::Namespace& after) {
  *after.mutable_spec() = before.spec();
  *after.mutable_status() = before.status();
}

// --- ConfigMap and Secret ---

template <class Map>
std::size_t check_data(const Map& data, const At& at, Faults& faults) {
  std::size_t bytes = 0;
  for (const std::string_view key : sorted_keys(data)) {
    report(config_key_faults(key), key, at.key(key), faults);
    bytes += data.at(std::string(key)).size();
  }
  return bytes;
}

void check_config_map(const api::ConfigMap& map, Faults& faults) {
  const std::size_t bytes =
      check_data(map.data(), At("data"), faults) + check_data(map.binary_data(), At("binaryData"), faults);
  for (const std::string_view key : sorted_keys(map.data())) {
    if (!map.binary_data().contains(std::string(key))) continue;
    faults.invalid(fmt::format("data[{}]", key), kube::json_string(key), "duplicate of key present in binaryData");
  }
  if (bytes > kMostBytes) faults.too_long("", static_cast<int>(kMostBytes));
}

void check_config_map_update(const api::ConfigMap& before, const api::ConfigMap& after, Faults& faults) {
  if (!before.immutable()) return;
  if (!after.immutable()) faults.forbidden("immutable", kImmutable);
  if (!same_map(before.data(), after.data())) faults.forbidden("data", kImmutable);
  if (!same_map(before.binary_data(), after.binary_data())) faults.forbidden("binaryData", kImmutable);
}

void default_secret(api::Secret& secret) {
  if (secret.type().empty()) secret.set_type("Opaque");
  // stringData is write-only: its entries become entries of data.
  for (const auto& [key, value] : secret.string_data()) (*secret.mutable_data())[key] = value;
  secret.clear_string_data();
}

void check_secret(const api::Secret& secret, Faults& faults) {
  if (check_data(secret.data(), At("data"), faults) > kMostBytes) {
    faults.too_long("data", static_cast<int>(kMostBytes));
  }
  if (secret.type() != "kubernetes.io/tls") return;
  for (const char* key : {"tls.crt", "tls.key"}) {
    if (!secret.data().contains(key)) faults.required(fmt::format("data[{}]", key));
  }
}

void check_secret_update(const api::Secret& before, const api::Secret& after, Faults& faults) {
  check_immutable(before.type(), after.type(), At("type"), faults);
  if (!before.immutable()) return;
  if (!after.immutable()) faults.forbidden("immutable", kImmutable);
  if (!same_map(before.data(), after.data())) faults.forbidden("data", kImmutable);
}

}  // namespace

KindRules node_rules() {
  KindRules rules;
  rules.defaults = on<api::Node>(default_node);
  rules.on_create = on<api::Node>([](api::Node& node, const RuleContext&, Faults&) {
    node.mutable_spec();
    node.mutable_status();
  });
  rules.on_update = on_both<api::Node>(keep_node_status);
  rules.on_status_update =
      on_both<api::Node>([](const api::Node& before, api::Node& after) { *after.mutable_spec() = before.spec(); });
  rules.validate = on<api::Node>(check_node);
  rules.validate_update = on_both<api::Node>(check_node_update);
  rules.validate_status_update = on_both<api::Node>(check_node_status);
  rules.field = on<api::Node>([](const api::Node& node, std::string_view field, std::string& scratch) {
    if (field != "spec.unschedulable") return static_cast<std::string*>(nullptr);
    scratch = node.spec().unschedulable() ? "true" : "false";
    return &scratch;
  });
  rules.selectable_fields = {"spec.unschedulable"};
  return rules;
}

KindRules namespace_rules() {
  KindRules rules;
  rules.defaults = on<api::Namespace>(default_namespace);
  rules.on_create = on<api::Namespace>(prepare_namespace);
  rules.on_update = on_both<api::Namespace>(keep_namespace);
  rules.on_status_update = on_both<api::Namespace>(
      [](const api::Namespace& before, api::Namespace& after) { *after.mutable_spec() = before.spec(); });
  rules.name_fault = dns_label_name;
  rules.field = on<api::Namespace>([](const api::Namespace& ns, std::string_view field, std::string&) {
    return field == "status.phase" ? &ns.status().phase() : nullptr;
  });
  rules.selectable_fields = {"status.phase"};
  return rules;
}

KindRules config_map_rules() {
  KindRules rules;
  rules.validate = on<api::ConfigMap>(check_config_map);
  rules.validate_update = on_both<api::ConfigMap>(check_config_map_update);
  return rules;
}

KindRules secret_rules() {
  KindRules rules;
  rules.defaults = on<api::Secret>(default_secret);
  rules.validate = on<api::Secret>(check_secret);
  rules.validate_update = on_both<api::Secret>(check_secret_update);
  rules.field = on<api::Secret>([](const api::Secret& secret, std::string_view field, std::string&) {
    return field == "type" ? &secret.type() : nullptr;
  });
  rules.selectable_fields = {"type"};
  return rules;
}

}  // namespace rescheduler::sim
