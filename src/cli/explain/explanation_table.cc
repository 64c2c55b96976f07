#include "cli/explain/explanation_table.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/view/text.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cli {
namespace {

using placement::Decision;
using placement::Outcome;

std::string table(const std::vector<std::vector<std::string>>& rows) {
  return fmt::format("{}\n", fmt::join(aligned(rows), "\n"));
}

std::string headline(const Decision& decision, const placement::PodContext& context) {
  const auto name = fmt::format("{}/{}", context.pod.metadata().namespace_(), context.pod.metadata().name());
  const auto node = [&] { return context.cluster.node(decision.node).node->name; };
  switch (decision.outcome) {
    case Outcome::Scheduled: return fmt::format("{} goes to {}\n", name, node());
    case Outcome::Preempts: return fmt::format("{} goes to {} after preemption\n", name, node());
    case Outcome::Gated: return fmt::format("{} is gated: {}\n", name, decision.message);
    case Outcome::Unschedulable: return fmt::format("{} is unschedulable\n", name);
    case Outcome::Failed: return fmt::format("the scheduling decision for {} failed: {}\n", name, decision.message);
  }
  return {};
}

std::string scores_table(const Decision& decision, const cluster::Cluster& cluster) {
  if (decision.feasible.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> head{"NODE", "TOTAL"};
  for (const auto& one : decision.choice.by_plugin) head.push_back(fmt::format("{} x{}", one.plugin, one.weight));
  rows.push_back(std::move(head));
  std::vector<std::size_t> order(decision.feasible.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto total = [&](std::size_t i) { return decision.choice.totals.empty() ? 0 : decision.choice.totals[i]; };
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(-total(i), i); });
  for (const std::size_t i : order) {
    std::vector<std::string> row{cluster.node(decision.feasible[i]).node->name,
                                 decision.choice.totals.empty() ? "-" : std::to_string(decision.choice.totals[i])};
    for (const auto& one : decision.choice.by_plugin) row.push_back(std::to_string(one.normalized[i]));
    rows.push_back(std::move(row));
  }
  return "\nFeasible nodes\n" + table(rows);
}

std::string refusals_table(const Decision& decision, const cluster::Cluster& cluster) {
  std::vector<std::vector<std::string>> rows{{"NODE", "REFUSED BY", "PREEMPTION HELPS", "WHY"}};
  for (const auto& [node, status] : decision.diagnosis.verdicts) {
    rows.push_back({cluster.node(node).node->name, status.plugin,
                    status.code == placement::Code::Unschedulable ? "perhaps" : "no",
                    fmt::format("{}", fmt::join(status.reasons, ", "))});
  }
  return rows.size() == 1 ? std::string{} : "\nInfeasible nodes\n" + table(rows);
}

std::string room_table(const Decision& decision, const cluster::Cluster& cluster) {
  if (decision.candidates.empty()) return {};
  std::vector<std::vector<std::string>> rows{{"NODE", "PDBS VIOLATED", "VICTIMS"}};
  for (const auto& one : decision.candidates) {
    std::vector<std::string> victims;
    for (const auto index : one.victims) {
      const auto& pod = cluster.pod(index);
      victims.push_back(
          fmt::format("{}/{} (priority {})", cluster.text(pod.ns), pod.name, pod.compiled_spec->priority));
    }
    rows.push_back({cluster.node(one.node).node->name + (one.node == decision.node ? " *" : ""),
                    std::to_string(one.budget_violations), fmt::format("{}", fmt::join(victims, ", "))});
  }
  return "\nCandidates for preemption (* is chosen)\n" + table(rows);
}

}  // namespace

std::string explanation_table(const Decision& decision,
                              const placement::PodContext& context,
                              const placement::Framework& framework) {
  std::string text = headline(decision, context);
  text += fmt::format("by profile {}\n", framework.profile().scheduler_name);
  text += scores_table(decision, context.cluster);
  text += refusals_table(decision, context.cluster);
  text += room_table(decision, context.cluster);
  if (decision.outcome == Outcome::Unschedulable || decision.outcome == Outcome::Preempts) {
    text += "\n" + decision.message + "\n";
  }
  return text;
}

}  // namespace rescheduler::cli
