#include "sim/load/load_model.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/load/sharing.h"

namespace rescheduler::sim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr Millis kFreshPod = 10'000;          // a younger pod has no sample yet, as in metrics-server
constexpr std::int64_t kLeastWeight = 2'000;  // the minimum of cgroup shares: 2/1000 of a core

// 17 of 20 parts of busy time are user time. One part in 200 of idle time is iowait.
constexpr std::int64_t kUserParts = 17, kBusyParts = 20, kIdlePerIowait = 200;

// The kernel samples the run queue every 5 s: exp(-5/60), exp(-5/300), exp(-5/900).
constexpr Millis kLoadTick = 5'000;
constexpr std::array<double, 3> kLoadDecay{0.920044414629323, 0.983471453821617, 0.994459848001162};

std::int64_t part(std::int64_t whole, std::int64_t ppm) {
  if (ppm == kMillion) return whole;
  return static_cast<std::int64_t>(static_cast<double>(whole) * (static_cast<double>(ppm) / kMillion));
}

// Advances a counter at a constant rate from `from` to `to`, with its values at the ends of the last two windows.
void grow(std::int64_t& total, std::array<std::int64_t, 2>& marks, std::int64_t rate, Millis from, Millis to) {
  const Millis last = to - to % LoadModel::kWindow;
  if (last > from) {
    const Millis before = last - LoadModel::kWindow;
    marks[0] = before > from ? total + rate * (before - from) : before == from ? total : marks[1];
    marks[1] = total + rate * (last - from);
  }
  total += rate * (to - from);
}

}  // namespace

struct LoadModel::Rates {
  std::vector<CpuClaim> claims;
  std::vector<std::int64_t> demands;  // before limits
  Millis until = kForever;
  std::int64_t demand = 0;
  std::int64_t busy = 0;
  std::int64_t waiting_ppm = 0;
};

LoadModel::LoadModel(const Clock& clock, SeriesLibrary library, LoadSettings settings)
    : clock_(clock),
      settings_(std::move(settings)),
      library_(std::move(library)),
      shapes_(library_, settings_.defaults),
      rates_(std::make_unique<Rates>()) {}

LoadModel::~LoadModel() = default;

Millis LoadModel::now() const {
  return std::chrono::floor<std::chrono::milliseconds>(clock_.wall_now()).time_since_epoch().count();
}

LoadModel::Node* LoadModel::find_node(std::string_view name) {
  const auto found = node_index_.find(name);
  if (found == node_index_.end() || !nodes_[found->second].on) return nullptr;
  return &nodes_[found->second];
}

LoadModel::Pod* LoadModel::find_pod(std::string_view ns, std::string_view name) {
  const auto found = pod_index_.find(fmt::format("{}/{}", ns, name));
  return found == pod_index_.end() ? nullptr : &pods_[found->second];
}

std::int64_t LoadModel::system_cpu(const Node& node) const {
  return std::min(settings_.system_cpu, node.cpu_capacity / 10);
}

std::int64_t LoadModel::system_memory(const Node& node) const {
  return std::min(settings_.system_memory, node.memory_capacity / 10);
}

// --- called by the kubelets ---

void LoadModel::node_on(std::string_view name, std::int64_t cpu_capacity, std::int64_t memory_capacity) {
  const auto [place, added] = node_index_.try_emplace(std::string(name), static_cast<std::uint32_t>(nodes_.size()));
  if (added) nodes_.emplace_back().name = name;
  Node& node = nodes_[place->second];
  if (node.on) {
    advance(node, now());
  } else {
    node = Node{};
    node.name = name;
    node.on = true;
    node.boot = node.now = now();
  }
  node.cpu_capacity = cpu_capacity;
  node.memory_capacity = memory_capacity;
  node.memory_until = 0;
}

void LoadModel::node_off(std::string_view name) {
  Node* node = find_node(name);
  if (node == nullptr) return;
  for (const PodId pod : node->pods) release(pod);
  node->pods.clear();
  node->on = false;
}

void LoadModel::set_reporting(std::string_view name, bool reporting) {
  if (Node* node = find_node(name)) node->reporting = reporting;
}

LoadModel::PodId LoadModel::start(const api::Pod& pod, std::string_view node_name) {
  Node* node = find_node(node_name);
  RESCHEDULER_CHECK(node != nullptr, "a pod starts on a node that does not run: {}", node_name);
  advance(*node, now());
  PodId id = static_cast<PodId>(pods_.size());
  if (free_.empty()) {
    pods_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  const auto& meta = pod.metadata();
  Pod& added = pods_[id];
  added = Pod{};
  added.key = fmt::format("{}/{}", meta.namespace_(), meta.name());
  added.shape = shapes_.of(pod);
  added.seed = seed_of(meta.uid(), meta.namespace_(), meta.name());
  added.placed = node->now;
  added.node = node_index_.find(node_name)->second;
  added.used = true;
  pod_index_.erase(added.key);  // the entry can belong to an older pod with the same name on another node
  pod_index_.emplace(added.key, id);
  node->pods.push_back(id);
  return id;
}

void LoadModel::set_running(PodId id, std::uint64_t containers) {
  Pod& pod = pods_[id];
  if (pod.running == containers) return;
  Node& node = nodes_[pod.node];
  advance(node, now());
  if (pod.running == 0) pod.started = node.now;
  pod.running = containers;
  pod.cpu_ppm = 0;
  for (std::size_t i = 0; i < pod.shape->containers.size(); ++i)
    if ((containers >> i & 1) != 0) pod.cpu_ppm += pod.shape->containers[i].cpu_ppm;
  node.memory_until = 0;
}

void LoadModel::reshape(PodId id, const api::Pod& changed) {
  Pod& pod = pods_[id];
  auto shape = shapes_.of(changed);
  if (shape == pod.shape) return;
  const std::uint64_t running = pod.running;
  const Millis started = pod.started;
  set_running(id, 0);
  pod.shape = std::move(shape);
  set_running(id, running);
  pod.started = started;
}

void LoadModel::stop(PodId id) {
  Node& node = nodes_[pods_[id].node];
  advance(node, now());
  std::erase(node.pods, id);
  node.memory_until = 0;
  release(id);
}

void LoadModel::release(PodId id) {
  Pod& pod = pods_[id];
  RESCHEDULER_CHECK(pod.used, "a pod's usage ends twice");
  const auto indexed = pod_index_.find(pod.key);
  if (indexed != pod_index_.end() && indexed->second == id) pod_index_.erase(indexed);
  pod = Pod{};
  free_.push_back(id);
}

// --- CPU ---

const LoadModel::Rates& LoadModel::rates_at(const Node& node, Millis moment) {
  Rates& rates = *rates_;
  const std::int64_t system = system_cpu(node);
  rates.claims.clear();
  rates.demands.clear();
  rates.until = kForever;
  rates.demand = system;
  for (const PodId id : node.pods) {
    const Pod& pod = pods_[id];
    CpuClaim claim{0, std::max(pod.shape->cpu_request, kLeastWeight)};
    std::int64_t demand = 0;
    if (pod.running != 0) {
      const Level level = pod.shape->cpu->at(subject(pod, pod.shape->cpu_base), moment);
      demand = part(level.amount, pod.cpu_ppm);
      claim.demand = pod.shape->cpu_limit > 0 ? std::min(demand, pod.shape->cpu_limit) : demand;
      rates.until = std::min(rates.until, level.until);
    }
    rates.demand += claim.demand;
    rates.demands.push_back(demand);
    rates.claims.push_back(claim);
  }
  rates.busy = system + share_cpu(rates.claims, node.cpu_capacity - system);
  rates.waiting_ppm = 0;
  if (rates.demand > rates.busy) {
    const double refused = static_cast<double>(rates.demand - rates.busy) / static_cast<double>(rates.demand);
    rates.waiting_ppm = static_cast<std::int64_t>(refused * kMillion);
  }
  return rates;
}

void LoadModel::advance(Node& node, Millis to) {
  while (node.on && node.now < to) {
    const Rates& rates = rates_at(node, node.now);
    accrue(node, rates, std::min(to, rates.until));
  }
}

// Adds an interval in which all rates are constant.
void LoadModel::accrue(Node& node, const Rates& rates, Millis to) {
  const Millis from = node.now;
  const Millis passed = to - from;
  for (std::size_t i = 0; i < node.pods.size(); ++i) {
    Pod& pod = pods_[node.pods[i]];
    grow(pod.cpu_total, pod.marks, rates.claims[i].granted, from, to);
  }
  const std::int64_t spare = std::max(node.cpu_capacity - rates.busy, std::int64_t{0});
  const std::int64_t user = rates.busy * kUserParts / kBusyParts;
  std::int64_t busy_total = node.user + node.system;
  grow(busy_total, node.marks, rates.busy, from, to);
  node.user += user * passed;
  node.system += (rates.busy - user) * passed;
  node.iowait += spare / kIdlePerIowait * passed;
  node.idle += (spare - spare / kIdlePerIowait) * passed;
  node.waiting += rates.waiting_ppm * passed;
  const double queue = static_cast<double>(rates.demand) / kMillion;
  for (Millis tick = from - from % kLoadTick + kLoadTick; tick <= to; tick += kLoadTick) {
    for (std::size_t i = 0; i < node.load.size(); ++i)
      node.load[i] = node.load[i] * kLoadDecay[i] + queue * (1 - kLoadDecay[i]);
  }
  node.now = to;
}

// --- memory ---

std::int64_t LoadModel::container_memory(const Pod& pod, std::size_t container, std::int64_t level) const {
  const ContainerShape& shape = pod.shape->containers[container];
  const std::int64_t wanted = part(level, shape.memory_ppm);
  return shape.memory_limit > 0 ? std::min(wanted, shape.memory_limit) : wanted;
}

std::int64_t LoadModel::memory_at(const Pod& pod, Millis moment, Millis* until) const {
  if (pod.running == 0) return 0;
  const Level level = pod.shape->memory->at(subject(pod, pod.shape->memory_base), moment);
  if (until != nullptr) *until = std::min(*until, level.until);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < pod.shape->containers.size(); ++i)
    if ((pod.running >> i & 1) != 0) sum += container_memory(pod, i, level.amount);
  return sum;
}

std::int64_t LoadModel::node_memory_at(const Node& node, Millis moment, Millis* until) const {
  std::int64_t sum = system_memory(node);
  for (const PodId id : node.pods) sum += memory_at(pods_[id], moment, until);
  return sum;
}

std::optional<LoadModel::Victim> LoadModel::over_own_limit(const Node& node, Millis moment) const {
  for (const PodId id : node.pods) {
    const Pod& pod = pods_[id];
    if (pod.running == 0 || !pod.shape->memory_limited) continue;
    const Level level = pod.shape->memory->at(subject(pod, pod.shape->memory_base), moment);
    for (std::size_t i = 0; i < pod.shape->containers.size(); ++i) {
      const ContainerShape& shape = pod.shape->containers[i];
      const bool runs = (pod.running >> i & 1) != 0;
      if (runs && shape.memory_limit > 0 && part(level.amount, shape.memory_ppm) > shape.memory_limit)
        return Victim{id, i};
    }
  }
  return std::nullopt;
}

std::optional<LoadModel::Victim> LoadModel::memory_victim(std::string_view name) {
  Node* node = find_node(name);
  if (node == nullptr) return std::nullopt;
  const Millis moment = now();
  if (auto victim = over_own_limit(*node, moment)) return victim;
  Millis until = kForever;
  const std::int64_t used = node_memory_at(*node, moment, &until);
  node->memory_until = until;
  if (used <= node->memory_capacity) return std::nullopt;

  std::optional<Victim> worst;
  double worst_ratio = 0;
  for (const PodId id : node->pods) {
    const Pod& pod = pods_[id];
    const std::int64_t memory = memory_at(pod, moment, nullptr);
    const double ratio =
        static_cast<double>(memory) / static_cast<double>(std::max(pod.shape->memory_request, std::int64_t{1}));
    const bool worse =
        memory > 0 && (!worst || ratio > worst_ratio || (ratio == worst_ratio && pod.key < pods_[worst->pod].key));
    if (worse) {
      worst = Victim{id, 0};
      worst_ratio = ratio;
    }
  }
  if (!worst) return std::nullopt;
  const Pod& pod = pods_[worst->pod];
  const Level level = pod.shape->memory->at(subject(pod, pod.shape->memory_base), moment);
  std::int64_t largest = -1;
  for (std::size_t i = 0; i < pod.shape->containers.size(); ++i) {
    if ((pod.running >> i & 1) == 0 || container_memory(pod, i, level.amount) <= largest) continue;
    largest = container_memory(pod, i, level.amount);
    worst->container = i;
  }
  return worst;
}

bool LoadModel::memory_pressure(std::string_view name) {
  const Node* node = find_node(name);
  if (node == nullptr) return false;
  return node->memory_capacity - node_memory_at(*node, now(), nullptr) < settings_.memory_pressure_below;
}

Millis LoadModel::memory_steady_until(std::string_view name) {
  const Node* node = find_node(name);
  return node == nullptr ? kForever : node->memory_until;
}

// --- queries ---

std::optional<PodUsage> LoadModel::pod_usage(std::string_view ns, std::string_view name) {
  const Pod* pod = find_pod(ns, name);
  if (pod == nullptr) return std::nullopt;
  Node& node = nodes_[pod->node];
  advance(node, now());
  const Rates& rates = rates_at(node, node.now);
  const auto place =
      static_cast<std::size_t>(std::ranges::find(node.pods, pod_index_.at(pod->key)) - node.pods.begin());
  const CpuClaim& claim = rates.claims[place];
  PodUsage usage;
  usage.cpu = claim.granted;
  usage.cpu_demand = rates.demands[place];
  usage.cpu_throttled = usage.cpu_demand - claim.demand;
  usage.cpu_waiting = claim.demand - claim.granted;
  usage.memory = memory_at(*pod, node.now, nullptr);
  return usage;
}

std::optional<NodeUsage> LoadModel::node_usage(std::string_view name) {
  Node* node = find_node(name);
  if (node == nullptr) return std::nullopt;
  advance(*node, now());
  const Rates& rates = rates_at(*node, node->now);
  NodeUsage usage;
  usage.cpu = rates.busy;
  usage.cpu_demand = rates.demand;
  usage.cpu_capacity = node->cpu_capacity;
  usage.memory = std::min(node_memory_at(*node, node->now, nullptr), node->memory_capacity);
  usage.memory_capacity = node->memory_capacity;
  usage.pods = node->pods.size();
  return usage;
}

std::optional<NodeCounters> LoadModel::node_counters(std::string_view name) {
  Node* node = find_node(name);
  if (node == nullptr) return std::nullopt;
  advance(*node, now());
  NodeCounters counters;
  counters.name = node->name;
  counters.cpus = std::max((node->cpu_capacity + kMillion - 1) / kMillion, std::int64_t{1});
  counters.user = node->user;
  counters.system = node->system;
  counters.iowait = node->iowait;
  counters.idle = node->idle;
  counters.waiting = node->waiting;
  counters.load = node->load;
  counters.memory_capacity = node->memory_capacity;
  counters.memory = std::min(node_memory_at(*node, node->now, nullptr), node->memory_capacity);
  counters.boot = node->boot;
  counters.now = node->now;
  return counters;
}

namespace {

// The last complete window of a pod or node that started at `since`; empty if it is too young.
std::optional<Sampled> last_window(Millis now, Millis since, const std::array<std::int64_t, 2>& marks) {
  Sampled sampled;
  sampled.at = now - now % LoadModel::kWindow;
  sampled.window = std::min(LoadModel::kWindow, sampled.at - since);
  if (sampled.window < kFreshPod) return std::nullopt;
  const bool whole = sampled.window == LoadModel::kWindow;
  sampled.cpu = (marks[1] - (whole ? marks[0] : 0)) / sampled.window;
  return sampled;
}

}  // namespace

std::optional<Sampled> LoadModel::node_sample(std::string_view name) {
  Node* node = find_node(name);
  if (node == nullptr || !node->reporting) return std::nullopt;
  advance(*node, now());
  auto sampled = last_window(node->now, node->boot, node->marks);
  if (sampled) sampled->memory = std::min(node_memory_at(*node, sampled->at, nullptr), node->memory_capacity);
  return sampled;
}

std::vector<LoadModel::ContainerCounters> LoadModel::container_counters(std::string_view name) {
  std::vector<ContainerCounters> counters;
  Node* node = find_node(name);
  if (node == nullptr) return counters;
  advance(*node, now());
  for (const PodId id : node->pods) {
    const Pod& pod = pods_[id];
    const Level level = pod.shape->memory->at(subject(pod, pod.shape->memory_base), node->now);
    for (std::size_t i = 0; i < pod.shape->containers.size(); ++i) {
      if ((pod.running >> i & 1) == 0) continue;
      // By the share of the container in the whole pod, so that a counter never falls when another container stops.
      const ContainerShape& shape = pod.shape->containers[i];
      counters.push_back(
          {pod.key, shape.name, part(pod.cpu_total, shape.cpu_ppm), container_memory(pod, i, level.amount)});
    }
  }
  return counters;
}

std::optional<LoadModel::PodSample> LoadModel::pod_sample(std::string_view ns, std::string_view name) {
  const Pod* pod = find_pod(ns, name);
  if (pod == nullptr || pod->running == 0 || !nodes_[pod->node].reporting) return std::nullopt;
  Node& node = nodes_[pod->node];
  advance(node, now());
  const auto total = last_window(node.now, std::max(pod->placed, node.boot), pod->marks);
  if (!total) return std::nullopt;
  PodSample sample{*total, {}};
  const Level level = pod->shape->memory->at(subject(*pod, pod->shape->memory_base), total->at);
  for (std::size_t i = 0; i < pod->shape->containers.size(); ++i) {
    if ((pod->running >> i & 1) == 0) continue;
    const ContainerShape& shape = pod->shape->containers[i];
    const std::int64_t share = pod->cpu_ppm == 0 ? 0 : shape.cpu_ppm * kMillion / pod->cpu_ppm;
    sample.containers.push_back({shape.name, part(total->cpu, share), container_memory(*pod, i, level.amount)});
    sample.total.memory += sample.containers.back().memory;
  }
  return sample;
}

std::vector<std::string> LoadModel::nodes() const {
  std::vector<std::string> names;
  for (const auto& [name, index] : node_index_)
    if (nodes_[index].on) names.push_back(name);
  return names;
}

std::vector<std::string_view> LoadModel::pod_keys(std::string_view ns) const {
  std::vector<std::string_view> keys;
  for (const auto& [key, id] : pod_index_) {
    const bool wanted = ns.empty() || (key.size() > ns.size() && key.starts_with(ns) && key[ns.size()] == '/');
    if (wanted) keys.push_back(key);
  }
  std::ranges::sort(keys);
  return keys;
}

bool LoadModel::reports(std::string_view name) const {
  const auto found = node_index_.find(name);
  return found != node_index_.end() && nodes_[found->second].on && nodes_[found->second].reporting;
}

}  // namespace rescheduler::sim
