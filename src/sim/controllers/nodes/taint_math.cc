#include "sim/controllers/nodes/taint_math.h"

#include <algorithm>
#include <array>
#include <set>

#include "kube/proto/core_common.pb.h"
#include "kube/proto/core_node.pb.h"

namespace rescheduler::sim {
namespace {

struct ConditionTaint {
  std::string_view type;
  std::string_view status;
  std::string_view key;
};
constexpr std::array kConditionTaints{
    ConditionTaint{"Ready", "False", kNotReady},
    ConditionTaint{"Ready", "Unknown", kUnreachable},
    ConditionTaint{"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    ConditionTaint{"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    ConditionTaint{"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
    ConditionTaint{"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
};
constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";

}  // namespace

std::optional<std::chrono::seconds> may_stay(const std::vector<TaintText>& taints,
                                             const google::protobuf::RepeatedPtrField<api::Toleration>& tolerations) {
  std::optional<std::chrono::seconds> least;
  for (const TaintText& taint : taints) {
    const auto match = std::ranges::find_if(tolerations, [&taint](const api::Toleration& toleration) {
      return cluster::toleration_text(toleration).tolerates(taint);
    });
    if (match == tolerations.end()) return std::chrono::seconds{0};
    if (!match->has_toleration_seconds()) continue;
    const std::chrono::seconds stay{std::max<std::int64_t>(0, match->toleration_seconds())};
    if (!least || stay < *least) least = stay;
  }
  return least;
}

std::vector<TaintText> no_execute_taints(const api::Node& node) {
  std::vector<TaintText> taints;
  for (const api::Taint& taint : node.spec().taints()) {
    if (taint.effect() == kNoExecute) taints.push_back(cluster::taint_text(taint));
  }
  return taints;
}

bool has_taint(const api::Node& node, std::string_view key, std::string_view effect) {
  return std::ranges::any_of(node.spec().taints(), [&](const api::Taint& taint) {
    return taint.key() == key && (effect.empty() || taint.effect() == effect);
  });
}

std::vector<std::string> wanted_no_schedule(const api::Node& node) {
  std::set<std::string> keys;
  for (const api::NodeCondition& condition : node.status().conditions()) {
    for (const ConditionTaint& rule : kConditionTaints) {
      if (condition.type() == rule.type && condition.status() == rule.status) keys.emplace(rule.key);
    }
  }
  if (node.spec().unschedulable()) keys.emplace(kUnschedulable);
  return {keys.begin(), keys.end()};
}

std::vector<std::string> present_no_schedule(const api::Node& node) {
  std::set<std::string> keys;
  for (const api::Taint& taint : node.spec().taints()) {
    const bool ours = taint.key() == kUnschedulable || std::ranges::any_of(kConditionTaints, [&](const auto& rule) {
                        return rule.key == taint.key();
                      });
    if (ours && taint.effect() == kNoSchedule) keys.insert(taint.key());
  }
  return {keys.begin(), keys.end()};
}

}  // namespace rescheduler::sim
