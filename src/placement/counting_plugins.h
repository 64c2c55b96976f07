// The plugins of a profile behind a counter: how often each is asked, so that a cost is a number and not a time.
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
  std::map<std::string, std::uint64_t> filters{};  // by plugin: nodes it was asked to filter
  std::map<std::string, std::uint64_t> scores{};   // by plugin: nodes it was asked to score

  static std::uint64_t sum(const std::map<std::string, std::uint64_t>& counts) {
    std::uint64_t all = 0;
    for (const auto& [plugin, count] : counts) all += count;
    return all;
  }
  std::uint64_t all_filters() const { return sum(filters); }
  std::uint64_t all_scores() const { return sum(scores); }
};

// Passes everything on to a plugin of another framework and counts. Both frameworks are made of the same profile, so a
// plugin and its stand-in have the same slot and find each other's notes.
class CountedPlugin final : public Plugin {
 public:
  CountedPlugin(const Plugin& real, PluginCalls& calls) : real_(real), calls_(calls) {}

  std::string_view name() const override { return real_.name(); }
  PointSet points() const override { return real_.points(); }
  void prepare(cluster::Cluster& cluster, const Question& asked) const override { real_.prepare(cluster, asked); }
  Status pre_enqueue(const Question& asked) const override { return real_.pre_enqueue(asked); }
  PreFilterResult pre_filter(const Question& asked, CycleState& state) const override {
    return real_.pre_filter(asked, state);
  }
  void add_pod(const Question& asked,
               CycleState& state,
               const cluster::PlacedPod& pod,
               const cluster::NodeState& node) const override {
    real_.add_pod(asked, state, pod, node);
  }
  void remove_pod(const Question& asked,
                  CycleState& state,
                  const cluster::PlacedPod& pod,
                  const cluster::NodeState& node) const override {
    real_.remove_pod(asked, state, pod, node);
  }
  Code filter(const Question& asked,
              const CycleState& state,
              const cluster::NodeState& node,
              Reasons* why) const override {
    ++calls_.filters[std::string(name())];
    return real_.filter(asked, state, node, why);
  }
  std::vector<cluster::NodeIndex> give_way(const Question& asked, CycleState& state) const override {
    return real_.give_way(asked, state);
  }
  bool looks_at_node_alone() const override { return real_.looks_at_node_alone(); }
  bool scores_stand(const cluster::Cluster& cluster) const override { return real_.scores_stand(cluster); }
  Status pre_score(const Question& asked,
                   CycleState& state,
                   std::span<const cluster::NodeIndex> feasible) const override {
    return real_.pre_score(asked, state, feasible);
  }
  void before_scores(const Question& asked, CycleState& state) const override { real_.before_scores(asked, state); }
  std::optional<std::int64_t> same_for_all(const Question& asked, const CycleState& state) const override {
    return real_.same_for_all(asked, state);
  }
  std::int64_t score(const Question& asked, const CycleState& state, const cluster::NodeState& node) const override {
    ++calls_.scores[std::string(name())];
    return real_.score(asked, state, node);
  }
  void score_each(const Question& asked,
                  const CycleState& state,
                  std::span<const cluster::NodeIndex> nodes,
                  std::span<std::int64_t> scores) const override {
    calls_.scores[std::string(name())] += nodes.size();
    real_.score_each(asked, state, nodes, scores);
  }
  void normalize(const Question& asked,
                 const CycleState& state,
                 std::span<const cluster::NodeIndex> feasible,
                 std::span<std::int64_t> scores) const override {
    real_.normalize(asked, state, feasible, scores);
  }
  std::vector<Interest> interests() const override { return real_.interests(); }

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
  // Since it was last asked for.
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
