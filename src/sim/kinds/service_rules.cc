// Services. There is no network here; addresses are assigned only because clients expect them.
#include <fmt/format.h>

#include "kube/proto/core.pb.h"
#include "sim/kinds/rules.h"
#include "sim/kinds/typed_rules.h"

namespace rescheduler::sim {
namespace {

constexpr std::int32_t kClientSeconds = 10'800;
constexpr std::int32_t kFirstNodePort = 30'000;
constexpr std::uint32_t kNodePorts = 2'768;

bool is_headless(const api::ServiceSpec& spec) { return spec.cluster_ip() == "None"; }
bool has_node_ports(const api::ServiceSpec& spec) { return spec.type() == "NodePort" || spec.type() == "LoadBalancer"; }
bool has_address(const api::ServiceSpec& spec) { return spec.type() == "ClusterIP" || has_node_ports(spec); }

void default_affinity(api::ServiceSpec& spec) {
  if (spec.session_affinity().empty()) spec.set_session_affinity("None");
  if (spec.session_affinity() == "None") {
    spec.clear_session_affinity_config();
  } else if (spec.session_affinity() == "ClientIP"
             && !spec.session_affinity_config().client_ip().has_timeout_seconds()) {
    spec.mutable_session_affinity_config()->mutable_client_ip()->set_timeout_seconds(kClientSeconds);
  }
}

void default_service(api::Service& service) {
  auto& spec = *service.mutable_spec();
  default_affinity(spec);
  if (spec.type().empty()) spec.set_type("ClusterIP");
  for (auto& port : *spec.mutable_ports()) {
    if (port.protocol().empty()) port.set_protocol("TCP");
    const auto& target = port.target_port();
    if (target.type() == 0 ? target.int_val() == 0 : target.str_val().empty()) {
      port.mutable_target_port()->set_type(0);
      port.mutable_target_port()->set_int_val(port.port());
    }
  }
  const bool external = has_node_ports(spec) || (spec.type() == "ClusterIP" && !spec.external_ips().empty());
  if (external && spec.external_traffic_policy().empty()) spec.set_external_traffic_policy("Cluster");
  if (has_address(spec) && !spec.has_internal_traffic_policy()) spec.set_internal_traffic_policy("Cluster");
  if (spec.type() == "LoadBalancer" && !spec.has_allocate_load_balancer_node_ports()) {
    spec.set_allocate_load_balancer_node_ports(true);
  }
}

std::uint32_t hash_of(std::string_view text, std::uint32_t salt) {
  std::uint32_t hash = 2'166'136'261U ^ salt;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return hash ^ (hash >> 15U);
}

// An address in 10.96.0.0/12 from the uid: the same run gives the same addresses. Two services can get the same
// address.
std::string address_for(const api::ObjectMeta& metadata) {
  if (metadata.namespace_() == "default" && metadata.name() == "kubernetes") return "10.96.0.1";
  const std::uint32_t offset = hash_of(metadata.uid(), 0) % ((1U << 20U) - 16U) + 10U;
  return fmt::format("10.{}.{}.{}", 96U + (offset >> 16U), (offset >> 8U) & 255U, offset & 255U);
}

void give_addresses(api::Service& service) {
  auto& spec = *service.mutable_spec();
  if (!has_address(spec)) return;
  if (spec.cluster_ip().empty() && !spec.cluster_ips().empty()) spec.set_cluster_ip(spec.cluster_ips(0));
  if (spec.cluster_ip().empty()) spec.set_cluster_ip(address_for(service.metadata()));
  if (spec.cluster_ips().empty()) spec.add_cluster_ips(spec.cluster_ip());
  if (spec.ip_families().empty()) spec.add_ip_families("IPv4");
  if (!spec.has_ip_family_policy()) spec.set_ip_family_policy("SingleStack");
  if (!has_node_ports(spec)) return;
  for (int i = 0; i < spec.ports_size(); ++i) {
    auto& port = *spec.mutable_ports(i);
    if (port.node_port() != 0) continue;
    const std::uint32_t slot = hash_of(service.metadata().uid(), static_cast<std::uint32_t>(i) + 1U) % kNodePorts;
    port.set_node_port(kFirstNodePort + static_cast<std::int32_t>(slot));
  }
}

void prepare_service(api::Service& service, const RuleContext&, Faults&) {
  service.mutable_status()->Clear();
  service.mutable_status()->mutable_load_balancer();
  give_addresses(service);
}

// Keeps assigned values that the client does not send back.
void keep_service(const api::Service& before, api::Service& after) {
  *after.mutable_status() = before.status();
  auto& spec = *after.mutable_spec();
  const auto& old = before.spec();
  if (has_address(spec) && has_address(old)) {
    if (spec.cluster_ip().empty() && spec.cluster_ips().empty()) {
      spec.set_cluster_ip(old.cluster_ip());
      *spec.mutable_cluster_ips() = old.cluster_ips();
    }
    for (auto& port : *spec.mutable_ports()) {
      if (!has_node_ports(spec) || port.node_port() != 0) continue;
      for (const auto& known : old.ports()) {
        if (known.port() == port.port() && known.protocol() == port.protocol()) port.set_node_port(known.node_port());
      }
    }
  }
  if (!has_address(spec) && old.cluster_ip() == spec.cluster_ip()) {
    spec.clear_cluster_ip();
    spec.clear_cluster_ips();
    spec.clear_ip_families();
    spec.clear_ip_family_policy();
  }
  give_addresses(after);
}

void check_port(const api::ServiceSpec& spec, int index, const At& at, Faults& faults) {
  const auto& port = spec.ports(index);
  if (port.name().empty()) {
    if (spec.ports_size() > 1) faults.required(at.child("name").str());
  } else {
    check_dns_label(port.name(), at.child("name"), faults);
    for (int j = 0; j < index; ++j) {
      if (spec.ports(j).name() != port.name()) continue;
      faults.duplicate(at.child("name").str(), port.name());
      break;
    }
  }
  const auto in_range = [](std::int32_t number) { return number >= 1 && number <= 65535; };
  constexpr std::string_view kRange = "must be between 1 and 65535, inclusive";
  if (!in_range(port.port())) faults.invalid(at.child("port").str(), fmt::format("{}", port.port()), kRange);
  check_one_of(port.protocol(), {"SCTP", "TCP", "UDP"}, at.child("protocol"), faults);
  if (port.target_port().type() == 1) {
    report(port_name_faults(port.target_port().str_val()), port.target_port().str_val(), at.child("targetPort"),
           faults);
  } else if (!in_range(port.target_port().int_val())) {
    faults.invalid(at.child("targetPort").str(), fmt::format("{}", port.target_port().int_val()), kRange);
  }
}

void check_service(const api::Service& service, Faults& faults) {
  const auto& spec = service.spec();
  const At at("spec");
  if (spec.ports().empty() && !is_headless(spec) && spec.type() != "ExternalName") faults.required("spec.ports");
  if (spec.type() == "ExternalName" && spec.external_name().empty()) faults.required("spec.externalName");
  if (spec.type() == "LoadBalancer" && is_headless(spec)) {
    faults.invalid("spec.clusterIPs[0]", "\"None\"", "may not be set to 'None' for LoadBalancer services");
  }
  const At ports = at.child("ports");
  for (int i = 0; i < spec.ports_size(); ++i) check_port(spec, i, ports[i], faults);
  check_labels(spec.selector(), at.child("selector"), faults);
  check_one_of(spec.session_affinity(), {"ClientIP", "None"}, at.child("sessionAffinity"), faults);
  check_one_of(spec.type(), {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}, at.child("type"), faults);
  for (int i = 0; i < spec.ports_size(); ++i) {
    for (int j = 0; j < i; ++j) {
      if (spec.ports(i).port() != spec.ports(j).port() || spec.ports(i).protocol() != spec.ports(j).protocol())
        continue;
      faults.add("FieldValueDuplicate",
                 fmt::format("Duplicate value: {{\"port\":{},\"protocol\":{}}}", spec.ports(i).port(),
                             kube::json_string(spec.ports(i).protocol())),
                 ports[i].str());
      break;
    }
  }
}

void check_service_update(const api::Service& before, const api::Service& after, Faults& faults) {
  const auto& old = before.spec();
  const auto& now = after.spec();
  if (!has_address(old) || !has_address(now)) return;
  const auto first = [](const api::ServiceSpec& spec) {
    return spec.cluster_ips().empty() ? spec.cluster_ip() : spec.cluster_ips(0);
  };
  if (first(old) != first(now)) {
    faults.invalid("spec.clusterIPs[0]", fmt::format("[{}]", kube::json_string(first(now))), "may not change once set");
  } else if (now.cluster_ip() != first(now)) {
    faults.invalid("spec.clusterIP", kube::json_string(now.cluster_ip()), "must match first IP in `clusterIPs`");
  }
}

}  // namespace

KindRules service_rules() {
  KindRules rules;
  rules.defaults = on<api::Service>(default_service);
  rules.on_create = on<api::Service>(prepare_service);
  rules.on_update = on_both<api::Service>(keep_service);
  rules.on_status_update = on_both<api::Service>(
      [](const api::Service& before, api::Service& after) { *after.mutable_spec() = before.spec(); });
  rules.validate = on<api::Service>(check_service);
  rules.validate_update = on_both<api::Service>(check_service_update);
  rules.name_fault = dns_1035_name;
  rules.field = on<api::Service>([](const api::Service& service, std::string_view field, std::string&) {
    if (field == "spec.clusterIP") return &service.spec().cluster_ip();
    return field == "spec.type" ? &service.spec().type() : nullptr;
  });
  rules.selectable_fields = {"spec.clusterIP", "spec.type"};
  return rules;
}

}  // namespace rescheduler::sim
