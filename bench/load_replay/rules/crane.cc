// crane's Dynamic. Its data is copied to the nodes at intervals, each value with its own period.
#include "rules/formulas.h"
#include "rules/load_plugin.h"

namespace rescheduler::replay {
namespace {

constexpr std::int64_t kMeanEverySeconds = 3 * 60;
constexpr std::int64_t kHourEverySeconds = 15 * 60;
constexpr std::int64_t kDayEverySeconds = 3 * 3600;

class Crane final : public Rule {
 public:
  static constexpr bool kFilters = true;
  explicit Crane(const std::vector<NodeShape>& nodes) : nodes_(nodes.size()) {}

  void register_plugins(placement::Registry& registry, placement::Profile& profile, int weight) override {
    register_load_plugin("Dynamic", *this, registry, profile, weight);
  }
  void sampled(cluster::Cluster& /*cluster*/, const Knowledge& known) override {
    const bool mean = due(known.now, kMeanEverySeconds, mean_at_);
    const bool hour = due(known.now, kHourEverySeconds, hour_at_);
    const bool day = due(known.now, kDayEverySeconds, day_at_);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      Node& node = nodes_[i];
      for (const Measured what : {Measured::Cpu, Measured::Memory}) {
        CraneLoad& load = what == Measured::Cpu ? node.cpu : node.memory;
        if (mean) load.mean_5m = known.meter.mean(what, i, 5);
        if (hour) load.largest_1h = known.meter.largest_mean(what, i, 60);
        if (day) load.largest_1d = known.meter.largest_mean(what, i, 1440);
      }
      if (!mean) continue;  // the hot value is updated together with the shortest mean
      std::erase_if(node.bound, [&](std::int64_t time) { return time <= known.now - 300; });
      const auto last_minute =
          std::ranges::count_if(node.bound, [&](std::int64_t time) { return time > known.now - 60; });
      node.hot = crane_hot_value(static_cast<int>(node.bound.size()), static_cast<int>(last_minute));
    }
  }
  void bound(cluster::Cluster& /*cluster*/, const Placement& pod) override {
    nodes_[pod.node].bound.push_back(pod.bound);
  }
  bool refuses(cluster::NodeIndex node, const PodRequest& /*request*/) const {
    return crane_refuses(nodes_[node].cpu) || crane_refuses(nodes_[node].memory);
  }
  std::int64_t score(cluster::NodeIndex node, const PodRequest& /*request*/) const {
    return crane_score(nodes_[node].cpu, nodes_[node].memory, nodes_[node].hot);
  }

 private:
  struct Node {
    CraneLoad cpu{};
    CraneLoad memory{};
    std::int64_t hot = 0;
    std::vector<std::int64_t> bound{};
  };
  static bool due(std::int64_t now, std::int64_t every, std::int64_t& last) {
    if (now < last + every) return false;
    last = now;
    return true;
  }

  std::vector<Node> nodes_;
  std::int64_t mean_at_ = -kDayEverySeconds;
  std::int64_t hour_at_ = -kDayEverySeconds;
  std::int64_t day_at_ = -kDayEverySeconds;
};

}  // namespace

RuleFactory crane_dynamic() {
  return [](const std::vector<NodeShape>& nodes) { return std::make_unique<Crane>(nodes); };
}

}  // namespace rescheduler::replay
