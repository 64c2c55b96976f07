#include "sim/controllers/daemon_eligibility.h"

#include <algorithm>
#include <array>

#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::sim {

namespace {

std::vector<kube::SelectorExpression> expressions(
    const google::protobuf::RepeatedPtrField<api::NodeSelectorRequirement>& requirements) {
  std::vector<kube::SelectorExpression> made;
  for (const auto& requirement : requirements) {
    made.push_back(
        {requirement.key(), requirement.operator_(), {requirement.values().begin(), requirement.values().end()}});
  }
  return made;
}

}  // namespace

NodeTraits traits_of(const api::Node& node) {
  NodeTraits traits;
  traits.labels.pairs.assign(node.metadata().labels().begin(), node.metadata().labels().end());
  std::ranges::sort(traits.labels.pairs);
  for (const auto& taint : node.spec().taints()) traits.taints.push_back({taint.key(), taint.value(), taint.effect()});
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
    tolerations_.push_back({toleration.key(), toleration.operator_(), toleration.value(), toleration.effect()});
  }
  node_name_ = of_template.node_name();
  node_selector_.assign(of_template.node_selector().begin(), of_template.node_selector().end());
  const auto& affinity = of_template.affinity().node_affinity();
  if (!affinity.has_required_during_scheduling_ignored_during_execution()) return;
  std::vector<kube::NodeSelectorTerm> terms;
  for (const auto& term : affinity.required_during_scheduling_ignored_during_execution().node_selector_terms()) {
    auto made = kube::NodeSelectorTerm::from(expressions(term.match_expressions()), expressions(term.match_fields()));
    if (!made) {
      impossible_ = true;
      return;
    }
    terms.push_back(std::move(*made));
  }
  affinity_.emplace(std::move(terms));
}

bool DaemonEligibility::tolerates(const NodeTaint& taint) const {
  return std::ranges::any_of(tolerations_, [&taint](const Toleration& toleration) {
    if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
    if (!toleration.key.empty() && toleration.key != taint.key) return false;
    if (toleration.op == "Exists") return true;
    return !toleration.key.empty() && toleration.value == taint.value;
  });
}

DaemonPlace DaemonEligibility::on(std::string_view node, const NodeTraits& traits) const {
  if (impossible_ || (!node_name_.empty() && node_name_ != node)) return DaemonPlace::Never;
  for (const auto& [key, value] : node_selector_) {
    const auto found = traits.labels.find(key);
    if (!found || *found != value) return DaemonPlace::Never;
  }
  if (affinity_ && !affinity_->matches(traits.labels.lookup(), node)) return DaemonPlace::Never;
  DaemonPlace place = DaemonPlace::Run;
  for (const NodeTaint& taint : traits.taints) {
    if (taint.effect == "PreferNoSchedule" || tolerates(taint)) continue;
    if (taint.effect == "NoExecute") return DaemonPlace::Never;
    place = DaemonPlace::Stay;
  }
  return place;
}

}  // namespace rescheduler::sim
