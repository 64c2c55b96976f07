#include "sim/kubelet/admission.h"

#include <utility>

#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::sim {
namespace {

std::optional<Rejection> out_of(std::string_view resource, std::int64_t asked, std::int64_t used, std::int64_t all) {
  if (asked == 0 || used + asked <= all) return std::nullopt;
  return Rejection{fmt::format("OutOf{}", resource),
                   fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}", resource,
                               asked, used, all)};
}

Rejection predicate(std::string_view name, std::string_view why) {
  return {std::string(name), fmt::format("Predicate {} failed: {}", name, why)};
}

}  // namespace

std::optional<Rejection> rejection(const api::Pod& pod, const PodResources& requests, const NodeRoom& node) {
  const PodResources& used = node.used;
  const PodResources& all = node.allocatable;
  if (auto short_of = out_of("pods", 1, used.pods, all.pods)) return short_of;
  if (auto short_of = out_of("cpu", requests.cpu, used.cpu, all.cpu)) return short_of;
  if (auto short_of = out_of("memory", requests.memory, used.memory, all.memory)) return short_of;
  for (const auto& [name, asked] : requests.others) {
    // The kubelet ignores resources that the node does not have.
    const auto there = all.others.find(name);
    if (there == all.others.end()) continue;
    const auto taken = used.others.find(name);
    auto short_of = out_of(name, asked, taken == used.others.end() ? 0 : taken->second, there->second);
    if (short_of) return short_of;
  }
  const PodNeeds needs(pod);
  NodeRoom untainted;
  untainted.name = node.name;
  untainted.labels = node.labels;
  if (!needs.may_go_to(untainted))
    return predicate("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
  if (!needs.may_go_to(node)) return predicate("TaintToleration", "node(s) had taints that the pod didn't tolerate");
  return std::nullopt;
}

}  // namespace rescheduler::sim
