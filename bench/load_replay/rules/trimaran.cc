// TargetLoadPacking and LoadVariationRiskBalancing. Neither filters. Both use means and deviations over 15 minutes, the
// first window that their load watcher offers.
#include "rules/formulas.h"
#include "rules/load_plugin.h"

namespace rescheduler::replay {
namespace {

constexpr std::int64_t kWindow = 15;
constexpr std::int64_t kNotYetMeasuredSeconds = 60;  // how long the readings are assumed to miss a bound pod

class Packing final : public Rule {
 public:
  static constexpr bool kFilters = false;
  explicit Packing(const std::vector<NodeShape>& nodes) : nodes_(nodes), used_(nodes.size()), recent_(nodes.size()) {}

  void register_plugins(placement::Registry& registry, placement::Profile& profile, int weight) override {
    register_load_plugin("TargetLoadPacking", *this, registry, profile, weight);
  }
  void sampled(cluster::Cluster& /*cluster*/, const Knowledge& known) override {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      used_[node] = known.meter.mean(Measured::Cpu, node, kWindow) * nodes_[node].cores;
      std::erase_if(recent_[node], [&](const Recent& pod) { return pod.bound <= known.now - kNotYetMeasuredSeconds; });
    }
  }
  void bound(cluster::Cluster& /*cluster*/, const Placement& pod) override {
    recent_[pod.node].push_back({pod.bound, packing_estimate(pod.job->cpu, pod.job->cpu_limit)});
  }
  std::int64_t score(cluster::NodeIndex node, const PodRequest& request) const {
    double cores = used_[node] + packing_estimate(request.cpu, request.cpu_limit);
    for (const Recent& pod : recent_[node]) cores += pod.cores;
    return packing_score(100 * cores / nodes_[node].cores);
  }

 private:
  struct Recent {
    std::int64_t bound;
    double cores;
  };
  std::vector<NodeShape> nodes_;
  std::vector<double> used_;
  std::vector<std::vector<Recent>> recent_;
};

// The original also keeps recently bound pods, but never uses them.
class RiskBalancing final : public Rule {
 public:
  static constexpr bool kFilters = false;
  explicit RiskBalancing(const std::vector<NodeShape>& nodes) : nodes_(nodes), loads_(nodes.size()) {}

  void register_plugins(placement::Registry& registry, placement::Profile& profile, int weight) override {
    register_load_plugin("LoadVariationRiskBalancing", *this, registry, profile, weight);
  }
  void sampled(cluster::Cluster& /*cluster*/, const Knowledge& known) override {
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      loads_[node] = {
          known.meter.mean(Measured::Cpu, node, kWindow), known.meter.deviation(Measured::Cpu, node, kWindow),
          known.meter.mean(Measured::Memory, node, kWindow), known.meter.deviation(Measured::Memory, node, kWindow)};
    }
  }
  std::int64_t score(cluster::NodeIndex node, const PodRequest& request) const {
    const Load& load = loads_[node];
    const double cpu = variation_score(load.cpu + request.cpu / nodes_[node].cores, load.cpu_deviation);
    const double memory =
        variation_score(load.memory + request.memory / nodes_[node].memory_gib, load.memory_deviation);
    return std::llround(std::min(cpu, memory));
  }

 private:
  struct Load {
    double cpu = 0;
    double cpu_deviation = 0;
    double memory = 0;
    double memory_deviation = 0;
  };
  std::vector<NodeShape> nodes_;
  std::vector<Load> loads_;
};

}  // namespace

RuleFactory target_load_packing() {
  return [](const std::vector<NodeShape>& nodes) { return std::make_unique<Packing>(nodes); };
}

RuleFactory load_variation_risk_balancing() {
  return [](const std::vector<NodeShape>& nodes) { return std::make_unique<RiskBalancing>(nodes); };
}

}  // namespace rescheduler::replay
