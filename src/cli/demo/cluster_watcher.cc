#include "cli/demo/cluster_watcher.h"

#include <algorithm>

#include <fmt/core.h>

#include "cli/view/text.h"
#include "cluster/objects/nodes.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/load/load_model.h"
#include "sim/server/conditions.h"

namespace rescheduler::cli {
namespace {

constexpr std::size_t kMostTail = 200;
constexpr std::size_t kMostLosses = 1000;  // per owner
// A pod that is created later than this after the loss of another is new, not a replacement.
constexpr std::chrono::seconds kReplacedWithin{120};

// Balance score of the current usage of the ready nodes.
double score_of(const std::vector<NodeRow>& nodes) {
  std::vector<double> cpu;
  std::vector<double> memory;
  for (const NodeRow& node : nodes) {
    if (node.health != NodeRow::Health::Ready) continue;
    cpu.push_back(node.cpu.used_share());
    memory.push_back(node.memory.used_share());
  }
  if (cpu.empty()) return ViewState{}.balance;
  return cluster::balance_of(cluster::spread_of(cpu), cluster::spread_of(memory), {}).score;
}

}  // namespace

ClusterWatcher::ClusterWatcher(sim::EmbeddedCluster& cluster, sim::ScenarioRunner& runner)
    : cluster_(cluster),
      runner_(runner),
      rooms_(cluster.server()),
      nodes_(natural_less),
      started_(cluster.agenda().steady_now()),
      changed_(started_) {
  sim::Store& store = cluster.server().store();
  on_pods_ = store.subscribe(&cluster.server().kinds().of<api::Pod>(), [this](const sim::Change& c) { on_pod(c); });
  on_nodes_ = store.subscribe(&cluster.server().kinds().of<api::Node>(), [this](const sim::Change& c) { on_node(c); });
  runner.on_activity([this](const sim::ScenarioActivity& activity) { on_activity(activity); });
}

ClusterWatcher::~ClusterWatcher() { runner_.on_activity({}); }

std::chrono::seconds ClusterWatcher::elapsed() const {
  return std::chrono::floor<std::chrono::seconds>(cluster_.agenda().steady_now() - started_);
}

std::chrono::nanoseconds ClusterWatcher::quiet_for() const { return cluster_.agenda().steady_now() - changed_; }

void ClusterWatcher::push_line(std::string text, bool warning) {
  if (tail_.size() == kMostTail) tail_.erase(tail_.begin());
  tail_.push_back({elapsed(), std::move(text), warning});
  ++lines_;
}

void ClusterWatcher::on_activity(const sim::ScenarioActivity& activity) { push_line(activity.text, activity.warning); }

void ClusterWatcher::count(PodState state, int by) {
  switch (state) {
    case PodState::Pending: counts_.pending += by; break;
    case PodState::Starting: counts_.starting += by; break;
    case PodState::Running: counts_.running += by; break;
    case PodState::Stopping: counts_.stopping += by; break;
    case PodState::Failed: counts_.failed += by; break;
    case PodState::Done: break;
  }
}

void ClusterWatcher::on_pod(const sim::Change& change) {
  const auto pod = change.after->as<api::Pod>();
  const std::string key = pod->metadata().namespace_() + "/" + pod->metadata().name();
  if (change.what == sim::Change::What::Deleted) return forget(key);
  const bool stopping = pod->metadata().has_deletion_timestamp();
  const PodState state = pod->status().phase() == "Failed"      ? PodState::Failed
                         : pod->status().phase() == "Succeeded" ? PodState::Done
                         : stopping                             ? PodState::Stopping
                         : pod->spec().node_name().empty()      ? PodState::Pending
                         : sim::is_ready(*pod)                  ? PodState::Running
                                                                : PodState::Starting;
  auto [place, added] = pods_.try_emplace(key);
  Pod& mine = place->second;
  if (added) {
    const api::OwnerReference* controller = sim::controller_of(pod->metadata());
    mine.owner = controller != nullptr ? controller->uid() : key;
    count(mine.state, 1);
  }
  if (mine.node != pod->spec().node_name()) {
    mine.node = pod->spec().node_name();
    ++nodes_[mine.node].pods;
    placed(key, mine);
  }
  if (mine.state == state && !added) return;
  count(mine.state, -1);
  count(state, 1);
  if (is_over(state) && !is_over(mine.state) && !mine.node.empty()) --nodes_[mine.node].pods;
  if (state == PodState::Stopping) lost(mine);
  mine.state = state;
  changed_ = cluster_.agenda().steady_now();
}

void ClusterWatcher::placed(const std::string& key, const Pod& pod) {
  const auto found = losses_.find(pod.owner);
  if (found == losses_.end()) return;
  const SteadyTime now = cluster_.agenda().steady_now();
  std::deque<Loss>& losses = found->second;
  while (!losses.empty() && losses.front().at + kReplacedWithin < now) losses.pop_front();
  if (!losses.empty()) {
    if (losses.front().node != pod.node) {
      ++moves_;
      push_line(fmt::format("moved: {} {} -> {}", key, losses.front().node, pod.node), false);
    }
    losses.pop_front();
  }
  if (losses.empty()) losses_.erase(found);
}

// A loss counts from the start of the deletion, because on a dead node the deletion can take very long.
void ClusterWatcher::lost(const Pod& pod) {
  if (pod.node.empty()) return;
  std::deque<Loss>& losses = losses_[pod.owner];
  losses.push_back({pod.node, cluster_.agenda().steady_now()});
  if (losses.size() > kMostLosses) losses.pop_front();
}

void ClusterWatcher::forget(const std::string& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  const Pod& pod = found->second;
  count(pod.state, -1);
  if (!pod.node.empty() && !is_over(pod.state)) {
    --nodes_[pod.node].pods;
    if (pod.state != PodState::Stopping) lost(pod);
  }
  pods_.erase(found);
  changed_ = cluster_.agenda().steady_now();
}

void ClusterWatcher::on_node(const sim::Change& change) {
  const auto node = change.after->as<api::Node>();
  const std::string& name = node->metadata().name();
  if (change.what == sim::Change::What::Deleted) {
    if (nodes_[name].pods == 0) {
      nodes_.erase(name);
    } else {
      nodes_[name].seen = false;
    }
    changed_ = cluster_.agenda().steady_now();
    return push_line("node " + name + " is gone", true);
  }
  using enum NodeRow::Health;
  const NodeRow::Health health = !cluster::is_ready(*node) ? NotReady : node->spec().unschedulable() ? Cordoned : Ready;
  Node& mine = nodes_[name];
  const bool first = !std::exchange(mine.seen, true);
  const NodeRow::Health before = std::exchange(mine.health, health);
  if (first || before == health) return;
  changed_ = cluster_.agenda().steady_now();
  if (!runner_.begun()) return;  // no lines about each node while the cluster starts
  if (health == NotReady) push_line("node " + name + " is not ready", true);
  if (before == NotReady) push_line("node " + name + " is ready again", false);
}

ViewState ClusterWatcher::view_state() {
  ViewState state;
  state.scenario = runner_.scenario().name;
  state.description = runner_.scenario().description;
  state.elapsed = elapsed();
  state.pods = counts_;
  state.moves = moves_;
  state.events_left = runner_.events_left();
  state.tail = tail_;
  state.lines = lines_;
  constexpr double kMicro = 1e6;
  constexpr double kMilli = 1e3;
  for (const auto& [name, node] : nodes_) {
    if (!node.seen) continue;
    NodeRow& line = state.nodes.emplace_back();
    line.name = name;
    line.health = node.health;
    line.pods = node.pods;
    if (const sim::NodeRoom* room = rooms_.find(name)) {
      line.cpu = {0, static_cast<double>(room->used.cpu) / kMilli, static_cast<double>(room->allocatable.cpu) / kMilli};
      line.memory = {0, static_cast<double>(room->used.memory), static_cast<double>(room->allocatable.memory)};
    }
    if (const auto usage = cluster_.load().node_usage(name)) {
      line.cpu.used = static_cast<double>(usage->cpu) / kMicro;
      line.memory.used = static_cast<double>(usage->memory);
      if (usage->cpu_capacity > 0) line.cpu.capacity = static_cast<double>(usage->cpu_capacity) / kMicro;
      if (usage->memory_capacity > 0) line.memory.capacity = static_cast<double>(usage->memory_capacity);
    }
  }
  const cluster::Balance* judged = judge_ ? judge_() : nullptr;
  state.balance = judged != nullptr && judged->known() ? judged->score : score_of(state.nodes);
  return state;
}

}  // namespace rescheduler::cli
