#include "rescheduling/loop/controller_metrics.h"

#include <array>
#include <cmath>
#include <limits>

namespace rescheduler::rescheduling {
namespace {

constexpr const char* kMoves = "rescheduler_pod_movements_total";
constexpr const char* kMovesHelp = "Finished moves, by strategy and result.";
constexpr const char* kUtilization = "rescheduler_node_utilization_percent";
constexpr const char* kUtilizationHelp = "Load of a node, in percent.";
constexpr const char* kPods = "rescheduler_node_pods";
constexpr const char* kPodsHelp = "Pods on a node, without finished pods.";
constexpr const char* kBrake = "rescheduler_brake_engaged";
constexpr const char* kBrakeHelp = "1 while the brake is engaged, else 0.";
constexpr const char* kLeft = "rescheduler_maintenance_pods_left";
constexpr const char* kLeftHelp = "Pods that still have to leave a node under maintenance.";
constexpr const char* kProgress = "rescheduler_maintenance_progress_percent";
constexpr const char* kProgressHelp = "Progress of the drain of a node under maintenance, in percent of its pods.";
constexpr const char* kEta = "rescheduler_maintenance_eta_seconds";
constexpr const char* kEtaHelp = "Estimated time at which a node under maintenance is empty; NaN if unknown.";

const std::vector<double> kSeconds = {0.001, 0.005, 0.02, 0.1, 0.25, 0.5, 1, 2, 5};

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ControllerMetrics::ControllerMetrics(MetricRegistry& registry) : registry_(registry) {
  brakes({});
  under_way(0);
}

void ControllerMetrics::moved(const migration::MoveOutcome& outcome) {
  registry_
      .counter(kMoves, kMovesHelp,
               {{"strategy", outcome.request.strategy}, {"result", std::string(to_string(outcome.result))}})
      .add();
}

void ControllerMetrics::under_way(std::size_t count) {
  registry_.gauge("rescheduler_moves_under_way", "Moves in progress.").set(static_cast<double>(count));
}

void ControllerMetrics::balance_report(const BalanceReport& balance_report) {
  registry_
      .gauge("rescheduler_load_balance_score",
             "Balance score: 100 minus twice the standard deviation of node loads in percentage points.")
      .set(balance_report.balance.score);
  std::set<std::string> seen;
  for (const NodeUtilization& node : balance_report.nodes) {
    registry_.gauge(kUtilization, kUtilizationHelp, {{"node", node.name}, {"resource", "cpu"}}).set(node.cpu * 100);
    registry_.gauge(kUtilization, kUtilizationHelp, {{"node", node.name}, {"resource", "memory"}})
        .set(node.memory * 100);
    registry_.gauge(kPods, kPodsHelp, {{"node", node.name}}).set(node.pods);
    seen.insert(node.name);
  }
  for (const std::string& gone : nodes_) {
    if (seen.contains(gone)) continue;
    for (const char* resource : {"cpu", "memory"}) {
      registry_.gauge(kUtilization, kUtilizationHelp, {{"node", gone}, {"resource", resource}}).set(kNothing);
    }
    registry_.gauge(kPods, kPodsHelp, {{"node", gone}}).set(kNothing);
  }
  nodes_ = std::move(seen);
}

void ControllerMetrics::planned(const Plan& plan, std::string_view mode, double seconds) {
  registry_.histogram("rescheduler_plan_duration_seconds", "Time to make a plan.", kSeconds).observe(seconds);
  std::map<std::string, int> counts;
  for (const PlannedMove& move : plan.moves) ++counts[std::string(to_string(move.strategy))];
  for (const auto& [strategy, count] : counts) {
    registry_
        .counter("rescheduler_plan_moves_total", "Moves in plans, by strategy and mode.",
                 {{"strategy", strategy}, {"mode", std::string(mode)}})
        .add(count);
  }
  for (const UnmovedPod& refusal : plan.refused) refused(refusal.code);
}

void ControllerMetrics::refused(std::string_view code) {
  registry_
      .counter("rescheduler_refusals_total", "Pods that were considered and not moved, by reason.",
               {{"reason", std::string(code)}})
      .add();
}

void ControllerMetrics::cycle(std::string_view what) {
  registry_.counter("rescheduler_cycles_total", "Rescheduling cycles, by result.", {{"result", std::string(what)}})
      .add();
}

void ControllerMetrics::brakes(const std::vector<ActiveBrake>& holding) {
  std::array<bool, kBrakeCount> engaged{};
  for (const ActiveBrake& one : holding) engaged[static_cast<std::size_t>(one.brake)] = true;
  for (std::size_t i = 0; i < kBrakeCount; ++i) {
    registry_.gauge(kBrake, kBrakeHelp, {{"brake", std::string(to_string(static_cast<Brake>(i)))}})
        .set(engaged[i] ? 1 : 0);
  }
}

void ControllerMetrics::effect(const Effect& effect) {
  const MetricLabels labels{{"strategy", std::string(to_string(effect.strategy))}};
  registry_
      .gauge("rescheduler_effect_predicted_points",
             "Predicted decrease of the load of hot nodes by the last plan, in percentage points.", labels)
      .set(effect.predicted);
  registry_
      .gauge("rescheduler_effect_measured_points",
             "Measured decrease of the load of hot nodes by the last plan, in percentage points.", labels)
      .set(effect.measured);
}

void ControllerMetrics::maintenance(const std::map<std::string, DrainProgress>& progress) {
  for (const auto& [node, one] : progress) {
    registry_.gauge(kLeft, kLeftHelp, {{"node", node}}).set(static_cast<double>(one.left));
    registry_.gauge(kProgress, kProgressHelp, {{"node", node}})
        .set(one.total == 0 ? 100 : 100.0 * static_cast<double>(one.total - one.left) / static_cast<double>(one.total));
    const double eta = one.drained ? 0 : one.eta ? static_cast<double>(one.eta->count()) : kNothing;
    registry_.gauge(kEta, kEtaHelp, {{"node", node}}).set(eta);
    drained_.insert(node);
  }
  for (auto it = drained_.begin(); it != drained_.end();) {
    if (progress.contains(*it)) {
      ++it;
      continue;
    }
    registry_.gauge(kLeft, kLeftHelp, {{"node", *it}}).set(kNothing);
    registry_.gauge(kProgress, kProgressHelp, {{"node", *it}}).set(kNothing);
    registry_.gauge(kEta, kEtaHelp, {{"node", *it}}).set(kNothing);
    it = drained_.erase(it);
  }
}

}  // namespace rescheduler::rescheduling
