#include "placer.h"

#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "config/catalog.h"
#include "config/read.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/decide.h"
#include "placement/registry.h"

namespace rescheduler::replay {
namespace {

std::string cores_text(double cores) { return fmt::format("{}m", std::llround(cores * 1000)); }
std::string gib_text(double gib) { return fmt::format("{}Mi", std::llround(gib * 1024)); }

api::Node node_of(const NodeShape& shape, std::size_t number) {
  api::Node node;
  const std::string name = fmt::format("node-{:05}", number);
  node.mutable_metadata()->set_name(name);
  node.mutable_metadata()->set_uid(name);
  (*node.mutable_metadata()->mutable_labels())["kubernetes.io/hostname"] = name;
  auto& allocatable = *node.mutable_status()->mutable_allocatable();
  allocatable["cpu"].set_string(cores_text(shape.cores));
  allocatable["memory"].set_string(gib_text(shape.memory_gib));
  allocatable["pods"].set_string("250");
  return node;
}

}  // namespace

api::Pod pod_of(const PodRequest& request, const std::string& name) {
  api::Pod pod;
  pod.mutable_metadata()->set_namespace_("default");
  pod.mutable_metadata()->set_name(name);
  pod.mutable_metadata()->set_uid(name);
  auto& container = *pod.mutable_spec()->add_containers();
  container.set_name("main");
  auto& requests = *container.mutable_resources()->mutable_requests();
  requests["cpu"].set_string(cores_text(request.cpu));
  requests["memory"].set_string(gib_text(request.memory));
  auto& limits = *container.mutable_resources()->mutable_limits();
  if (request.cpu_limit > 0) limits["cpu"].set_string(cores_text(request.cpu_limit));
  if (request.memory_limit > 0) limits["memory"].set_string(gib_text(request.memory_limit));
  return pod;
}

Placer::Placer(const std::vector<NodeShape>& nodes, const NamedRule& rule, std::uint64_t seed)
    : rule_(rule.make(nodes)), rng_(seed) {
  auto profile = config::default_configuration(config::default_catalog()).profiles.front();
  placement::Registry registry = placement::Registry::standard();
  rule_->register_plugins(registry, profile, rule.weight);
  auto made = placement::Framework::make(profile, registry);
  RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
  framework_ = std::move(*made);
  cluster_.listen(false);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    cluster_.upsert_node(node_of(nodes[i], i));
    RESCHEDULER_CHECK(cluster_.node(static_cast<cluster::NodeIndex>(i)).exists(), "node {} has another place", i);
  }
}

std::optional<Placement> Placer::place(const Job& job, std::int64_t now) {
  static const placement::NominatedPods no_nominated_pods;
  const api::Pod pod = pod_of(request_of(job), fmt::format("pod-{}", pods_++));
  const auto compiled_spec = cluster_.compiled_spec_of(pod);
  const auto context = placement::make_pod_context(cluster_, pod, *compiled_spec);
  framework_->prepare(cluster_, context);
  placement::DecideOptions options;
  options.tie_break = rng_.next();
  const auto decision = placement::decide(*framework_, context, no_nominated_pods, options);
  if (decision.outcome != placement::Outcome::Scheduled) return std::nullopt;
  cluster_.assume(pod, compiled_spec, decision.node);
  Placement placed{&job, pod.metadata().uid(), decision.node, now};
  rule_->bound(cluster_, placed);
  return placed;
}

void Placer::remove(const Placement& pod) {
  cluster_.remove_pod(pod.uid);
  rule_->remove(cluster_, pod);
}

}  // namespace rescheduler::replay
