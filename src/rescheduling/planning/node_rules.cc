#include "rescheduling/planning/node_rules.h"

#include <algorithm>
#include <cmath>

#include "kube/value/label_selector.h"
#include "rescheduling/planning/balance_report.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using config::LoadBand;

constexpr double kPercent = 100;
// Percentage points between a threshold and its default target, if no band is configured. The distance keeps small
// changes of load from making the node hot again.
constexpr double kBelowThreshold = 10;

LoadBand shares(const LoadBand& percent) { return {percent.trigger / kPercent, percent.target / kPercent}; }

LoadBand default_band(double threshold) { return {threshold, std::max(threshold - kBelowThreshold, 0.0)}; }

}  // namespace

NodeRules::NodeRules(const Snapshot& snapshot, const PlanRequest& request) {
  const cluster::Cluster& cluster = snapshot.cluster();
  const auto& settings = request.args->rescheduling;
  const std::size_t places = cluster.nodes().size();
  takes_.assign(places, 0);
  drains_.assign(places, 0);
  pool_of_.assign(places, 0);
  modes_.emplace_back();
  std::vector<kube::LabelSelector> selectors;
  for (const config::NodePool& pool : settings.pools) {
    auto selector = kube::LabelSelector::parse(pool.selector);
    selectors.push_back(selector ? std::move(*selector) : kube::LabelSelector::nothing());
    modes_.push_back(pool.modes);
  }
  for (const NodeIndex index : cluster.existing_nodes()) {
    const cluster::Node& node = *cluster.node(index).node;
    drains_[index] = request.draining.contains(node.name) ? 1 : 0;
    const LoadState word = load_state_of(snapshot, index);
    takes_[index] = word != LoadState::Excluded && drains_[index] == 0 ? 1 : 0;
    const cluster::NodeLabels labels(node, cluster.interner().symbols);
    const auto pool = std::ranges::find_if(selectors, [&](const auto& selector) { return selector.matches(labels); });
    if (pool != selectors.end()) pool_of_[index] = static_cast<std::uint32_t>(pool - selectors.begin()) + 1;
  }
  read_bands(*request.args, cluster.load_summary().resources);
  const auto& load_summary = cluster.load_summary();
  for (std::size_t i = 0; i < std::min(load_summary.resources.size(), cluster::kMostLoads); ++i) {
    const bool known = load_summary.basis == cluster::LoadBasis::Usage || i <= cluster::kMemoryLoad;
    if (known && (i <= cluster::kMemoryLoad || !std::isnan(load_summary.mean[i])) && weights_[i] > 0)
      judged_.push_back(i);
  }
}

void NodeRules::read_bands(const config::ReschedulerSettings& args, const std::vector<std::string>& resources) {
  const auto& settings = args.rescheduling;
  weights_.assign(cluster::kMostLoads, 0);
  names_.assign(cluster::kMostLoads, {});
  std::vector<LoadBand> base(cluster::kMostLoads);
  for (std::size_t i = 0; i < std::min(resources.size(), cluster::kMostLoads); ++i) {
    double threshold = i == cluster::kCpuLoad ? args.placing.cpu_threshold : args.placing.memory_threshold;
    weights_[i] = i == cluster::kCpuLoad ? args.placing.cpu_score_weight : args.placing.memory_score_weight;
    names_[i] = i == cluster::kCpuLoad ? "CPU" : resources[i];
    if (i > cluster::kMemoryLoad) {
      const auto found = std::ranges::find(args.load.resources, resources[i], &cluster::LoadResource::name);
      threshold = found == args.load.resources.end() ? kPercent : found->threshold;
      weights_[i] = found == args.load.resources.end() ? 0 : found->weight;
    }
    const auto band = settings.load_balancing.bands.find(resources[i]);
    base[i] = shares(band == settings.load_balancing.bands.end() ? default_band(threshold) : band->second);
  }
  bands_.push_back(base);
  for (const config::NodePool& pool : settings.pools) {
    std::vector<LoadBand> own = base;
    for (std::size_t i = 0; i < std::min(resources.size(), cluster::kMostLoads); ++i) {
      const auto band = pool.bands.find(resources[i]);
      if (band != pool.bands.end()) own[i] = shares(band->second);
    }
    bands_.push_back(std::move(own));
  }
}

bool NodeRules::is_off(NodeIndex node, config::Strategy strategy) const {
  const auto& modes = modes_[pool_of_[node]];
  const auto found = modes.find(strategy);
  return found != modes.end() && found->second == config::StrategyMode::Off;
}

}  // namespace rescheduler::rescheduling
