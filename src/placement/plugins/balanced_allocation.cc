// A node with evenly used resources can take more pods in the end. Prefers nodes whose use becomes more even with the
// pod.
#include <algorithm>
#include <cmath>
#include <span>

#include "placement/plugins/plugins.h"
#include "placement/plugins/resource_scoring.h"

namespace rescheduler::placement {
namespace {

double fraction(std::int64_t taken, std::int64_t of) {
  return std::min(1.0, static_cast<double>(taken) / static_cast<double>(of));
}

// 100 if all resources are used to the same degree.
std::int64_t evenness(std::span<const double> fractions) {
  double deviation = 0;
  if (fractions.size() == 2) {
    deviation = std::abs((fractions[0] - fractions[1]) / 2);
  } else if (fractions.size() > 2) {
    double total = 0;
    for (const double one : fractions) total += one;
    const double mean = total / static_cast<double>(fractions.size());
    double squares = 0;
    for (const double one : fractions) squares += (one - mean) * (one - mean);
    deviation = std::sqrt(squares / static_cast<double>(fractions.size()));
  }
  return static_cast<std::int64_t>((1 - deviation) * static_cast<double>(kMaxScore));
}

class BalancedAllocation final : public PluginOf<BalancedAllocation> {
 public:
  explicit BalancedAllocation(NodeResourcesBalancedAllocationArgs args) : args_(std::move(args)) {}

  std::string_view name() const override { return "NodeResourcesBalancedAllocation"; }
  bool depends_on_node_only() const override { return true; }
  bool needs_no_normalize(const cluster::Cluster& /*cluster*/) const override { return true; }

  // Skips pods without requests: they would all go to the same node.
  Status pre_score(const PodContext& context,
                   CycleState& /*state*/,
                   std::span<const cluster::NodeIndex> /*feasible*/) const override {
    return {asks_for_nothing(context) ? Code::Skip : Code::Success};
  }

  std::int64_t score(const PodContext& context,
                     const CycleState& /*state*/,
                     const cluster::NodeInfo& node) const override {
    const auto shares =
        shares_of(context.requirements(), node, args_.resources, Counting::Plain, context.cluster.interner().symbols);
    const bool changes = std::ranges::any_of(shares, [](const Share& share) { return share.with != share.before; });
    if (!changes && asks_for_nothing(context)) return 0;
    boost::container::small_vector<double, kUsualResources> before;
    boost::container::small_vector<double, kUsualResources> with;
    for (const Share& share : shares) {
      if (share.allocatable == 0) continue;
      before.push_back(fraction(share.before, share.allocatable));
      with.push_back(fraction(share.with, share.allocatable));
    }
    constexpr std::int64_t kHalf = kMaxScore / 2;
    return kHalf + (kHalf + evenness(with) - evenness(before)) / 2;
  }

 private:
  bool asks_for_nothing(const PodContext& context) const {
    const auto requests =
        requests_for(context.requirements(), args_.resources, Counting::Plain, context.cluster.interner().symbols);
    return std::ranges::all_of(requests, [](std::int64_t request) { return request == 0; });
  }

  NodeResourcesBalancedAllocationArgs args_;
};

}  // namespace

PluginPtr make_balanced_allocation(const PluginArgs* args) {
  return std::make_unique<BalancedAllocation>(args_or_default<NodeResourcesBalancedAllocationArgs>(args));
}

}  // namespace rescheduler::placement
