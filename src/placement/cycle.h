// One pod's way through the plugins of a profile: which nodes may take it, which of them is best, and why.
//
//   Cycle cycle(framework, question, nominated);
//   cycle.find_feasible(options);      // PreFilter, Filter
//   cycle.refuse(...);                 // what extenders say, if there are any
//   cycle.choose(options, extra);      // PreScore, Score, the choice
//
// Pure: the same cluster, pod and tie-break give the same answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement/diagnosis.h"
#include "placement/framework.h"
#include "placement/nominated.h"

namespace rescheduler::placement {

struct SearchOptions {
  std::size_t most_feasible = ~std::size_t{0};  // stop looking after so many
  std::size_t start = 0;                        // at this node, so that with a limit all get their turn
  std::span<const cluster::NodeIndex> order{};  // every node once; empty: as they stand in the model
  bool explain = false;                         // every node's verdict, also where some node is found
};

struct PluginScores {
  std::string plugin{};
  std::int64_t weight = 1;
  std::vector<std::int64_t> raw{};  // in the order of feasible()
  std::vector<std::int64_t> normalized{};
};

struct ChooseOptions {
  std::uint64_t tie_break = 0;  // which of the best, where several are
  bool explain = false;         // keep what each plugin said
};

struct Choice {
  cluster::NodeIndex node = cluster::kNoNode;
  std::vector<cluster::NodeIndex> best{};  // all with the highest total
  std::vector<std::int64_t> totals{};      // in the order of feasible(); empty: there was only one
  std::vector<PluginScores> by_plugin{};   // only when explained
};

class Cycle {
 public:
  Cycle(const Framework& framework, const PodContext& context, const NominatedPods& nominated);
  Cycle(const Framework& framework,
        const PodContext& context,
        NominatedPods&& nominated) = delete;  // it must outlive this

  // Error: the attempt failed for a reason that is no verdict.
  Status find_feasible(const SearchOptions& options);
  // No node is feasible: plugins that would rather have a bad one give way. True: now one is.
  bool relax();
  // Only this node, as if the others were not there: the one the pod was promised.
  bool fits(cluster::NodeIndex node);
  // The same without keeping anything, for who asks thousands of times; `why`, unless null, receives the refusal.
  bool admits(cluster::NodeIndex node, Status* why = nullptr);
  // From now on this filter is not asked; null: all are.
  void leave_out(const Plugin* filter) { left_out_ = filter; }

  const std::vector<cluster::NodeIndex>& feasible() const { return feasible_; }
  // How many nodes find_feasible looked at before it had enough.
  std::size_t evaluated() const { return evaluated_; }
  const Diagnosis& diagnosis() const { return diagnosis_; }
  Diagnosis& diagnosis() { return diagnosis_; }
  // An extender refuses a node that the plugins let pass.
  void refuse(cluster::NodeIndex node, Status status);

  // At least one node is feasible. `extra` are extenders' scores, in the order of feasible(); empty: none.
  Result<Choice> choose(const ChooseOptions& options, std::span<const std::int64_t> extra = {});

  // What if the node were like this? For making room: `state` is a copy changed by the pods that came or went.
  Status filter_changed(const cluster::NodeInfo& node, const CycleState& state) const;
  const CycleState& state() const { return state_; }
  // Tell all plugins that take notes of other pods.
  void tell_added(CycleState& state, const cluster::AssignedPod& pod, const cluster::NodeInfo& node) const;
  void tell_removed(CycleState& state, const cluster::AssignedPod& pod, const cluster::NodeInfo& node) const;

  const PodContext& context() const { return context_; }
  const Framework& framework() const { return framework_; }

 private:
  enum class Depth { AnswerOnly, WithReasons };

  const std::optional<Status>& pre_filter();
  std::optional<Status> run_pre_filter();
  bool skipped(const Plugin& plugin) const { return skipped_[plugin.slot()]; }
  std::vector<cluster::NodeIndex> named_nodes() const;
  void look_at(cluster::NodeIndex node, CachedNodeResults* cache);
  bool fits_alone(cluster::NodeIndex index, CachedNodeResults* cache);
  void cache_scores(CachedNodeResults& cache) const;
  std::vector<std::int64_t> cached_sums(const CachedNodeResults& cache) const;
  Status filter(const cluster::NodeInfo& node, const CycleState& state, Depth depth) const;
  Status filter_with_nominated_pods(const cluster::NodeInfo& node, const CycleState& state, Depth depth) const;
  bool outranks(const cluster::AssignedPod& nominated_pod) const;
  const std::vector<std::shared_ptr<const cluster::AssignedPod>>* nominated_pods_on(cluster::NodeIndex node) const;
  void note_refusal(cluster::NodeIndex node, Status status);
  void raw_scores(std::size_t scoring, const CachedNodeResults* cache, std::span<std::int64_t> scores) const;

  const Framework& framework_;
  const PodContext& context_;
  const NominatedPods& nominated_;
  CycleState state_;
  std::vector<bool> skipped_;         // by slot: nothing to filter for this pod
  std::vector<const Plugin*> alone_;  // active filters that look at the node alone, and those that do not
  std::vector<const Plugin*> others_;
  std::vector<bool> standing_;                 // by scoring plugin: its scores are remembered in the sum
  std::vector<cluster::NodeIndex> unscored_;   // looked at anew: their scores are to be remembered
  std::optional<std::set<std::string>> only_;  // from PreFilter
  bool pre_filtered_ = false;
  const Plugin* left_out_ = nullptr;
  std::optional<Status> ended_;    // by PreFilter
  bool searched_ = false;          // find_feasible ran, and remembered what it found out
  std::set<const Plugin*> quiet_;  // nothing to score for this pod
  std::vector<cluster::NodeIndex> feasible_;
  std::vector<cluster::NodeIndex> refused_;  // by plugins; their reasons are found out when needed
  std::size_t evaluated_ = 0;
  Diagnosis diagnosis_;
};

}  // namespace rescheduler::placement
