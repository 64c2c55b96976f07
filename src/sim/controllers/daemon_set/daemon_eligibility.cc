#include "sim/controllers/daemon_set/daemon_eligibility.h"

#include <algorithm>
#include <array>

#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/wire_selectors.h"

namespace rescheduler::sim {

NodeTraits traits_of(const api::Node& node) {
  NodeTraits traits;
  traits.labels.pairs.assign(node.metadata().labels().begin(), node.metadata().labels().end());
  std::ranges::sort(traits.labels.pairs);
  for (const auto& taint : node.spec().taints()) traits.taints.push_back(cluster::taint_text(taint));
  return traits;
}

void add_daemon_tolerations(api::PodSpec& spec) {
  struct Tolerated {
    std::string_view key, effect;
  };
  static constexpr std::array<Tolerated, 6> kAlways{{{"node.kubernetes.io/not-ready", "NoExecute"},
                                                     {"node.kubernetes.io/unreachable", "NoExecute"},
                                                     {"node.kubernetes.io/disk-pressure", "NoSchedule"},
                                                     {"node.kubernetes.io/memory-pressure", "NoSchedule"},
                                                     {"node.kubernetes.io/pid-pressure", "NoSchedule"},
                                                     {"node.kubernetes.io/unschedulable", "NoSchedule"}}};
  const auto add = [&spec](const Tolerated& tolerated) {
    auto& list = *spec.mutable_tolerations();
    const auto same = std::ranges::find_if(list, [&tolerated](const api::Toleration& toleration) {
      return toleration.key() == tolerated.key && toleration.effect() == tolerated.effect
             && toleration.operator_() == "Exists" && toleration.value().empty();
    });
    api::Toleration& toleration = same == list.end() ? *list.Add() : *same;
    toleration.Clear();
    toleration.set_key(std::string(tolerated.key));
    toleration.set_operator_("Exists");
    toleration.set_effect(std::string(tolerated.effect));
  };
  for (const Tolerated& tolerated : kAlways) add(tolerated);
  if (spec.host_network()) add({"node.kubernetes.io/network-unavailable", "NoSchedule"});
}

DaemonEligibility::DaemonEligibility(const api::PodSpec& of_template) {
  api::PodSpec spec;
  *spec.mutable_tolerations() = of_template.tolerations();
  spec.set_host_network(of_template.host_network());
  add_daemon_tolerations(spec);
  for (const auto& toleration : spec.tolerations()) {
    tolerations_.push_back(cluster::toleration_text(toleration));
  }
  node_name_ = of_template.node_name();
  node_selector_.assign(of_template.node_selector().begin(), of_template.node_selector().end());
  const auto& affinity = of_template.affinity().node_affinity();
  if (!affinity.has_required_during_scheduling_ignored_during_execution()) return;
  affinity_ = kube::compile_node_selector(affinity.required_during_scheduling_ignored_during_execution());
}

DaemonPlace DaemonEligibility::on(std::string_view node, const NodeTraits& traits) const {
  if (!node_name_.empty() && node_name_ != node) return DaemonPlace::Never;
  for (const auto& [key, value] : node_selector_) {
    const auto found = traits.labels.find(key);
    if (!found || *found != value) return DaemonPlace::Never;
  }
  if (affinity_ && !affinity_->matches(traits.labels.lookup(), node)) return DaemonPlace::Never;
  DaemonPlace place = DaemonPlace::Run;
  for (const cluster::TaintText& taint : traits.taints) {
    if (taint.effect == "PreferNoSchedule" || cluster::tolerated(tolerations_, taint)) continue;
    if (taint.effect == "NoExecute") return DaemonPlace::Never;
    place = DaemonPlace::Stay;
  }
  return place;
}

}  // namespace rescheduler::sim
