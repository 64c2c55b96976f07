#include "rescheduling/loop/maintenance.h"

#include <algorithm>
#include <utility>

#include <boost/json.hpp>
#include <fmt/core.h>

namespace rescheduler::rescheduling {
namespace {

constexpr std::size_t kNamedBlockers = 5;  // an event holds 1024 bytes

std::string joined_blockers(const std::vector<std::string>& blockers) {
  std::string text;
  for (std::size_t i = 0; i < std::min(blockers.size(), kNamedBlockers); ++i) {
    text += (i > 0 ? "; " : "") + blockers[i];
  }
  if (blockers.size() > kNamedBlockers) text += fmt::format("; and {} more", blockers.size() - kNamedBlockers);
  return text;
}

// For people who read the node.
std::string status_text(const MaintenanceNode& node) {
  const std::string staying =
      node.staying.empty() ? std::string{} : "left on the node: " + joined_blockers(node.staying);
  if (node.to_leave == 0) return staying.empty() ? "drained" : "drained; " + staying;
  std::string text = node.blockers.empty() ? "draining" : "blocked: " + joined_blockers(node.blockers);
  if (!staying.empty()) text += "; " + staying;
  return text;
}

std::string pods(std::size_t count) { return count == 1 ? "1 pod" : fmt::format("{} pods", count); }

void add_activity(const MaintenanceNode& node,
                  bool warning,
                  std::string reason,
                  std::string note,
                  MaintenanceStep& step) {
  step.activity.push_back({node.name, node.uid, warning, std::move(reason), std::move(note)});
}

}  // namespace

bool Maintenance::is_under_way(const MaintenanceNode& node) const {
  return drains_.contains(node.name) || !node.cordoned_by.empty();
}

std::set<std::string> Maintenance::considered(const std::vector<MaintenanceNode>& nodes,
                                              config::StrategyMode mode) const {
  std::set<std::string> chosen;
  for (const MaintenanceNode& node : nodes) {
    if (node.marked && node.mode == mode && is_under_way(node)) chosen.insert(node.name);
  }
  for (const MaintenanceNode& node : nodes) {
    if (chosen.size() >= settings_.nodes_at_once) break;
    if (node.marked && node.mode == mode) chosen.insert(node.name);
  }
  return chosen;
}

MaintenanceStep Maintenance::next(const std::vector<MaintenanceNode>& nodes, WallTime now) {
  MaintenanceStep step;
  const std::set<std::string> chosen = considered(nodes);
  std::set<std::string> present;
  for (const MaintenanceNode& node : nodes) {
    present.insert(node.name);
    if (!node.marked) {
      take_back(node, step);
    } else if (node.mode != config::StrategyMode::Act) {
      refuse(node, step);
    } else if (is_under_way(node)) {
      go_on(node, now, step);
    } else if (chosen.contains(node.name)) {
      begin(node, now, step);
    }
  }
  // A drain whose node is missing in `nodes`: the node was unmarked and another client had cordoned it, or the node was
  // deleted.
  for (auto it = drains_.begin(); it != drains_.end();) {
    if (present.contains(it->first)) {
      ++it;
      continue;
    }
    step.activity.push_back(
        {it->first, "", false, "MaintenanceEnded", "The node is no longer under maintenance; it stays as it is"});
    if (it->second.uses_conditions) step.conditions_to_clear.insert(it->first);
    it = drains_.erase(it);
  }
  std::erase_if(reported_refused_, [&](const auto& reported) { return !present.contains(reported.first); });
  return step;
}

// The user has asked for a drain that will not happen.
void Maintenance::refuse(const MaintenanceNode& node, MaintenanceStep& step) {
  std::string note = node.mode == config::StrategyMode::Observe
                         ? "The mode of NodeMaintenance is observe: the plan is published, and no pod is moved"
                         : "The maintenance label has no effect: NodeMaintenance is off. Set its mode to act, or use "
                           "kubectl drain";
  report_status(node, "", step);
  std::string& reported = reported_refused_[node.name];
  if (reported == note) return;
  reported = note;
  add_activity(node, true, "MaintenanceRefused", std::move(note), step);
}

// Adds the status to the write for the node, if there is one: a second write would carry an outdated version.
void Maintenance::report_status(const MaintenanceNode& node, std::string status, MaintenanceStep& step) {
  if (node.drain_status == status) return;
  const auto write = std::ranges::find(step.writes, node.name, &NodeWrite::node);
  if (write != step.writes.end()) {
    write->status = std::move(status);
  } else {
    step.writes.push_back({NodeAction::Report, node.name, "", std::move(status)});
  }
}

void Maintenance::begin(const MaintenanceNode& node, WallTime now, MaintenanceStep& step) {
  reported_refused_.erase(node.name);
  Drain& drain = drains_[node.name];
  drain.since = now;
  drain.total = drain.reported_left = node.to_leave;
  add_activity(node, false, "MaintenanceStarted",
               fmt::format("{} must leave the node{}", pods(node.to_leave),
                           node.unschedulable ? "; the node was cordoned before maintenance started" : ""),
               step);
  go_on(node, now, step);
}

void Maintenance::go_on(const MaintenanceNode& node, WallTime now, MaintenanceStep& step) {
  const auto [found, taken_over] = drains_.try_emplace(node.name);
  Drain& drain = found->second;
  if (taken_over) {  // from an earlier leader
    drain.since = now;
    drain.total = drain.reported_left = node.to_leave;
  }
  if (node.cordoned_by == kReleased) return;
  if (is_ours(node) && !node.unschedulable) {
    step.writes.push_back({NodeAction::MarkReleased, node.name, node.version});
    add_activity(
        node, true, "MaintenanceReleased",
        "The node was uncordoned by another client: maintenance stops until its label is removed and set again", step);
    return;
  }
  if (!node.unschedulable) step.writes.push_back({NodeAction::Cordon, node.name, node.version});
  step.draining.insert(node.name);
  report_progress(node, drain, now, step);
  report_blockers(node, drain, now, step);
  report_status(node, status_text(node), step);
}

void Maintenance::report_progress(const MaintenanceNode& node, Drain& drain, WallTime now, MaintenanceStep& step) {
  drain.total = std::max(drain.total, node.to_leave);
  DrainProgress& progress = step.progress[node.name];
  progress.total = drain.total;
  progress.left = node.to_leave;
  progress.blocked = !node.blockers.empty();
  progress.drained = node.to_leave == 0;
  progress.uses_conditions = drain.uses_conditions = node.uses_conditions;
  const std::size_t gone = drain.total - node.to_leave;
  if (gone > 0 && node.to_leave > 0) {
    progress.eta = std::chrono::duration_cast<std::chrono::seconds>((now - drain.since) * node.to_leave / gone);
  }
  if (progress.drained) {
    if (std::exchange(drain.reported_drained, true)) return;
    const auto took = std::chrono::duration_cast<std::chrono::seconds>(now - drain.since);
    add_activity(node, false, "MaintenanceDrained",
                 fmt::format("The node is drained: {} left it within {} s{}", pods(drain.total), took.count(),
                             node.staying.empty() ? "" : "; left on the node: " + joined_blockers(node.staying)),
                 step);
    return;
  }
  drain.reported_drained = false;
  // Reports every quarter of the progress.
  if (drain.reported_left > node.to_leave && (drain.reported_left - node.to_leave) * 4 >= drain.total) {
    drain.reported_left = node.to_leave;
    add_activity(node, false, "MaintenanceProgress",
                 fmt::format("{} of {} have left the node, {} remain{}", pods(gone), drain.total, node.to_leave,
                             progress.eta ? fmt::format("; about {} s", progress.eta->count()) : ""),
                 step);
  }
}

void Maintenance::report_blockers(const MaintenanceNode& node, Drain& drain, WallTime now, MaintenanceStep& step) {
  if (node.blockers.empty() || node.to_leave == 0) {
    drain.blocked_since.reset();
    drain.reported_blockers.clear();
    drain.reported_giving_up = false;
    return;
  }
  if (!drain.blocked_since) drain.blocked_since = now;
  const std::string words = joined_blockers(node.blockers);
  if (drain.reported_blockers != words) {
    drain.reported_blockers = words;
    add_activity(node, true, "MaintenanceBlocked", "Not all pods can leave: " + words, step);
  }
  if (!drain.reported_giving_up && now - *drain.blocked_since >= settings_.give_up_after) {
    drain.reported_giving_up = true;
    add_activity(
        node, true, "MaintenanceStuck",
        fmt::format("Blocked for {} min: {}. Manual action is needed",
                    std::chrono::duration_cast<std::chrono::minutes>(now - *drain.blocked_since).count(), words),
        step);
  }
}

void Maintenance::take_back(const MaintenanceNode& node, MaintenanceStep& step) {
  const bool was_ours = is_ours(node);
  if (node.uses_conditions && (was_ours || drains_.contains(node.name))) step.conditions_to_clear.insert(node.name);
  if (was_ours && node.unschedulable) {
    step.writes.push_back({NodeAction::Uncordon, node.name, node.version});
    add_activity(node, false, "MaintenanceEnded", "The node is uncordoned", step);
  } else if (was_ours || node.cordoned_by == kReleased) {
    step.writes.push_back({NodeAction::DropMark, node.name, node.version});
    add_activity(node, false, "MaintenanceEnded", "The node was uncordoned by another client", step);
  } else if (drains_.contains(node.name)) {
    add_activity(node, false, "MaintenanceEnded",
                 node.unschedulable ? "The node stays cordoned: another client cordoned it" : "The node is uncordoned",
                 step);
  }
  report_status(node, "", step);
  drains_.erase(node.name);
  reported_refused_.erase(node.name);
}

std::string cordon_patch(const NodeWrite& write, std::string_view name) {
  boost::json::object annotations;
  if (write.action == NodeAction::Cordon) annotations[kCordonedByKey] = name;
  if (write.action == NodeAction::MarkReleased) annotations[kCordonedByKey] = kReleased;
  if (write.action == NodeAction::Uncordon || write.action == NodeAction::DropMark)
    annotations[kCordonedByKey] = nullptr;
  if (write.status) annotations[kDrainStatusKey] = nullptr;
  if (write.status && !write.status->empty()) annotations[kDrainStatusKey] = *write.status;
  boost::json::object metadata;
  if (write.action != NodeAction::Report) metadata["resourceVersion"] = write.version;
  metadata["annotations"] = std::move(annotations);
  boost::json::object patch;
  patch["metadata"] = std::move(metadata);
  if (write.action == NodeAction::Cordon) patch["spec"] = boost::json::object{{"unschedulable", true}};
  if (write.action == NodeAction::Uncordon) patch["spec"] = boost::json::object{{"unschedulable", nullptr}};
  return boost::json::serialize(patch);
}

}  // namespace rescheduler::rescheduling
