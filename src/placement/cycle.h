// One scheduling cycle of a pod: which nodes are feasible, which of them is best, and why.
//
//   Cycle cycle(framework, context, nominated);
//   cycle.find_feasible(options);      // PreFilter, Filter
//   cycle.refuse(...);                 // nodes that extenders reject
//   cycle.choose(options, extra);      // PreScore, Score, the choice
//
// Pure: the same cluster, pod and tie-break give the same result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placement/diagnosis.h"
#include "placement/framework.h"
#include "placement/nominated.h"

namespace rescheduler::placement {

struct SearchOptions {
  std::size_t most_feasible = ~std::size_t{0};  // stop after this number of feasible nodes
  std::size_t start = 0;                        // where to start, so that a limited search covers all nodes in turn
  std::span<const cluster::NodeIndex> order{};  // every node once; empty: the order of the model
  bool explain = false;                         // keep the verdict of every node, even if a feasible node is found
};

struct PluginScores {
  std::string plugin{};
  std::int64_t weight = 1;
  std::vector<std::int64_t> raw{};  // in the order of feasible()
  std::vector<std::int64_t> normalized{};
};

struct ChooseOptions {
  std::uint64_t tie_break = 0;  // selects one of the best nodes, if there are several
  bool explain = false;         // keep the scores of each plugin
};

struct Choice {
  cluster::NodeIndex node = cluster::kNoNode;
  std::vector<cluster::NodeIndex> best{};  // all nodes with the highest total
  std::vector<std::int64_t> totals{};      // in the order of feasible(); empty: only one node was feasible
  std::vector<PluginScores> by_plugin{};   // only if explained
};

class Cycle {
 public:
  Cycle(const Framework& framework, const PodContext& context, const NominatedPods& nominated);
  Cycle(const Framework& framework,
        const PodContext& context,
        NominatedPods&& nominated) = delete;  // it must outlive the Cycle

  // Error: the attempt failed, and there is no verdict.
  Status find_feasible(const SearchOptions& options);
  // For a pod without a feasible node: plugins relax their filters (relaxed_candidates). Returns whether a node is
  // feasible now.
  bool relax();
  // Checks only this node, for example the nominated one. If it fits, it becomes the only feasible node.
  bool fits(cluster::NodeIndex node);
  // The same without storing the result, for callers that ask thousands of times. `why`, unless null, receives the
  // reason for a rejection.
  bool admits(cluster::NodeIndex node, Status* why = nullptr);
  // Skips this filter from now on; null: no filter is skipped.
  void leave_out(const Plugin* filter) { left_out_ = filter; }

  const std::vector<cluster::NodeIndex>& feasible() const { return feasible_; }
  // How many nodes find_feasible() examined.
  std::size_t evaluated() const { return evaluated_; }
  const Diagnosis& diagnosis() const { return diagnosis_; }
  Diagnosis& diagnosis() { return diagnosis_; }
  // An extender rejects a node that the plugins accept.
  void refuse(cluster::NodeIndex node, Status status);

  // Chooses another node, if another one is feasible.
  void avoid(cluster::NodeIndex node) {
    if (feasible_.size() > 1) std::erase(feasible_, node);
  }

  // Requires a feasible node. `extra` are the extenders' scores, in the order of feasible(); empty: no extenders.
  Result<Choice> choose(const ChooseOptions& options, std::span<const std::int64_t> extra = {});

  // Filters a changed node, for preemption. `state` is a copy that contains the pods added or removed.
  Status filter_changed(const cluster::NodeInfo& node, const CycleState& state) const;
  const CycleState& state() const { return state_; }
  // Calls add_pod() or remove_pod() of all plugins.
  void run_add_pod(CycleState& state, const cluster::AssignedPod& pod, const cluster::NodeInfo& node) const;
  void run_remove_pod(CycleState& state, const cluster::AssignedPod& pod, const cluster::NodeInfo& node) const;

  const PodContext& context() const { return context_; }
  const Framework& framework() const { return framework_; }

 private:
  enum class Depth { AnswerOnly, WithReasons };

  const std::optional<Status>& pre_filter();
  std::optional<Status> run_pre_filter();
  bool skipped(const Plugin& plugin) const { return skipped_[plugin.slot()]; }
  void sort_plugins();  // fills alone_, others_ and standing_
  std::vector<cluster::NodeIndex> named_nodes() const;
  void look_at(cluster::NodeIndex node, CachedNodeResults* cache);
  bool fits_alone(cluster::NodeIndex index, CachedNodeResults* cache);
  void cache_scores(CachedNodeResults& cache) const;
  std::vector<std::int64_t> cached_sums(const CachedNodeResults& cache) const;
  Status filter(const cluster::NodeInfo& node, const CycleState& state, Depth depth) const;
  Status filter_with_nominated_pods(const cluster::NodeInfo& node, const CycleState& state, Depth depth) const;
  bool outranks(const cluster::AssignedPod& nominated_pod) const;
  const std::vector<std::shared_ptr<const cluster::AssignedPod>>* nominated_pods_on(cluster::NodeIndex node) const;
  void note_refusals();
  void note_refusal(cluster::NodeIndex node, Status status);
  void judge_again(std::string_view plugin);
  Result<void> run_pre_score();
  // Adds the scores of one plugin to the totals. `scores` has room for one score of each feasible node.
  Result<void> add_scores(std::size_t scoring,
                          const CachedNodeResults* cache,
                          std::span<std::int64_t> scores,
                          bool explain,
                          Choice& choice);
  void raw_scores(std::size_t scoring, const CachedNodeResults* cache, std::span<std::int64_t> scores) const;

  const Framework& framework_;
  const PodContext& context_;
  const NominatedPods& nominated_;
  CycleState state_;
  std::vector<bool> skipped_;         // by slot: PreFilter returned Skip
  std::vector<const Plugin*> alone_;  // active filters that depend on the node only; others_ has the rest
  std::vector<const Plugin*> others_;
  std::vector<bool> standing_;                 // by scoring plugin: the cached sums contain its scores
  std::vector<cluster::NodeIndex> unscored_;   // nodes evaluated in this cycle: their scores will be cached
  std::optional<std::set<std::string>> only_;  // from PreFilter
  bool pre_filtered_ = false;
  const Plugin* left_out_ = nullptr;
  std::optional<Status> ended_;    // set by PreFilter
  bool searched_ = false;          // find_feasible() ran and cached its results
  std::set<const Plugin*> quiet_;  // PreScore returned Skip
  std::vector<cluster::NodeIndex> feasible_;
  std::vector<cluster::NodeIndex> refused_;  // rejected by plugins; their reasons are computed when needed
  std::size_t evaluated_ = 0;
  Diagnosis diagnosis_;
};

}  // namespace rescheduler::placement
