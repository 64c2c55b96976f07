#include "rules/variants.h"

#include <algorithm>
#include <cmath>

#include "rules/load_plugin.h"

namespace rescheduler::replay {
namespace {

class Variant final : public Rule {
 public:
  static constexpr bool kFilters = true;
  Variant(const VariantOptions& options, const std::vector<NodeShape>& nodes)
      : options_(options), shapes_(nodes), nodes_(nodes.size()) {}

  void enlist(placement::Registry& registry, placement::Profile& profile, int weight) override {
    enlist_judge("Variant", *this, registry, profile, weight);
  }
  void sampled(cluster::Cluster& /*cluster*/, const Knowledge& known) override;
  void bound(cluster::Cluster& /*cluster*/, const Placement& pod) override {
    Node& node = nodes_[pod.node];
    node.recent.push_back(pod);
    node.booked.cpu += options_.estimate * pod.job->cpu / shapes_[pod.node].cores;
    node.booked.memory += options_.estimate * pod.job->memory / shapes_[pod.node].memory_gib;
    node.requested.cpu += pod.job->cpu / shapes_[pod.node].cores;
    node.requested.memory += pod.job->memory / shapes_[pod.node].memory_gib;
  }
  void gone(cluster::Cluster& /*cluster*/, const Placement& pod) override {
    Node& node = nodes_[pod.node];
    std::erase_if(node.recent, [&](const Placement& one) { return one.job == pod.job; });
    node.requested.cpu -= pod.job->cpu / shapes_[pod.node].cores;
    node.requested.memory -= pod.job->memory / shapes_[pod.node].memory_gib;
  }
  bool refuses(cluster::NodeIndex node, const Asked& asked) const {
    const Pair load = predicted(node, options_.filter_incoming ? asked : Asked{});
    return load.cpu > options_.threshold || load.memory > options_.threshold;
  }
  std::int64_t score(cluster::NodeIndex node, const Asked& asked) const {
    const Pair load = predicted(node, options_.count_incoming ? asked : Asked{});
    const auto left = [&](double used) { return 1 - std::pow(std::clamp(used, 0.0, 1.0), options_.power); };
    double score = 100 * (options_.cpu_weight * left(load.cpu) + options_.memory_weight * left(load.memory));
    if (load.cpu < mean_.cpu && load.memory < mean_.memory) score += options_.bonus;
    return std::clamp<std::int64_t>(std::llround(score), 0, 100);
  }

 private:
  struct Pair {
    double cpu = 0;
    double memory = 0;
  };
  struct Node {
    Pair used{};
    Pair booked{};
    Pair requested{};
    std::vector<Placement> recent{};
  };
  Pair predicted(cluster::NodeIndex index, const Asked& asked) const {
    const Node& node = nodes_[index];
    Pair load{node.used.cpu + node.booked.cpu + options_.estimate * asked.cpu / shapes_[index].cores,
              node.used.memory + node.booked.memory + options_.estimate * asked.memory / shapes_[index].memory_gib};
    const double requests = options_.requests;
    load.cpu = (1 - requests) * load.cpu + requests * (node.requested.cpu + asked.cpu / shapes_[index].cores);
    return load;
  }
  double used(const Knowledge& known, Measured what, std::size_t node) const {
    const double mean = known.meter.mean(what, node, options_.window);
    double used = mean;
    if (options_.percentile > 0) {
      used = known.meter.percentile(what, node, options_.peak_window, options_.percentile);
    }
    if (options_.deviations > 0) {
      used += options_.deviations * known.meter.deviation(what, node, options_.peak_window);
    }
    if (options_.largest > 0) {
      used =
          (1 - options_.largest) * used + options_.largest * known.meter.largest_mean(what, node, options_.peak_window);
    }
    return used;
  }

  VariantOptions options_;
  std::vector<NodeShape> shapes_;
  std::vector<Node> nodes_;
  Pair mean_;
};

void Variant::sampled(cluster::Cluster& /*cluster*/, const Knowledge& known) {
  const std::int64_t seen_after = options_.fading ? options_.window * 60 : 0;
  mean_ = {};
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    node.used = {used(known, Measured::Cpu, i), used(known, Measured::Memory, i)};
    std::erase_if(node.recent, [&](const Placement& pod) { return pod.bound <= known.now - seen_after; });
    node.booked = {};
    for (const Placement& pod : node.recent) {
      const double unseen = 1 - static_cast<double>(known.now - pod.bound) / static_cast<double>(seen_after);
      node.booked.cpu += unseen * options_.estimate * pod.job->cpu / shapes_[i].cores;
      node.booked.memory += unseen * options_.estimate * pod.job->memory / shapes_[i].memory_gib;
    }
    mean_.cpu += (node.used.cpu + node.booked.cpu) / static_cast<double>(nodes_.size());
    mean_.memory += (node.used.memory + node.booked.memory) / static_cast<double>(nodes_.size());
  }
}

}  // namespace

RuleFactory variant(const VariantOptions& options) {
  return [options](const std::vector<NodeShape>& nodes) { return std::make_unique<Variant>(options, nodes); };
}

}  // namespace rescheduler::replay
