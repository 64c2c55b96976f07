#include "rescheduling/planning/adapter.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "placement/predicted_load.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;
using planner::Amount;
using planner::kWholeShare;

constexpr double kKibi = 1024;
constexpr std::int64_t kKibiBytes = 1024;
// Cost of one hundredth of a percent above the target. It equals the steepest slope of the squared unevenness, so the
// search relieves a hot node before it equalizes two cool nodes.
constexpr planner::Cost kExcess = 2 * kWholeShare;

Amount up(std::int64_t bytes) { return (bytes + kKibiBytes - 1) / kKibiBytes; }
Amount down(std::int64_t bytes) { return bytes / kKibiBytes; }

class Adapting {
 public:
  Adapting(const PlanBuilder& builder, ProblemShape shape) : builder_(builder), shape_(std::move(shape)) {}

  Adapted run() {
    resources();
    machines();
    processes();
    what_is_there();
    weights();
    return std::move(adapted_);
  }

 private:
  Amount load_units(std::size_t resource, double amount) const;
  void resources();
  void machines();
  void processes();
  void what_is_there();
  void weights();
  void caps_of(PodIndex pod);
  std::vector<Amount> demand_of(PodIndex pod) const;
  // Calls `left` once per key, because `left` is expensive.
  template <class Left>
  planner::Cap cap(std::map<std::uint64_t, planner::Cap>& known, std::uint64_t key, const Left& left) {
    const auto [place, fresh] = known.try_emplace(key, static_cast<planner::Cap>(adapted_.problem.caps.size()));
    if (fresh) adapted_.problem.caps.push_back({left()});
    return place->second;
  }

  const PlanBuilder& builder_;
  ProblemShape shape_;
  Adapted adapted_;
  std::vector<std::size_t> loads_;            // resources whose load is a limit, as indexes into Loads
  std::size_t scaled_ = 0;                    // index of scaled memory; 0: none
  double scale_ = 1;                          // milli-cores per byte, over all nodes
  std::vector<planner::Machine> machine_of_;  // by NodeIndex
  std::map<LineageIndex, planner::Group> groups_;
  std::map<std::uint64_t, planner::Cap> total_cap_;
  std::map<std::uint64_t, planner::Cap> node_caps_;
  std::map<std::uint64_t, planner::Cap> namespace_caps_;
  std::map<std::uint64_t, planner::Cap> lineage_caps_;
};

Amount Adapting::load_units(std::size_t resource, double amount) const {
  const double unit = resource == cluster::kMemoryLoad ? kKibi : resource == cluster::kCpuLoad ? 1 : 1e-6;
  return static_cast<Amount>(std::llround(std::clamp(amount / unit, 0.0, 1e15)));
}

void Adapting::resources() {
  auto& problem = adapted_.problem;
  problem.resources.resize(kFirstLoad);
  const bool by_requests = !builder_.measured() && shape_.balance_loads;
  if (builder_.measured() || by_requests) loads_ = builder_.rules().judged();
  problem.resources.resize(kFirstLoad + loads_.size());
  if (!shape_.balance_requests) return;
  scaled_ = problem.resources.size();
  problem.resources.emplace_back();
  double cpu = 0;
  double memory = 0;
  for (const NodeIndex index : shape_.nodes) {
    cpu += static_cast<double>(builder_.cluster().node(index).node->allocatable.cpu);
    memory += static_cast<double>(builder_.cluster().node(index).node->allocatable.memory);
  }
  scale_ = memory > 0 ? cpu / memory : 1;
}

void Adapting::machines() {
  auto& problem = adapted_.problem;
  const cluster::Cluster& cluster = builder_.cluster();
  machine_of_.assign(cluster.nodes().size(), planner::kNoMachine);
  for (const NodeIndex index : shape_.nodes) {
    machine_of_[index] = static_cast<planner::Machine>(problem.machines.size());
    const cluster::NodeInfo& node = cluster.node(index);
    const cluster::ResourceList& has = node.node->allocatable;
    problem.machines.push_back({.takes = builder_.rules().takes(index)});
    const auto put = [&](Amount capacity, Amount target) {
      problem.capacity.push_back(capacity);
      problem.target.push_back(target);
    };
    put(has.cpu, has.cpu);
    put(down(has.memory), down(has.memory));
    put(node.node->allowed_pods, node.node->allowed_pods);
    for (const std::size_t resource : loads_) {
      const double whole = whole_of(*node.node, resource);
      const config::LoadBand& band = builder_.rules().band(index, resource);
      const bool judged = !builder_.measured() || node.load.knows(resource);
      // Unknown load has no limit. LoadBalancing leaves out nodes whose CPU or memory load is unknown.
      put(load_units(resource, judged ? band.trigger * whole : 1e15),
          load_units(resource, judged ? band.target * whole : 1e15));
    }
    if (scaled_ != 0) {
      const auto scaled = static_cast<Amount>(std::llround(static_cast<double>(has.memory) * scale_));
      put(scaled, scaled);
    }
  }
  adapted_.nodes = shape_.nodes;
}

std::vector<Amount> Adapting::demand_of(PodIndex pod) const {
  const cluster::ResourceList& asked = builder_.cluster().pod(pod).compiled_spec->requirements->requests.plain;
  std::vector<Amount> demand{asked.cpu, up(asked.memory), 1};
  const cluster::Amounts& carried = builder_.inventory().usage_of(pod);
  for (const std::size_t resource : loads_) demand.push_back(load_units(resource, carried[resource]));
  if (scaled_ != 0) demand.push_back(static_cast<Amount>(std::llround(static_cast<double>(asked.memory) * scale_)));
  return demand;
}

// The caps already count a moved pod. Such a pod can move again without a second count.
void Adapting::caps_of(PodIndex pod) {
  auto& mine = adapted_.problem.caps_of.emplace_back();
  if (builder_.is_moved(pod)) return;
  const config::MoveCaps& caps = builder_.request().caps;
  const cluster::AssignedPod& placed = builder_.cluster().pod(pod);
  const LineageIndex lineage = builder_.inventory().lineage_of(pod);
  if (caps.total != 0) mine.push_back(cap(total_cap_, 0, [&] { return builder_.left_in_total(); }));
  if (caps.per_node != 0)
    mine.push_back(cap(node_caps_, placed.node, [&] { return builder_.left_of_node(placed.node); }));
  if (caps.per_namespace != 0) {
    mine.push_back(cap(namespace_caps_, static_cast<std::uint64_t>(placed.ns),
                       [&] { return builder_.left_of_namespace(placed.ns); }));
  }
  if (caps.per_workload != 0)
    mine.push_back(cap(lineage_caps_, lineage, [&] { return builder_.left_of_lineage(lineage); }));
}

void Adapting::processes() {
  auto& problem = adapted_.problem;
  const std::uint32_t per_workload = builder_.settings().brakes.at_once.per_workload;
  for (const PodIndex pod : shape_.pods) {
    const LineageIndex lineage = builder_.inventory().lineage_of(pod);
    const auto [place, fresh] = groups_.try_emplace(lineage, static_cast<planner::Group>(problem.groups.size()));
    if (fresh) {
      planner::GroupFacts& group = problem.groups.emplace_back();
      if (per_workload != 0) group.at_once = per_workload;
    }
    if (const auto allowed = builder_.inventory().allowance_of(pod)) {
      planner::GroupFacts& group = problem.groups[place->second];
      group.at_once = std::min(group.at_once, std::max(*allowed, std::uint32_t{1}));
    }
    problem.processes.push_back({.group = place->second,
                                 .machine = machine_of_[builder_.cluster().pod(pod).node],
                                 .price = shape_.price,
                                 .moves = true});
    const auto demand = demand_of(pod);
    problem.demand.insert(problem.demand.end(), demand.begin(), demand.end());
    caps_of(pod);
  }
  adapted_.pods = shape_.pods;
}

void Adapting::what_is_there() {
  auto& problem = adapted_.problem;
  const std::size_t count = problem.resource_count();
  const cluster::Cluster& cluster = builder_.cluster();
  problem.taken.assign(problem.machines.size() * count, 0);
  for (std::size_t m = 0; m < shape_.nodes.size(); ++m) {
    const cluster::NodeInfo& node = cluster.node(shape_.nodes[m]);
    Amount* taken = &problem.taken[m * count];
    taken[kCpuRequests] = node.requested.cpu;
    taken[kMemoryRequests] = up(node.requested.memory);
    taken[kPodCount] = static_cast<Amount>(node.pod_count());
    for (std::size_t i = 0; i < loads_.size(); ++i) {
      const double load = placement::predicted_load(node, loads_[i], cluster.load_summary());
      taken[kFirstLoad + i] = load_units(loads_[i], std::isnan(load) ? 0 : load * whole_of(*node.node, loads_[i]));
    }
    if (scaled_ != 0) {
      taken[scaled_] = static_cast<Amount>(std::llround(static_cast<double>(node.requested.memory) * scale_));
    }
  }
  for (std::size_t p = 0; p < problem.processes.size(); ++p) {
    const std::size_t machine = problem.processes[p].machine;
    for (std::size_t r = 0; r < count; ++r) {
      Amount& taken = problem.taken[machine * count + r];
      taken = std::max<Amount>(taken - problem.demand[p * count + r], 0);
    }
  }
}

void Adapting::weights() {
  auto& problem = adapted_.problem;
  const std::size_t count = problem.resource_count();
  for (std::size_t i = 0; shape_.balance_loads && i < loads_.size(); ++i) {
    const std::size_t r = kFirstLoad + i;
    double mean = 0;
    for (std::size_t m = 0; m < problem.machines.size(); ++m) {
      mean += static_cast<double>(problem.capacity[m * count + r]) / static_cast<double>(problem.machines.size());
    }
    const double weight = std::max(builder_.rules().weight(loads_[i]) * 10, 1.0);
    problem.resources[r].uneven_weight = std::llround(weight);
    const double share = mean > 0 ? static_cast<double>(kWholeShare) / mean : 1;  // hundredths of a percent per unit
    problem.resources[r].excess_weight =
        std::max<planner::Cost>(1, std::llround(static_cast<double>(kExcess) * weight * share));
  }
  if (scaled_ != 0) {
    const auto cpu = static_cast<std::uint32_t>(kCpuRequests);
    const auto memory = static_cast<std::uint32_t>(scaled_);
    problem.balances = {{cpu, memory, 1, 1}, {memory, cpu, 1, 1}};
  }
}

}  // namespace

Adapted adapt(const PlanBuilder& builder, ProblemShape shape) { return Adapting(builder, std::move(shape)).run(); }

planner::Solution search(PlanBuilder& builder, const Adapted& adapted) {
  // Number of weighed candidates. Each takes a few dozen nanoseconds, so the limit is about one second. Small clusters
  // do not reach it.
  constexpr std::uint64_t kMostSteps = 20'000'000;
  PlanBuilderOracle oracle(builder, adapted);
  planner::SearchLimits limits;
  limits.clock = builder.request().clock;
  if (limits.clock != nullptr) limits.time = builder.request().time;
  limits.seed = builder.request().seed;
  const auto moved = [&](PodIndex pod) { return builder.is_moved(pod); };
  if (builder.request().caps.total != 0) {
    // Pods that are already moved can get another target. The cap in the problem limits the newly moved pods.
    limits.most_moves =
        builder.left_in_total() + static_cast<std::uint32_t>(std::ranges::count_if(adapted.pods, moved));
  }
  limits.most_steps = kMostSteps;
  return planner::improve(adapted.problem, limits, &oracle);
}

}  // namespace rescheduler::rescheduling
