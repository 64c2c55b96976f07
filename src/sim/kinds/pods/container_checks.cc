// Containers and volumes of a pod or a pod template.
#include <algorithm>

#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "sim/kinds/pods/pod_rules.h"
#include "sim/kinds/resources.h"

namespace rescheduler::sim {
namespace {

using Containers = google::protobuf::RepeatedPtrField<api::Container>;

constexpr std::string_view kNoHandler = "must specify a handler type";
constexpr std::string_view kOnlySidecars = "may not be set for init containers without restartPolicy=Always";

// Lists in pods are short: a linear search is cheaper than a set.
template <class List>
bool is_repeated(const List& list, int index, std::string_view name) {
  for (int i = 0; i < index; ++i) {
    if (list.Get(i).name() == name) return true;
  }
  return false;
}

void check_port_number(std::int32_t port, const At& at, Faults& faults) {
  if (port >= 1 && port <= 65535) return;
  faults.invalid(at.str(), fmt::format("{}", port), "must be between 1 and 65535, inclusive");
}

template <class Container>
void check_ports(const Container& container, const At& at, Faults& faults) {
  for (int i = 0; i < container.ports_size(); ++i) {
    const auto& port = container.ports(i);
    const At here = at[i];
    if (!port.name().empty()) {
      auto sentences = port_name_faults(port.name());
      if (sentences.empty() && is_repeated(container.ports(), i, port.name())) {
        faults.duplicate(here.child("name").str(), port.name());
      }
      report(std::move(sentences), port.name(), here.child("name"), faults);
    }
    if (port.container_port() == 0) {
      faults.required(here.child("containerPort").str());
    } else {
      check_port_number(port.container_port(), here.child("containerPort"), faults);
    }
    if (port.host_port() != 0) check_port_number(port.host_port(), here.child("hostPort"), faults);
    if (port.protocol() != "TCP") {
      check_one_of(port.protocol(), {"SCTP", "TCP", "UDP"}, here.child("protocol"), faults);
    }
  }
}

template <class Container>
void check_environment(const Container& container, const At& at, Faults& faults) {
  for (int i = 0; i < container.env_size(); ++i) {
    const auto& env = container.env(i);
    const At here = at[i];
    if (env.name().empty()) {
      faults.required(here.child("name").str());
    } else if (!std::ranges::all_of(env.name(), [](char c) { return c >= ' ' && c <= '~' && c != '='; })) {
      faults.invalid(here.child("name").str(), kube::json_string(env.name()),
                     "a valid environment variable name must consist only of printable ASCII characters other than "
                     "'='");
    }
    if (!env.has_value_from()) continue;
    const auto& from = env.value_from();
    const int sources = int{from.has_field_ref()} + int{from.has_resource_field_ref()}
                        + int{from.has_config_map_key_ref()} + int{from.has_secret_key_ref()}
                        + int{from.has_file_key_ref()};
    const At source = here.child("valueFrom");
    if (sources == 0) {
      faults.invalid(source.str(), "\"\"",
                     "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
                     "`fileKeyRef`");
    } else if (!env.value().empty()) {
      faults.invalid(source.str(), "\"\"", "may not be specified when `value` is not empty");
    } else if (sources > 1) {
      faults.invalid(source.str(), "\"\"", "may not have more than one field specified at a time");
    }
  }
}

template <class Container>
void check_mounts(const Container& container, const api::PodSpec& spec, const At& at, Faults& faults) {
  for (int i = 0; i < container.volume_mounts_size(); ++i) {
    const auto& mount = container.volume_mounts(i);
    const At here = at[i];
    if (mount.name().empty()) faults.required(here.child("name").str());
    const bool known =
        std::ranges::any_of(spec.volumes(), [&](const api::Volume& volume) { return volume.name() == mount.name(); });
    if (!known) {
      faults.add("FieldValueNotFound", fmt::format("Not found: {}", kube::json_string(mount.name())),
                 here.child("name").str());
    }
    if (mount.mount_path().empty()) faults.required(here.child("mountPath").str());
    for (int j = 0; j < i; ++j) {
      if (container.volume_mounts(j).mount_path() != mount.mount_path()) continue;
      faults.invalid(here.child("mountPath").str(), kube::json_string(mount.mount_path()), "must be unique");
      break;
    }
  }
}

void check_http_get(const api::HTTPGetAction& get, const At& at, Faults& faults) {
  if (get.path().empty()) faults.required(at.child("path").str());
  if (get.port().type() == 0) check_port_number(get.port().int_val(), at.child("port"), faults);
  if (get.scheme() != "HTTP") check_one_of(get.scheme(), {"HTTP", "HTTPS"}, at.child("scheme"), faults);
}

template <class Handler>
int count_handlers(const Handler& handler, const At& at, Faults& faults) {
  int handlers = 0;
  const auto another = [&](std::string_view name) {
    if (handlers++ > 0) faults.forbidden(at.child(name).str(), "may not specify more than 1 handler type");
    return handlers == 1;
  };
  if (handler.has_exec() && another("exec") && handler.exec().command().empty()) {
    faults.required(at.child("exec").child("command").str());
  }
  if (handler.has_http_get() && another("httpGet")) check_http_get(handler.http_get(), at.child("httpGet"), faults);
  if (handler.has_tcp_socket() && another("tcpSocket") && handler.tcp_socket().port().type() == 0) {
    check_port_number(handler.tcp_socket().port().int_val(), at.child("tcpSocket").child("port"), faults);
  }
  return handlers;
}

void check_probe(const api::Probe& probe, const At& at, Faults& faults) {
  int handlers = count_handlers(probe.handler(), at, faults);
  if (probe.handler().has_grpc()) {
    if (handlers++ > 0) faults.forbidden(at.child("grpc").str(), "may not specify more than 1 handler type");
    check_port_number(probe.handler().grpc().port(), at.child("grpc").child("port"), faults);
  }
  if (handlers == 0) faults.required(at.str(), kNoHandler);
  check_not_negative(probe.initial_delay_seconds(), at.child("initialDelaySeconds"), faults);
  check_not_negative(probe.timeout_seconds(), at.child("timeoutSeconds"), faults);
  check_not_negative(probe.period_seconds(), at.child("periodSeconds"), faults);
  check_not_negative(probe.success_threshold(), at.child("successThreshold"), faults);
  check_not_negative(probe.failure_threshold(), at.child("failureThreshold"), faults);
}

// successThreshold must be 1 for liveness and startup probes.
void check_one_success(const api::Probe& probe, const At& at, Faults& faults) {
  check_probe(probe, at, faults);
  if (probe.success_threshold() == 1) return;
  faults.invalid(at.child("successThreshold").str(), fmt::format("{}", probe.success_threshold()), "must be 1");
}

void check_handler(const api::LifecycleHandler& handler, const At& at, Faults& faults) {
  const int handlers = count_handlers(handler, at, faults) + int{handler.has_sleep()};
  if (handlers == 0) faults.required(at.str(), kNoHandler);
}

void check_life(const api::Container& container, const At& at, Faults& faults) {
  if (container.has_lifecycle()) {
    const At lifecycle = at.child("lifecycle");
    if (container.lifecycle().has_post_start()) {
      check_handler(container.lifecycle().post_start(), lifecycle.child("postStart"), faults);
    }
    if (container.lifecycle().has_pre_stop()) {
      check_handler(container.lifecycle().pre_stop(), lifecycle.child("preStop"), faults);
    }
  }
  if (container.has_liveness_probe()) {
    check_one_success(container.liveness_probe(), at.child("livenessProbe"), faults);
  }
  if (container.has_readiness_probe()) check_probe(container.readiness_probe(), at.child("readinessProbe"), faults);
  if (container.has_startup_probe()) check_one_success(container.startup_probe(), at.child("startupProbe"), faults);
}

template <class Container>
void check_container(const Container& container, const api::PodSpec& spec, PodOf of, const At& at, Faults& faults) {
  if (container.name().empty()) {
    faults.required(at.child("name").str());
  } else {
    check_dns_label(container.name(), at.child("name"), faults);
  }
  const std::string& image = container.image();
  if (image.empty()) faults.required(at.child("image").str());
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  if (of == PodOf::Pod && !image.empty() && (is_space(image.front()) || is_space(image.back()))) {
    faults.invalid(at.child("image").str(), kube::json_string(image), "must not have leading or trailing whitespace");
  }
  if (container.termination_message_policy() != "File") {
    check_one_of(container.termination_message_policy(), {"File", "FallbackToLogsOnError"},
                 at.child("terminationMessagePolicy"), faults);
  }
  check_ports(container, at.child("ports"), faults);
  check_environment(container, at.child("env"), faults);
  check_mounts(container, spec, at.child("volumeMounts"), faults);
  if (container.image_pull_policy() != "IfNotPresent") {
    check_one_of(container.image_pull_policy(), {"Always", "IfNotPresent", "Never"}, at.child("imagePullPolicy"),
                 faults);
  }
  check_container_resources(container.resources(), at.child("resources"), faults);
}

std::string host_port_of(const api::ContainerPort& port) {
  return fmt::format("{}/{}/{}", port.protocol(), port.host_ip(), port.host_port());
}

void check_host_ports(const Containers& containers, const At& at, Faults& faults) {
  std::vector<std::string> taken;
  for (int i = 0; i < containers.size(); ++i) {
    const auto& ports = containers[i].ports();
    for (int j = 0; j < ports.size(); ++j) {
      if (ports[j].host_port() == 0) continue;
      std::string port = host_port_of(ports[j]);
      if (std::ranges::find(taken, port) != taken.end()) {
        faults.duplicate(at[i].child("ports")[j].child("hostPort").str(), port);
      }
      taken.push_back(std::move(port));
    }
  }
}

void check_init_container(const api::Container& container, const At& at, Faults& faults) {
  if (container.restart_policy() == "Always") return check_life(container, at, faults);
  if (container.has_lifecycle()) faults.forbidden(at.child("lifecycle").str(), kOnlySidecars);
  if (container.has_liveness_probe()) faults.forbidden(at.child("livenessProbe").str(), kOnlySidecars);
  if (container.has_readiness_probe()) faults.forbidden(at.child("readinessProbe").str(), kOnlySidecars);
  if (container.has_startup_probe()) faults.forbidden(at.child("startupProbe").str(), kOnlySidecars);
}

void check_init_containers(const api::PodSpec& spec, PodOf of, const At& at, Faults& faults) {
  for (int i = 0; i < spec.init_containers_size(); ++i) {
    const auto& container = spec.init_containers(i);
    check_container(container, spec, of, at[i], faults);
    check_init_container(container, at[i], faults);
    if (container.name().empty()) continue;
    if (is_repeated(spec.init_containers(), i, container.name())
        || is_repeated(spec.containers(), spec.containers_size(), container.name())) {
      faults.duplicate(at[i].child("name").str(), container.name());
    }
  }
}

void check_ephemeral_containers(const api::PodSpec& spec, const At& at, Faults& faults) {
  for (int i = 0; i < spec.ephemeral_containers_size(); ++i) {
    const auto& container = spec.ephemeral_containers(i).ephemeral_container_common();
    check_container(container, spec, PodOf::Pod, at[i], faults);
    bool taken = is_repeated(spec.containers(), spec.containers_size(), container.name())
                 || is_repeated(spec.init_containers(), spec.init_containers_size(), container.name());
    for (int j = 0; j < i; ++j) {
      taken = taken || spec.ephemeral_containers(j).ephemeral_container_common().name() == container.name();
    }
    if (taken) faults.duplicate(at[i].child("name").str(), container.name());
  }
}

}  // namespace

void check_containers(const api::PodSpec& spec, PodOf of, const At& at, Faults& faults) {
  const At containers = at.child("containers");
  if (spec.containers().empty()) faults.required(containers.str());
  for (int i = 0; i < spec.containers_size(); ++i) {
    const auto& container = spec.containers(i);
    check_container(container, spec, of, containers[i], faults);
    if (is_repeated(spec.containers(), i, container.name())) {
      faults.duplicate(containers[i].child("name").str(), container.name());
    }
    check_life(container, containers[i], faults);
  }
  check_host_ports(spec.containers(), containers, faults);
  check_init_containers(spec, of, at.child("initContainers"), faults);
  check_ephemeral_containers(spec, at.child("ephemeralContainers"), faults);
}

void check_volumes(const api::PodSpec& spec, const At& at, Faults& faults) {
  for (int i = 0; i < spec.volumes_size(); ++i) {
    const auto& volume = spec.volumes(i);
    const At here = at[i];
    if (volume.name().empty()) {
      faults.required(here.child("name").str());
    } else {
      check_dns_label(volume.name(), here.child("name"), faults);
    }
    if (is_repeated(spec.volumes(), i, volume.name())) faults.duplicate(here.child("name").str(), volume.name());
    const auto& source = volume.volume_source();
    std::vector<const google::protobuf::FieldDescriptor*> kinds;
    source.GetReflection()->ListFields(source, &kinds);
    for (std::size_t k = 1; k < kinds.size(); ++k) {
      faults.forbidden(here.child(kinds[k]->json_name()).str(), "may not specify more than 1 volume type");
    }
    if (source.has_persistent_volume_claim() && source.persistent_volume_claim().claim_name().empty()) {
      faults.required(here.child("persistentVolumeClaim").child("claimName").str());
    }
    if (source.has_secret() && source.secret().secret_name().empty()) {
      faults.required(here.child("secret").child("secretName").str());
    }
    if (source.has_config_map() && source.config_map().local_object_reference().name().empty()) {
      faults.required(here.child("configMap").child("name").str());
    }
    if (source.has_host_path() && source.host_path().path().empty()) {
      faults.required(here.child("hostPath").child("path").str());
    }
  }
}

}  // namespace rescheduler::sim
