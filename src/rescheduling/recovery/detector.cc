#include "rescheduling/recovery/detector.h"

#include <algorithm>

#include <fmt/format.h>

#include "cluster/objects/nodes.h"
#include "cluster/objects/pods.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/duration.h"
#include "kube/value/time.h"

namespace rescheduler::rescheduling::recovery {
namespace {

using config::DurationRule;
using config::RestartRule;

constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";
// As in the node lifecycle controller: if this share of a zone is lost, the nodes are not the cause.
constexpr std::size_t kFailingZonePercent = 55;
constexpr std::size_t kLeastNodesOfAZone = 3;

const std::set<std::string, std::less<>> kPullReasons = {
    "ErrImagePull",        "ImagePullBackOff", "ImageInspectError",        "ErrImageNeverPull",
    "RegistryUnavailable", "InvalidImageName", "SignatureValidationFailed"};
const std::set<std::string, std::less<>> kContainerReasons = {
    "CreateContainerConfigError", "CreateContainerError", "RunContainerError", "PreCreateHookError",
    "PreStartHookError",          "PostStartHookError",   "StartError",        "ContainerCannotRun"};

template <class Statuses>
std::uint32_t sum_of_restarts(const Statuses& statuses) {
  std::uint32_t sum = 0;
  for (const auto& status : statuses) sum += static_cast<std::uint32_t>(std::max(0, status.restart_count()));
  return sum;
}

std::uint32_t within(const auto& restarts, std::chrono::nanoseconds window, WallTime now) {
  std::uint32_t sum = 0;
  for (const auto& one : restarts) {
    if (one.at + window > now) sum += one.count;
  }
  return sum;
}

}  // namespace

std::string_view to_string(Symptom symptom) {
  switch (symptom) {
    case Symptom::CrashLoop: return "crashLoop";
    case Symptom::InitFailure: return "initFailure";
    case Symptom::ImagePull: return "imagePull";
    case Symptom::ContainerError: return "containerError";
    case Symptom::StuckCreating: return "stuckCreating";
    case Symptom::Failed: return "failed";
    case Symptom::NodeLost: return "nodeLost";
    case Symptom::Unknown: return "unknown";
  }
  return "?";
}

NodeBlame blame_of(Symptom symptom) {
  switch (symptom) {
    case Symptom::NodeLost:
    case Symptom::Unknown: return NodeBlame::None;
    case Symptom::Failed: return NodeBlame::Node;
    case Symptom::CrashLoop:
    case Symptom::InitFailure:
    case Symptom::ImagePull:
    case Symptom::ContainerError:
    case Symptom::StuckCreating: break;
  }
  return NodeBlame::IfOnlyHere;
}

// The conditions that hold now, from the container statuses.
void Detector::look_at_containers(const api::Pod& pod,
                                  Watched& watched,
                                  std::map<Symptom, std::string>& now_holds) const {
  const auto look = [&](const api::ContainerStatus& status, bool init) {
    if (!status.state().has_waiting()) return;
    const std::string& reason = status.state().waiting().reason();
    if (reason == "CrashLoopBackOff") {
      now_holds[init ? Symptom::InitFailure : Symptom::CrashLoop] =
          fmt::format("{} {}", init ? "init container" : "container", status.name());
    } else if (kPullReasons.contains(reason)) {
      now_holds[Symptom::ImagePull] = fmt::format("container {}: {}", status.name(), reason);
    } else if (kContainerReasons.contains(reason)) {
      now_holds[Symptom::ContainerError] = fmt::format("container {}: {}", status.name(), reason);
    }
  };
  for (const auto& status : pod.status().init_container_statuses()) look(status, true);
  for (const auto& status : pod.status().container_statuses()) look(status, false);
  // Bound, but no container has ever started: problems with volumes, sandbox or kubelet.
  const auto begun = [](const api::ContainerStatus& status) {
    return status.state().has_running() || status.state().has_terminated() || status.restart_count() > 0;
  };
  const bool any_begun = std::ranges::any_of(pod.status().container_statuses(), begun)
                         || std::ranges::any_of(pod.status().init_container_statuses(), begun);
  if (watched.bound && pod.status().phase() == "Pending" && !any_begun && now_holds.empty()) {
    now_holds[Symptom::StuckCreating] = "no container was started";
  }
}

void Detector::count_restarts(const api::Pod& pod, Watched& watched, bool first, WallTime now) const {
  const auto count = [&](std::uint32_t seen, std::uint32_t& known, std::vector<Restarts>& all,
                         std::chrono::nanoseconds window) {
    // The times of restarts before our first observation are unknown. If the pod is younger than the window, all its
    // restarts are within the window.
    const WallTime started = kube::wall_time(pod.status().start_time());
    if (seen > known) {
      const bool all_recent = !first || started + window > now;
      all.push_back({now, all_recent ? seen - known : 1});
    }
    known = std::max(known, seen);
    std::erase_if(all, [&](const Restarts& one) { return one.at + window <= now; });
  };
  count(sum_of_restarts(pod.status().container_statuses()), watched.restart_count, watched.restarts,
        rules_.crash_loop.window);
  count(sum_of_restarts(pod.status().init_container_statuses()), watched.init_restart_count, watched.init_restarts,
        rules_.init_failure.window);
}

void Detector::upsert_pod(const api::Pod& pod, WallTime now) {
  const std::string& uid = pod.metadata().uid();
  const auto [place, added] = watched_.try_emplace(uid);
  Watched& watched = place->second;
  const auto well = well_.find(uid);
  const bool first = added && well == well_.end();
  if (well != well_.end()) {
    watched.well_since = well->second;
    well_.erase(well);
  }
  watched.ns = pod.metadata().namespace_();
  watched.name = pod.metadata().name();
  watched.node = pod.spec().node_name();
  watched.bound = !watched.node.empty();
  watched.leaving = cluster::is_terminating(pod.metadata());
  const std::string& phase = pod.status().phase();
  watched.over = cluster::is_finished(pod);
  count_restarts(pod, watched, first, now);

  watched.not_ready = !cluster::is_ready(pod);
  if (watched.not_ready || watched.over) {
    watched.well_since.reset();
  } else if (!watched.well_since) {
    watched.well_since = now;
  }
  std::map<Symptom, std::string> holds;
  if (!watched.over) look_at_containers(pod, watched, holds);
  if (phase == "Failed"
      && std::ranges::find(rules_.failed.reasons, pod.status().reason()) != rules_.failed.reasons.end()) {
    holds[Symptom::Failed] = fmt::format("the pod failed: {}", pod.status().reason());
  }
  if (phase == "Unknown") holds[Symptom::Unknown] = "the phase of the pod is Unknown";
  // While a container is started again, it has no waiting reason. So a crash loop is judged by restarts, not by a
  // lasting state.
  std::erase_if(watched.since, [&](const auto& one) { return !holds.contains(one.first); });
  for (auto& [symptom, detail] : holds) {
    watched.since.try_emplace(symptom, now);
    watched.detail[symptom] = std::move(detail);
  }
  if (!watched.is_well()) return;
  well_.insert_or_assign(uid, *watched.well_since);
  watched_.erase(place);
}

void Detector::remove_pod(const std::string& uid) {
  watched_.erase(uid);
  well_.erase(uid);
}

void Detector::upsert_node(const api::Node& node, WallTime now) {
  WatchedNode& watched = nodes_[node.metadata().name()];
  watched.zone = cluster::zone_of(node);
  if (cluster::is_ready(node)) {
    watched.lost_since.reset();
  } else if (!watched.lost_since) {
    watched.lost_since = now;
  }
  watched.out_of_service =
      std::ranges::any_of(node.spec().taints(), [](const api::Taint& taint) { return taint.key() == kOutOfService; });
}

void Detector::remove_node(const std::string& name) { nodes_.erase(name); }

bool Detector::is_out_of_service(const std::string& node) const {
  const auto found = nodes_.find(node);
  return found != nodes_.end() && found->second.out_of_service;
}

bool Detector::zone_is_failing(const std::string& zone) const {
  std::size_t all = 0;
  std::size_t away = 0;
  for (const auto& [name, node] : nodes_) {
    if (node.zone != zone) continue;
    ++all;
    if (node.lost_since && !node.out_of_service) ++away;
  }
  return away >= kLeastNodesOfAZone && away * 100 >= all * kFailingZonePercent;
}

// On a dead node the container statuses stay "running"; only Ready becomes false.
std::optional<WallTime> Detector::lost(const Watched& watched) const {
  const auto node = nodes_.find(watched.node);
  if (node == nodes_.end() || !node->second.lost_since || !watched.not_ready || watched.over) return std::nullopt;
  if (zone_is_failing(node->second.zone)) return std::nullopt;
  return node->second.lost_since;
}

std::optional<Finding> Detector::judge(const std::string& uid, const Watched& watched, WallTime now) const {
  if (!watched.bound || watched.leaving) return std::nullopt;
  const auto found = [&](Symptom symptom, WallTime since, std::string detail) {
    return Finding{watched.ns, watched.name, uid, watched.node, symptom, std::move(detail), since};
  };
  const auto restarting = [&](Symptom symptom, const RestartRule& rule,
                              const auto& restarts) -> std::optional<Finding> {
    const auto since = watched.since.find(symptom);
    if (!rule.enabled || since == watched.since.end()) return std::nullopt;
    const std::uint32_t count = within(restarts, rule.window, now);
    if (count < rule.restarts) return std::nullopt;
    return found(symptom, since->second,
                 fmt::format("{} was restarted {} times within {} and is in CrashLoopBackOff",
                             watched.detail.at(symptom), count, kube::format_duration(rule.window)));
  };
  const auto lasting = [&](Symptom symptom, const DurationRule& rule) -> std::optional<Finding> {
    const auto since = watched.since.find(symptom);
    if (!rule.enabled || since == watched.since.end() || since->second + rule.after > now) return std::nullopt;
    return found(symptom, since->second,
                 fmt::format("{} for {}", watched.detail.at(symptom), kube::format_duration(rule.after)));
  };
  if (auto is = lasting(Symptom::Failed, rules_.failed.rule)) return is;
  if (watched.over) return std::nullopt;
  if (const auto since = lost(watched); since && rules_.node_lost.enabled && *since + rules_.node_lost.after <= now) {
    return found(Symptom::NodeLost, *since,
                 fmt::format("its node has not been ready for {}", kube::format_duration(rules_.node_lost.after)));
  }
  if (auto is = lasting(Symptom::Unknown, rules_.unknown)) return is;
  if (auto is = restarting(Symptom::CrashLoop, rules_.crash_loop, watched.restarts)) return is;
  if (auto is = restarting(Symptom::InitFailure, rules_.init_failure, watched.init_restarts)) return is;
  if (auto is = lasting(Symptom::ImagePull, rules_.image_pull)) return is;
  if (auto is = lasting(Symptom::ContainerError, rules_.container_error)) return is;
  return lasting(Symptom::StuckCreating, rules_.stuck_creating);
}

std::vector<Finding> Detector::failing(WallTime now) const {
  std::vector<Finding> all;
  for (const auto& [uid, watched] : watched_) {
    if (auto is = judge(uid, watched, now)) all.push_back(std::move(*is));
  }
  return all;
}

std::optional<Finding> Detector::failing(const std::string& uid, WallTime now) const {
  const auto found = watched_.find(uid);
  return found == watched_.end() ? std::nullopt : judge(uid, found->second, now);
}

std::optional<WallTime> Detector::well_since(const std::string& uid) const {
  if (const auto well = well_.find(uid); well != well_.end()) return well->second;
  const auto found = watched_.find(uid);
  return found == watched_.end() ? std::nullopt : found->second.well_since;
}

bool Detector::well_for(const std::string& uid, std::chrono::nanoseconds duration, WallTime now) const {
  const auto since = well_since(uid);
  if (!since || *since + duration > now) return false;
  const auto found = watched_.find(uid);
  if (found == watched_.end()) return true;
  const Watched& pod = found->second;
  return pod.bound && !pod.leaving && pod.since.empty() && within(pod.restarts, rules_.crash_loop.window, now) == 0
         && within(pod.init_restarts, rules_.init_failure.window, now) == 0;
}

}  // namespace rescheduler::rescheduling::recovery
