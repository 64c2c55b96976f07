// The views of DashboardModel: the overview, a node, pods, recovery, maintenance.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "dashboard/dashboard_model.h"
#include "kube/codec/json_words.h"
#include "kube/proto/core_node.pb.h"
#include "kube/value/time.h"

namespace rescheduler::dashboard {
namespace {

using rescheduling::Brake;
using rescheduling::recovery::SlotStatus;

std::string_view mode_word(config::StrategyMode mode) {
  switch (mode) {
    case config::StrategyMode::Off: return "off";
    case config::StrategyMode::Observe: return "observe";
    case config::StrategyMode::Act: return "act";
  }
  return "off";
}

std::string slot_json(const SlotStatus& one) {
  return fmt::format(
      R"({{"namespace":{},"kind":{},"name":{},"slot":{},"attempts":{},"allowed":{},"visited":{},"verdict":{},"sentence":{}}})",
      kube::json_string(one.ns), kube::json_string(one.kind), kube::json_string(one.name), kube::json_string(one.slot),
      one.attempts, one.allowed,
      kube::json_array(one.visited,
                       [](const auto& visit) {
                         return fmt::format(R"({{"node":{},"at":{}}})", kube::json_string(visit.first),
                                            kube::json_time(visit.second));
                       }),
      kube::json_string(one.verdict), kube::json_string(one.sentence));
}

// What the last plans decided about these pods. Pods that no plan considered are missing.
using Movable = std::map<std::string, std::string>;  // by ns/name: empty, or the reason why the pod cannot move

Movable movable(const rescheduling::ControllerStatus* status, const std::set<std::string>& keys) {
  Movable found;
  if (status == nullptr) return found;
  for (const auto& plan : {status->observed, status->acted_on}) {
    if (!plan) continue;
    for (const rescheduling::UnmovedPod& one : plan->refused) {
      const std::string key = one.ns + "/" + one.pod;
      if (keys.contains(key)) found[key] = one.reason;
    }
    for (const rescheduling::PlannedMove& one : plan->moves) {
      const std::string key = one.ns + "/" + one.pod;
      if (keys.contains(key)) found[key].clear();
    }
  }
  return found;
}

std::string row_of(const PodEntry& pod, const Movable& movable) {
  const auto verdict = movable.find(std::string(pod.key()));
  const std::string movable_json = verdict == movable.end()
                                       ? "null"
                                       : fmt::format(R"({{"allowed":{},"reason":{}}})", verdict->second.empty(),
                                                     kube::json_string_or_null(verdict->second));
  const std::string owner = pod.owner_kind().empty()
                                ? "null"
                                : fmt::format(R"({{"kind":{},"name":{}}})", kube::json_string(pod.owner_kind()),
                                              kube::json_string(pod.owner_name()));
  return fmt::format(
      R"({{"namespace":{},"name":{},"node":{},"owner":{},"phase":{},"ready":{},"failing":{},"cpuRequested":{},)"
      R"("memoryRequested":{},"priority":{},"created":{},"movable":{}}})",
      kube::json_string(pod.ns()), kube::json_string(pod.name()), kube::json_string_or_null(pod.node()), owner,
      kube::json_string(pod.phase()), pod.ready, pod.failing, pod.cpu, pod.memory, pod.priority,
      kube::json_time(pod.created), movable_json);
}

bool is_ours(std::string_view taint) {
  return taint.starts_with("rescheduler.io/") || taint == "node.kubernetes.io/unschedulable";
}

}  // namespace

std::string quarantine_json(const std::string& node, const QuarantineView& view) {
  return fmt::format(R"({{"node":{},"state":{},"until":{},"why":{}}})", kube::json_string(node),
                     kube::json_string(view.state), kube::json_time(view.until), kube::json_string(view.why));
}

// The balance that the controller computed last, so that the page and the plans show the same number.
cluster::Balance DashboardModel::balance() const {
  const auto* now = status();
  if (now == nullptr || now->cycles == 0 || now->balance_report.nodes.empty())
    return cluster_view_.balance(settings_.weights);
  return now->balance_report.balance;
}

std::string DashboardModel::brakes_json() const {
  const auto* now = status();
  if (now == nullptr) return "[]";
  return kube::json_array(now->holding, [](const rescheduling::ActiveBrake& one) {
    return fmt::format(R"({{"name":{},"sentence":{}}})", kube::json_string(to_string(one.brake)),
                       kube::json_string(one.sentence));
  });
}

std::string DashboardModel::paused_json() const {
  const auto* now = status();
  if (now == nullptr) return "null";
  const bool holds =
      std::ranges::any_of(now->holding, [](const auto& one) { return one.brake == Brake::Paused && !one.only; });
  if (!holds && !now->paused) return "null";
  const rescheduling::Pause pause = now->paused.value_or(rescheduling::Pause{});
  return fmt::format(R"({{"by":{},"since":{},"reason":{}}})", kube::json_string_or_null(pause.by),
                     kube::json_string_or_null(pause.since), kube::json_string_or_null(pause.reason));
}

std::string DashboardModel::strategies_json() const {
  if (!sources_.modes) return "[]";
  const auto* now = status();
  return kube::json_array(sources_.modes(), [now](const auto& one) {
    const auto& [strategy, mode] = one;
    std::string sentence;
    for (const rescheduling::ActiveBrake& held :
         now == nullptr ? std::vector<rescheduling::ActiveBrake>() : now->holding) {
      if (held.only && *held.only == strategy) sentence = held.sentence;
    }
    return fmt::format(R"({{"name":{},"mode":"{}","sentence":{}}})", kube::json_string(to_string(strategy)),
                       mode_word(mode), kube::json_string_or_null(sentence));
  });
}

std::string DashboardModel::load_json() const {
  const ClusterView::LoadStatus& load = cluster_view_.load();
  const auto sentence = sources_.load_sentence ? sources_.load_sentence() : std::nullopt;
  if (load.source.empty()) {
    return fmt::format(R"({{"source":null,"fresh":false,"ageSeconds":null,"sentence":{}}})",
                       kube::json_string(sentence.value_or("node load is not measured yet")));
  }
  const auto age = std::max(clock_.wall_now() - load.at, std::chrono::nanoseconds{0});
  const bool fresh = load.measured && age <= settings_.load_freshness;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
  return fmt::format(R"({{"source":{},"fresh":{},"ageSeconds":{},"sentence":{}}})", kube::json_string(load.source),
                     fresh, seconds,
                     kube::json_string(sentence.value_or(load.measured ? "measured" : "nodes are judged by requests")));
}

std::string DashboardModel::overview_but_time() const {
  const ClusterView::Counts& counts = cluster_view_.counts();
  const MigrationView::Counts& moves = migrations_.counts();
  const cluster::Balance even = balance();
  const LeaderStatus leader = sources_.leader ? sources_.leader() : LeaderStatus{true, {}};
  return fmt::format(
      R"("api":{{"reachable":{},"since":{},"problem":{}}},"leader":{{"here":{},"name":{}}},)"
      R"("nodes":{{"total":{},"ready":{},"unschedulable":{}}},"pods":{{"total":{},"pending":{},"failing":{}}},)"
      R"("balance":{{"score":{},"cpuDeviation":{},"memoryDeviation":{},"cpuMax":{},"memoryMax":{}}},)"
      R"("load":{},"brakes":{},"paused":{},"strategies":{},)"
      R"("moves":{{"underWay":{},"succeeded":{},"failed":{}}},"speed":{})",
      reachable_, kube::json_time(reachable_since_), kube::json_string_or_null(problem_), leader.here,
      kube::json_string_or_null(leader.name), counts.nodes, counts.ready, counts.unschedulable, counts.pods,
      counts.pending, counts.failing, kube::json_number(even.score), kube::json_number(even.cpu_deviation),
      kube::json_number(even.memory_deviation), kube::json_number(even.cpu_max), kube::json_number(even.memory_max),
      load_json(), brakes_json(), paused_json(), strategies_json(), moves.under_way, moves.succeeded, moves.failed,
      kube::json_number(settings_.speed));
}

std::string DashboardModel::overview() const {
  return fmt::format(R"({{"at":{},{}}})", kube::json_time(clock_.wall_now()), overview_but_time());
}

std::string DashboardModel::pod_rows(const std::vector<const PodEntry*>& pods) const {
  std::set<std::string> keys;
  for (const PodEntry* pod : pods) keys.emplace(pod->key());
  const Movable verdicts = movable(status(), keys);
  return kube::json_array(pods, [&verdicts](const PodEntry* pod) { return row_of(*pod, verdicts); });
}

std::string DashboardModel::pod_row(const PodEntry& pod) const {
  return row_of(pod, movable(status(), {std::string(pod.key())}));
}

std::optional<std::string> DashboardModel::node(std::string_view name) const {
  const NodeEntry* node = cluster_view_.node(name);
  if (node == nullptr) return std::nullopt;
  const std::string maintenance = node->maintenance ? maintenance_of(name) : "null";
  const std::string quarantine =
      node->quarantine.state.empty() ? "null" : quarantine_json(node->name, node->quarantine);
  const api::Node details = details_of(*node);
  const auto& labels = details.metadata().labels();
  std::map<std::string, std::string> allocatable;
  for (const auto& [resource, quantity] : details.status().allocatable()) allocatable[resource] = quantity.string();
  return fmt::format(
      R"({{"row":{},"labels":{},"taints":{},"conditions":{},"allocatable":{},"pods":{},"maintenance":{},"quarantine":{}}})",
      row_json(*node), kube::json_texts(std::map<std::string, std::string>(labels.begin(), labels.end())),
      kube::json_array(details.spec().taints(),
                       [](const api::Taint& taint) {
                         return fmt::format(R"({{"key":{},"value":{},"effect":{},"ours":{}}})",
                                            kube::json_string(taint.key()), kube::json_string(taint.value()),
                                            kube::json_string(taint.effect()), is_ours(taint.key()));
                       }),
      kube::json_array(details.status().conditions(),
                       [](const api::NodeCondition& one) {
                         return fmt::format(R"({{"type":{},"status":{},"reason":{},"message":{},"since":{}}})",
                                            kube::json_string(one.type()), kube::json_string(one.status()),
                                            kube::json_string(one.reason()), kube::json_string(one.message()),
                                            kube::json_time(kube::wall_time(one.last_transition_time())));
                       }),
      kube::json_texts(allocatable), pod_rows(node->pods), maintenance, quarantine);
}

std::string DashboardModel::pods(const PodQuery& query) const {
  const auto [found, total] = cluster_view_.find(query);
  return fmt::format(R"({{"total":{},"pods":{}}})", total, pod_rows(found));
}

std::string DashboardModel::recovery() const {
  const bool enabled = static_cast<bool>(sources_.recovery);
  const auto slots = enabled ? sources_.recovery() : std::vector<SlotStatus>();
  std::string confined;
  for (const auto& [name, node] : cluster_view_.nodes()) {
    if (!node.exists || node.quarantine.state.empty()) continue;
    confined += fmt::format("{}{}", confined.empty() ? "" : ",", quarantine_json(name, node.quarantine));
  }
  return fmt::format(R"({{"enabled":{},"lineages":{},"quarantined":[{}]}})", enabled,
                     kube::json_array(slots, slot_json), confined);
}

std::string DashboardModel::attempts_of(const PodEntry& pod) const {
  if (!sources_.recovery) return "null";
  const auto slots = sources_.recovery();
  const SlotStatus* best = nullptr;
  for (const SlotStatus& one : slots) {
    const bool its_own = one.kind == "Pod" && one.name == pod.name();
    const bool its_workload = one.kind == pod.owner_kind() && one.name == pod.owner_name()
                              && (one.kind != "StatefulSet" || one.slot == pod.name())
                              && (one.kind != "DaemonSet" || one.slot == pod.node());
    if (one.ns != pod.ns() || (!its_own && !its_workload)) continue;
    if (best == nullptr || one.attempts > best->attempts) best = &one;
  }
  return best == nullptr ? "null" : slot_json(*best);
}

std::string DashboardModel::maintenance_of(std::string_view name) const {
  const auto* now = status();
  const NodeEntry* node = cluster_view_.node(name);
  std::string_view state = "waiting";
  std::size_t total = node == nullptr ? 0 : node->live_pods;
  std::size_t left = total;
  std::string eta = "null";
  std::vector<std::string> blockers;
  std::vector<std::string> staying;
  if (now != nullptr) {
    const auto cared = std::ranges::find(now->maintenance_nodes, name, &rescheduling::MaintenanceNode::name);
    if (cared != now->maintenance_nodes.end()) {
      blockers = cared->blockers;
      staying = cared->staying;
      total = left = cared->to_leave;
      if (!blockers.empty()) state = "blocked";
    }
    const auto drain = now->drains.find(std::string(name));
    if (drain != now->drains.end()) {
      const rescheduling::DrainProgress& progress = drain->second;
      state = progress.drained ? "drained" : progress.blocked ? "blocked" : "draining";
      total = progress.total;
      left = progress.left;
      if (progress.eta) eta = fmt::to_string(progress.eta->count());
    }
  }
  return fmt::format(R"({{"node":{},"state":"{}","total":{},"left":{},"etaSeconds":{},"blockers":{},"staying":{}}})",
                     kube::json_string(name), state, total, left, eta, kube::json_array(blockers, kube::json_string),
                     kube::json_array(staying, kube::json_string));
}

std::string DashboardModel::maintenance() const {
  std::vector<std::string> marked;
  for (const auto& [name, node] : cluster_view_.nodes()) {
    if (node.exists && node.maintenance) marked.push_back(name);
  }
  return fmt::format(R"({{"nodes":{}}})",
                     kube::json_array(marked, [this](const std::string& name) { return maintenance_of(name); }));
}

}  // namespace rescheduler::dashboard
