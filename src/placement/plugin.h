// A plugin takes part in scheduling at some extension points. A plugin is one class in one file, plus a declaration and
// a row in plugins/plugins.h. Decisions are pure: a plugin reads only the PodContext and the data that it stored
// earlier in the same cycle. The scheduler carries out the side effects (Reserve, PreBind, Bind): see
// scheduler/volume_binder.h and scheduler/action_executor.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cluster/cluster.h"
#include "placement/cycle_state.h"
#include "placement/points.h"
#include "placement/status.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::placement {

// The pod to schedule, and its cluster.
struct PodContext {
  const cluster::Cluster& cluster;
  const api::Pod& pod;
  const cluster::CompiledPodSpec& compiled_spec;
  cluster::Symbol ns = cluster::Symbol::Empty;
  cluster::LabelSetId labels = cluster::LabelSetId::None;
  cluster::NamespaceSetId own_namespace{};  // the set that contains only `ns`

  const cluster::NodeRequirements& requirements() const { return *compiled_spec.requirements; }
  const std::string& pod_uid() const;
};

// `compiled_spec` must be the cluster's compiled spec of the pod, and must outlive the context.
PodContext make_pod_context(cluster::Cluster& cluster,
                            const api::Pod& pod,
                            const cluster::CompiledPodSpec& compiled_spec);

struct PreFilterResult {
  Status status{};
  std::optional<std::set<std::string>> nodes{};  // the only nodes that can be feasible; nothing: all nodes
};

// A plugin's answer to a cluster::ClusterEvent: can it make this pod schedulable?
enum class QueueingHint : std::uint8_t { Skip, Queue };

// An event that can make a rejected pod schedulable.
struct ClusterEventWithHint {
  cluster::EventResource resource{};
  cluster::ActionTypes actions{};
  // Unset: always Queue. The state before and after the change is in the ClusterEvent.
  std::function<QueueingHint(const PodContext& waiting, const cluster::ClusterEvent& what)> hint{};
};

// The nodes that a plugin accepts after all, because no node is feasible.
struct RelaxedCandidates {
  std::vector<cluster::NodeIndex> nodes{};
  bool in_order = false;  // true: the pod gets the first feasible one; false: the feasible ones are scored
};

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;
  virtual PointSet points() const = 0;

  // Before the cycle, while the model can still be changed: prepares the counts that the plugin will read.
  virtual void prepare(cluster::Cluster& /*cluster*/, const PodContext& /*context*/) const {}

  virtual Status pre_enqueue(const PodContext& /*context*/) const { return {}; }

  virtual PreFilterResult pre_filter(const PodContext& /*context*/, CycleState& /*state*/) const { return {}; }
  // What-if: the pod is added to this node or removed from it. Changes the data that pre_filter() stored. `node` is the
  // state after the change.
  virtual void add_pod(const PodContext& /*context*/,
                       CycleState& /*state*/,
                       const cluster::AssignedPod& /*pod*/,
                       const cluster::NodeInfo& /*node*/) const {}
  virtual void remove_pod(const PodContext& /*context*/,
                          CycleState& /*state*/,
                          const cluster::AssignedPod& /*pod*/,
                          const cluster::NodeInfo& /*node*/) const {}

  // `why`, unless null, receives the reasons; null if only the code matters.
  virtual Code filter(const PodContext& /*context*/,
                      const CycleState& /*state*/,
                      const cluster::NodeInfo& /*node*/,
                      Reasons* /*why*/) const {
    return Code::Success;
  }
  // Called if no node is feasible. A plugin that prefers a bad node to none stores that it no longer rejects these
  // nodes, and returns them.
  virtual RelaxedCandidates relaxed_candidates(const PodContext& /*context*/, CycleState& /*state*/) const {
    return {};
  }
  // Do filter() and score() read only PodContext::requirements(), the node and the LoadSummary? Then their results are
  // cached until the node changes. A new LoadSummary changes all nodes.
  virtual bool depends_on_node_only() const { return false; }
  // For such a plugin: is score() final, with no work for normalize(), and 0 if pre_score() skips? Then one cached
  // number contains the scores of all plugins of this kind.
  virtual bool needs_no_normalize(const cluster::Cluster& /*cluster*/) const { return false; }

  // Called with the feasible nodes. Skip: no score from this plugin.
  virtual Status pre_score(const PodContext& /*context*/,
                           CycleState& /*state*/,
                           std::span<const cluster::NodeIndex> /*feasible*/) const {
    return {};
  }
  // Called once before its first score; for plugins without PreScore.
  virtual void before_scores(const PodContext& /*context*/, CycleState& /*state*/) const {}
  // The score, if it is equal for all nodes; called after before_scores().
  virtual std::optional<std::int64_t> same_for_all(const PodContext& /*context*/, const CycleState& /*state*/) const {
    return std::nullopt;
  }
  virtual std::int64_t score(const PodContext& /*context*/,
                             const CycleState& /*state*/,
                             const cluster::NodeInfo& /*node*/) const {
    return 0;
  }
  // The same for many nodes: for plugins with a common part of the computation.
  virtual void score_each(const PodContext& context,
                          const CycleState& state,
                          std::span<const cluster::NodeIndex> nodes,
                          std::span<std::int64_t> scores) const;
  // Scales the scores of the feasible nodes to 0..100.
  virtual void normalize(const PodContext& /*context*/,
                         const CycleState& /*state*/,
                         std::span<const cluster::NodeIndex> /*feasible*/,
                         std::span<std::int64_t> /*scores*/) const {}

  virtual std::vector<ClusterEventWithHint> events_to_register() const { return {}; }

  // The index of the plugin in its profile, and of its data in a CycleState.
  std::size_t slot() const { return slot_; }

 private:
  friend class Framework;
  std::size_t slot_ = 0;
};

// Derives the extension points of a plugin from the functions that it overrides. kMore: further points. There the
// scheduler acts for the plugin (Reserve, PreBind), or the plugin does nothing and is only listed as in kube-scheduler.
template <class Self, Point... kMore>
class PluginOf : public Plugin {
 public:
  PointSet points() const override {
    PointSet points{kMore...};
    const auto add_if = [&points](bool overridden, Point point) {
      if (overridden) points.add(point);
    };
    add_if(overrides(&Self::pre_enqueue, &Plugin::pre_enqueue), Point::PreEnqueue);
    add_if(overrides(&Self::pre_filter, &Plugin::pre_filter), Point::PreFilter);
    add_if(overrides(&Self::filter, &Plugin::filter), Point::Filter);
    add_if(overrides(&Self::pre_score, &Plugin::pre_score), Point::PreScore);
    add_if(overrides(&Self::score, &Plugin::score), Point::Score);
    return points;
  }
  // Like Plugin::score_each, but the compiler knows which score() it calls.
  void score_each(const PodContext& context,
                  const CycleState& state,
                  std::span<const cluster::NodeIndex> nodes,
                  std::span<std::int64_t> scores) const override {
    const Self& self = static_cast<const Self&>(*this);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      scores[i] = self.Self::score(context, state, context.cluster.node(nodes[i]));
    }
  }

 private:
  friend Self;
  PluginOf() = default;

  // The address of an inherited function has the type of Plugin's function.
  template <class Own, class Inherited>
  static constexpr bool overrides(Own /*own*/, Inherited /*inherited*/) {
    return !std::is_same_v<Own, Inherited>;
  }
};

inline constexpr std::int64_t kMaxScore = 100;

// Scales the largest score to 100 and the others in proportion. `reverse`: the smallest score is the best.
void normalize_by_max(std::span<std::int64_t> scores, bool reverse);

}  // namespace rescheduler::placement
