// koordinator's LoadAware: reported usage, an estimate for each pod that the report may not include yet, and the
// incoming pod.
#include "rules/formulas.h"
#include "rules/load_plugin.h"

namespace rescheduler::replay {
namespace {

constexpr std::int64_t kWindow = 5;          // minutes; a report is the mean of this window
constexpr std::int64_t kReportSeconds = 60;  // between two reports
constexpr double kDefaultCores = 0.25;
constexpr double kDefaultGib = 200.0 / 1024;

struct Estimate {
  double cpu = 0;
  double memory = 0;
};

Estimate estimate_of(const PodRequest& request) {
  return {koordinator_estimate(request.cpu, request.cpu_limit, kKoordinatorCpuFactor, kDefaultCores),
          koordinator_estimate(request.memory, request.memory_limit, kKoordinatorMemoryFactor, kDefaultGib)};
}

class Koordinator final : public Rule {
 public:
  static constexpr bool kFilters = true;
  explicit Koordinator(const std::vector<NodeShape>& nodes) : shapes_(nodes), nodes_(nodes.size()) {}

  void register_plugins(placement::Registry& registry, placement::Profile& profile, int weight) override {
    register_load_plugin("LoadAwareScheduling", *this, registry, profile, weight);
  }
  void sampled(cluster::Cluster& /*cluster*/, const Knowledge& known) override {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      Node& node = nodes_[i];
      node.used = {known.meter.mean(Measured::Cpu, i, kWindow) * shapes_[i].cores,
                   known.meter.mean(Measured::Memory, i, kWindow) * shapes_[i].memory_gib};
      std::erase_if(node.recent, [&](const Placement& pod) { return pod.bound <= known.now - kReportSeconds; });
      node.missing = {};
      for (const Placement& pod : node.recent) {
        const Estimate estimate = estimate_of(request_of(*pod.job));
        node.missing.cpu += std::max(0.0, estimate.cpu - cpu_demand(*pod.job, known.rows, known.now / 60));
        node.missing.memory += std::max(0.0, estimate.memory - pod.job->memory_used);
      }
    }
  }
  void bound(cluster::Cluster& /*cluster*/, const Placement& pod) override {
    Node& node = nodes_[pod.node];
    const Estimate estimate = estimate_of(request_of(*pod.job));
    node.recent.push_back(pod);
    node.missing.cpu += estimate.cpu;
    node.missing.memory += estimate.memory;
  }
  void remove(cluster::Cluster& /*cluster*/, const Placement& pod) override {
    std::erase_if(nodes_[pod.node].recent, [&](const Placement& one) { return one.job == pod.job; });
  }
  bool refuses(cluster::NodeIndex node, const PodRequest& request) const {
    const Estimate share = share_with(node, request);
    return koordinator_refuses(share.cpu, share.memory);
  }
  std::int64_t score(cluster::NodeIndex node, const PodRequest& request) const {
    const Estimate share = share_with(node, request);
    return koordinator_score(share.cpu, share.memory);
  }

 private:
  struct Node {
    Estimate used{};
    Estimate missing{};
    std::vector<Placement> recent{};
  };
  Estimate share_with(cluster::NodeIndex index, const PodRequest& request) const {
    const Node& node = nodes_[index];
    const Estimate own = estimate_of(request);
    return {(node.used.cpu + node.missing.cpu + own.cpu) / shapes_[index].cores,
            (node.used.memory + node.missing.memory + own.memory) / shapes_[index].memory_gib};
  }

  std::vector<NodeShape> shapes_;
  std::vector<Node> nodes_;
};

}  // namespace

RuleFactory koordinator_load_aware() {
  return [](const std::vector<NodeShape>& nodes) { return std::make_unique<Koordinator>(nodes); };
}

}  // namespace rescheduler::replay
