// The defaults that the API server sets when it decodes a pod or a pod template.
#include "kube/proto/core_pod.pb.h"
#include "sim/kinds/pods/pod_rules.h"
#include "sim/kinds/resources.h"

namespace rescheduler::sim {
namespace {

constexpr int kFileMode = 0644;
constexpr std::int64_t kGraceSeconds = 30;
constexpr std::int64_t kTokenSeconds = 3600;

// An image without tag and digest gets the tag "latest". The image behind "latest" can change, so it is always pulled.
bool pulls_latest(std::string_view image) {
  if (image.find('@') != std::string_view::npos) {
    image = image.substr(0, image.find('@'));
    const std::size_t colon = image.rfind(':');
    return colon != std::string_view::npos && image.substr(colon) == ":latest";
  }
  const std::size_t slash = image.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const std::size_t colon = last.rfind(':');
  return colon == std::string_view::npos || last.substr(colon) == ":latest";
}

void default_probe(api::Probe& probe) {
  if (probe.timeout_seconds() == 0) probe.set_timeout_seconds(1);
  if (probe.period_seconds() == 0) probe.set_period_seconds(10);
  if (probe.success_threshold() == 0) probe.set_success_threshold(1);
  if (probe.failure_threshold() == 0) probe.set_failure_threshold(3);
}

void default_http_get(api::HTTPGetAction& get) {
  if (get.path().empty()) get.set_path("/");
  if (get.scheme().empty()) get.set_scheme("HTTP");
}

template <class Container>
void default_probes(Container& container) {
  const auto fill = [](api::Probe& probe) {
    default_probe(probe);
    if (probe.handler().has_http_get()) default_http_get(*probe.mutable_handler()->mutable_http_get());
    if (probe.handler().has_grpc() && !probe.handler().grpc().has_service()) {
      probe.mutable_handler()->mutable_grpc()->set_service("");
    }
  };
  if (container.has_liveness_probe()) fill(*container.mutable_liveness_probe());
  if (container.has_readiness_probe()) fill(*container.mutable_readiness_probe());
  if (container.has_startup_probe()) fill(*container.mutable_startup_probe());
  if (!container.has_lifecycle()) return;
  auto& lifecycle = *container.mutable_lifecycle();
  if (lifecycle.has_post_start() && lifecycle.post_start().has_http_get()) {
    default_http_get(*lifecycle.mutable_post_start()->mutable_http_get());
  }
  if (lifecycle.has_pre_stop() && lifecycle.pre_stop().has_http_get()) {
    default_http_get(*lifecycle.mutable_pre_stop()->mutable_http_get());
  }
}

template <class Container>
void default_container(Container& container) {
  if (container.image_pull_policy().empty()) {
    container.set_image_pull_policy(pulls_latest(container.image()) ? "Always" : "IfNotPresent");
  }
  if (container.termination_message_path().empty()) container.set_termination_message_path("/dev/termination-log");
  if (container.termination_message_policy().empty()) container.set_termination_message_policy("File");
  for (auto& port : *container.mutable_ports()) {
    if (port.protocol().empty()) port.set_protocol("TCP");
  }
  for (auto& env : *container.mutable_env()) {
    if (!env.has_value_from() || !env.value_from().has_field_ref()) continue;
    auto& field = *env.mutable_value_from()->mutable_field_ref();
    if (field.api_version().empty()) field.set_api_version("v1");
  }
  auto& resources = *container.mutable_resources();
  canonicalize(*resources.mutable_limits());
  canonicalize(*resources.mutable_requests());
  default_probes(container);
}

void default_files(google::protobuf::RepeatedPtrField<api::DownwardAPIVolumeFile>& files) {
  for (auto& file : files) {
    if (file.has_field_ref() && file.field_ref().api_version().empty()) file.mutable_field_ref()->set_api_version("v1");
  }
}

void default_projections(api::ProjectedVolumeSource& projected) {
  if (!projected.has_default_mode()) projected.set_default_mode(kFileMode);
  for (auto& source : *projected.mutable_sources()) {
    if (source.has_service_account_token() && !source.service_account_token().has_expiration_seconds()) {
      source.mutable_service_account_token()->set_expiration_seconds(kTokenSeconds);
    }
    if (source.has_downward_api()) default_files(*source.mutable_downward_api()->mutable_items());
  }
}

void default_volume(api::Volume& volume) {
  auto& source = *volume.mutable_volume_source();
  if (source.ByteSizeLong() == 0) {
    source.mutable_empty_dir();
    return;
  }
  if (source.has_secret() && !source.secret().has_default_mode()) source.mutable_secret()->set_default_mode(kFileMode);
  if (source.has_config_map() && !source.config_map().has_default_mode()) {
    source.mutable_config_map()->set_default_mode(kFileMode);
  }
  if (source.has_downward_api()) {
    auto& downward = *source.mutable_downward_api();
    if (!downward.has_default_mode()) downward.set_default_mode(kFileMode);
    default_files(*downward.mutable_items());
  }
  if (source.has_projected()) default_projections(*source.mutable_projected());
  if (source.has_host_path() && !source.host_path().has_type()) source.mutable_host_path()->set_type("");
  if (source.has_empty_dir() && source.empty_dir().has_size_limit()) {
    canonicalize(*source.mutable_empty_dir()->mutable_size_limit());
  }
  if (source.has_ephemeral() && source.ephemeral().has_volume_claim_template()) {
    auto& claim = *source.mutable_ephemeral()->mutable_volume_claim_template()->mutable_spec();
    if (!claim.has_volume_mode()) claim.set_volume_mode("Filesystem");
  }
}

void request_what_is_limited(api::Container& container) {
  const auto& limits = container.resources().limits();
  if (limits.empty()) return;
  auto& requests = *container.mutable_resources()->mutable_requests();
  for (const auto& [name, quantity] : limits) requests.try_emplace(name, quantity);
}

void open_host_ports(google::protobuf::RepeatedPtrField<api::Container>& containers) {
  for (auto& container : containers) {
    for (auto& port : *container.mutable_ports()) {
      if (port.host_port() == 0) port.set_host_port(port.container_port());
    }
  }
}

}  // namespace

void default_pod_spec(api::PodSpec& spec) {
  if (spec.dns_policy().empty()) spec.set_dns_policy("ClusterFirst");
  if (spec.restart_policy().empty()) spec.set_restart_policy("Always");
  spec.mutable_security_context();
  if (!spec.has_termination_grace_period_seconds()) spec.set_termination_grace_period_seconds(kGraceSeconds);
  if (spec.scheduler_name().empty()) spec.set_scheduler_name("default-scheduler");
  // serviceAccount is the old name of serviceAccountName; the new name wins.
  if (spec.service_account_name().empty()) {
    if (!spec.service_account().empty()) spec.set_service_account_name(spec.service_account());
  } else {
    spec.set_service_account(spec.service_account_name());
  }
  for (auto& volume : *spec.mutable_volumes()) default_volume(volume);
  for (auto& container : *spec.mutable_containers()) default_container(container);
  for (auto& container : *spec.mutable_init_containers()) default_container(container);
  for (auto& container : *spec.mutable_ephemeral_containers()) {
    default_container(*container.mutable_ephemeral_container_common());
  }
  canonicalize(*spec.mutable_overhead());
  if (spec.has_resources()) {
    canonicalize(*spec.mutable_resources()->mutable_limits());
    canonicalize(*spec.mutable_resources()->mutable_requests());
  }
}

void default_pod(api::Pod& pod) {
  auto& spec = *pod.mutable_spec();
  default_pod_spec(spec);
  for (auto& container : *spec.mutable_containers()) request_what_is_limited(container);
  for (auto& container : *spec.mutable_init_containers()) request_what_is_limited(container);
  if (!spec.has_enable_service_links()) spec.set_enable_service_links(true);
  if (!spec.host_network()) return;
  open_host_ports(*spec.mutable_containers());
  open_host_ports(*spec.mutable_init_containers());
}

}  // namespace rescheduler::sim
