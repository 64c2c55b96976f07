// Wraps the plugins of a profile and counts their calls, so that tests can check a cost as a number and not as a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "placement/framework.h"
#include "placement/registry.h"

namespace rescheduler::placement::testing {

struct PluginCalls {
  std::map<std::string, std::uint64_t> filters{};  // by plugin: nodes it filtered
  std::map<std::string, std::uint64_t> scores{};   // by plugin: nodes it scored

  static std::uint64_t sum(const std::map<std::string, std::uint64_t>& counts) {
    std::uint64_t all = 0;
    for (const auto& [plugin, count] : counts) all += count;
    return all;
  }
  std::uint64_t all_filters() const { return sum(filters); }
  std::uint64_t all_scores() const { return sum(scores); }
};

// Forwards every call to a plugin of another framework and counts it. Both frameworks use the same profile, so the
// wrapper and the plugin have the same slot and share their data in CycleState.
class CountedPlugin final : public Plugin {
 public:
  CountedPlugin(const Plugin& real, PluginCalls& calls) : real_(real), calls_(calls) {}

  std::string_view name() const override { return real_.name(); }
  PointSet points() const override { return real_.points(); }
  void prepare(cluster::Cluster& cluster, const PodContext& context) const override { real_.prepare(cluster, context); }
  Status pre_enqueue(const PodContext& context) const override { return real_.pre_enqueue(context); }
  PreFilterResult pre_filter(const PodContext& context, CycleState& state) const override {
    return real_.pre_filter(context, state);
  }
  void add_pod(const PodContext& context,
               CycleState& state,
               const cluster::AssignedPod& pod,
               const cluster::NodeInfo& node) const override {
    real_.add_pod(context, state, pod, node);
  }
  void remove_pod(const PodContext& context,
                  CycleState& state,
                  const cluster::AssignedPod& pod,
                  const cluster::NodeInfo& node) const override {
    real_.remove_pod(context, state, pod, node);
  }
  Code filter(const PodContext& context,
              const CycleState& state,
              const cluster::NodeInfo& node,
              Reasons* why) const override {
    ++calls_.filters[std::string(name())];
    return real_.filter(context, state, node, why);
  }
  RelaxedCandidates relaxed_candidates(const PodContext& context, CycleState& state) const override {
    return real_.relaxed_candidates(context, state);
  }
  bool depends_on_node_only() const override { return real_.depends_on_node_only(); }
  bool needs_no_normalize(const cluster::Cluster& cluster) const override { return real_.needs_no_normalize(cluster); }
  Status pre_score(const PodContext& context,
                   CycleState& state,
                   std::span<const cluster::NodeIndex> feasible) const override {
    return real_.pre_score(context, state, feasible);
  }
  void before_scores(const PodContext& context, CycleState& state) const override {
    real_.before_scores(context, state);
  }
  std::optional<std::int64_t> same_for_all(const PodContext& context, const CycleState& state) const override {
    return real_.same_for_all(context, state);
  }
  std::int64_t score(const PodContext& context, const CycleState& state, const cluster::NodeInfo& node) const override {
    ++calls_.scores[std::string(name())];
    return real_.score(context, state, node);
  }
  void score_each(const PodContext& context,
                  const CycleState& state,
                  std::span<const cluster::NodeIndex> nodes,
                  std::span<std::int64_t> scores) const override {
    calls_.scores[std::string(name())] += nodes.size();
    real_.score_each(context, state, nodes, scores);
  }
  void normalize(const PodContext& context,
                 const CycleState& state,
                 std::span<const cluster::NodeIndex> feasible,
                 std::span<std::int64_t> scores) const override {
    real_.normalize(context, state, feasible, scores);
  }
  std::vector<ClusterEventWithHint> events_to_register() const override { return real_.events_to_register(); }

 private:
  const Plugin& real_;
  PluginCalls& calls_;
};

class CountedFramework {
 public:
  explicit CountedFramework(const Profile& profile) : real_(make(profile, Registry::standard())) {
    Registry registry;
    for (const auto& plugin : real_->plugins()) {
      registry.add({std::string(plugin->name()), [this, real = plugin.get()](const PluginArgs*) {
                      return std::make_unique<CountedPlugin>(*real, calls_);
                    }});
    }
    counted_ = make(profile, registry);
  }
  const Framework& operator*() const { return *counted_; }
  const Framework* operator->() const { return counted_.get(); }
  // The calls since the last take_calls().
  PluginCalls take_calls() { return std::exchange(calls_, {}); }

 private:
  static std::unique_ptr<Framework> make(const Profile& profile, const Registry& registry) {
    auto made = Framework::make(profile, registry);
    RESCHEDULER_CHECK(made.has_value(), "no framework to count with: {}", made.error().message);
    return std::move(*made);
  }

  PluginCalls calls_;
  std::unique_ptr<Framework> real_;
  std::unique_ptr<Framework> counted_;
};

}  // namespace rescheduler::placement::testing
