#include "scheduler/decision_log.h"

#include "base/log.h"
#include "kube/proto/core_pod.pb.h"
#include "scheduler/messages.h"

namespace rescheduler::scheduler {
namespace {

constexpr int kReasonVerbosity = 4;

void log_reasons(const std::string& pod, const placement::Decision& decision, const cluster::Cluster& cluster) {
  const auto name_of = [&](cluster::NodeIndex node) { return cluster.node(node).node->name; };
  for (const placement::NodeVerdict& verdict : decision.diagnosis.verdicts) {
    log_info(messages::kRefusedBy, {{"pod", pod},
                                    {"node", name_of(verdict.node)},
                                    {"plugin", verdict.status.plugin},
                                    {"reason", verdict.status.message()}});
  }
  for (std::size_t i = 0; i < decision.feasible.size(); ++i) {
    for (const placement::PluginScores& one : decision.choice.by_plugin) {
      if (i >= one.normalized.size()) continue;
      log_info(messages::kScored, {{"pod", pod},
                                   {"node", name_of(decision.feasible[i])},
                                   {"plugin", one.plugin},
                                   {"score", one.normalized[i]},
                                   {"weight", one.weight}});
    }
  }
}

}  // namespace

bool logs_reasons() noexcept { return log_verbose(kReasonVerbosity); }

void log_decision(const api::Pod& pod, const placement::Decision& decision, const cluster::Cluster& cluster) {
  if (!log_verbose(kDecisionVerbosity)) return;
  const std::string key = pod.metadata().namespace_() + "/" + pod.metadata().name();
  if (logs_reasons()) log_reasons(key, decision, cluster);
  if (decision.outcome == placement::Outcome::Scheduled) {
    log_info(messages::kPlaced, {{"pod", key},
                                 {"node", cluster.node(decision.node).node->name},
                                 {"evaluatedNodes", decision.feasible.size() + decision.diagnosis.verdicts.size()},
                                 {"feasibleNodes", decision.feasible.size()}});
  } else {
    log_info(messages::kUnableToSchedule, {{"pod", key}, {"err", decision.message}});
  }
}

}  // namespace rescheduler::scheduler
