#include "dashboard/dashboard_model.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "kube/codec/json_words.h"
#include "rescheduling/planning/plan_json.h"

namespace rescheduler::dashboard {

DashboardModel::DashboardModel(const Clock& clock, EventStream& event_stream, DashboardModelSettings settings)
    : clock_(clock),
      event_stream_(event_stream),
      settings_(std::move(settings)),
      cluster_view_(settings_.pools),
      history_(settings_.history_every),
      reachable_since_(clock.wall_now()) {}

void DashboardModel::migration(const api::Migration& migration, bool gone) {
  if (gone) return migrations_.remove(migration);
  auto activity = migrations_.upsert(migration, clock_.wall_now());
  if (activity) add_activity(std::move(*activity));
}

void DashboardModel::plan(const rescheduling::Plan& plan) {
  std::map<std::string, int> counts;
  for (const rescheduling::PlannedMove& move : plan.moves) ++counts[std::string(to_string(move.strategy))];
  std::string text;
  for (const auto& [strategy, count] : counts) {
    text += fmt::format("{}{}: {} {}", text.empty() ? "" : ", ", strategy, count, count == 1 ? "move" : "moves");
  }
  add_activity({.kind = "plan",
                .text = fmt::format("plan: {}; balance score {:.0f} to {:.0f}", text, plan.before.balance.score,
                                    plan.after.balance.score)});
}

void DashboardModel::api_reachable() {
  if (reachable_) return;
  reachable_ = true;
  reachable_since_ = clock_.wall_now();
  problem_.clear();
  add_activity({.kind = "event", .text = "the API server answers again"});
}

void DashboardModel::api_unreachable(std::string problem) {
  problem_ = std::move(problem);
  if (!reachable_) return;
  reachable_ = false;
  reachable_since_ = clock_.wall_now();
  add_activity({.kind = "event", .warning = true, .text = fmt::format("the API server does not answer: {}", problem_)});
}

void DashboardModel::publish_if_new(std::string_view event, const std::string& json, std::string& before) {
  if (json == before) return;
  before = json;
  event_stream_.publish(event, json);
}

// Brakes that come and go in normal operation are not reported.
void DashboardModel::report_brakes() {
  const auto* now = status();
  if (now == nullptr) return;
  std::string held;
  for (const rescheduling::ActiveBrake& one : now->holding) {
    if (one.brake == rescheduling::Brake::CapReached || one.brake == rescheduling::Brake::OutsideWindow) continue;
    held += fmt::format("{}{}", held.empty() ? "" : "; ", one.sentence);
  }
  const std::string before = std::exchange(reported_brakes_, held);
  if (held == before) return;
  if (held.empty()) {
    add_activity({.kind = "brake", .text = "no brake is engaged any more"});
  } else {
    add_activity({.kind = "brake", .warning = true, .text = fmt::format("held: {}", held)});
  }
}

void DashboardModel::tick() {
  const WallTime now = clock_.wall_now();
  const ClusterView::Changes changes = cluster_view_.take_changes();
  if (!changes.empty()) {
    ++revision_;
    event_stream_.publish("nodes",
                          fmt::format(R"({{"revision":{},"rows":{},"gone":{}}})", revision_,
                                      kube::json_array(changes.rows, [](const std::string& row) { return row; }),
                                      kube::json_array(changes.gone, kube::json_string)));
  }
  if (auto moved = migrations_.take_changes()) event_stream_.publish("migrations", *moved);
  report_brakes();
  if (history_.due(now)) {
    event_stream_.publish("history",
                          history_.add(now, balance(), cluster_view_.counts().pending, migrations_.counts().ended));
  }
  if (auto lines = activity_.take_new()) event_stream_.publish("news", *lines);
  if (event_stream_.viewers() == 0) return;  // other views are built on request
  const std::string shown = overview_but_time();
  if (shown != published_overview_) {
    published_overview_ = shown;
    event_stream_.publish("overview", overview());
  }
  if (const auto* controller = status()) {
    const std::string ids =
        fmt::format(R"({{"actedOn":{},"observed":{}}})",
                    kube::json_string_or_null(controller->acted_on ? controller->acted_on->id : ""),
                    kube::json_string_or_null(controller->observed ? controller->observed->id : ""));
    publish_if_new("plan", ids, published_plan_);
  }
  publish_if_new("recovery", recovery(), published_recovery_);
  publish_if_new("maintenance", maintenance(), published_maintenance_);
}

std::string DashboardModel::hello() const {
  return fmt::format(R"({{"boot":{},"revision":{}}})", kube::json_string(settings_.boot), revision_);
}

// The published rows, and rows of new nodes that are not published yet. The next event has all later changes and
// repeats the new nodes, so a viewer misses nothing.
std::string DashboardModel::nodes() {
  std::string rows;
  for (const auto& [name, node] : cluster_view_.nodes()) {
    if (!node.exists) continue;
    if (!rows.empty()) rows += ',';
    rows += node.row.empty() ? row_json(node) : node.row;
  }
  return fmt::format(R"({{"revision":{},"columns":{},"rows":[{}]}})", revision_, node_columns(), rows);
}

std::string DashboardModel::plans() const {
  const auto* now = status();
  const auto text = [](const std::shared_ptr<const rescheduling::Plan>& plan) {
    return plan ? rescheduling::to_json(*plan) : std::string("null");
  };
  if (now == nullptr) return R"({"actedOn":null,"observed":null})";
  return fmt::format(R"({{"actedOn":{},"observed":{}}})", text(now->acted_on), text(now->observed));
}

}  // namespace rescheduler::dashboard
