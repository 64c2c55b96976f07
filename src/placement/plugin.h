// A plugin has a say at some of the points of a pod's way to its node. It is one class, in one file, and a declaration
// and a row in plugins/plugins.h. Deciding is pure: everything a plugin may look at is in the Question and in what it
// noted down itself earlier in the same cycle. What must be done to the world (Reserve, PreBind, Bind) is done by the
// scheduler's own parts, scheduler/volume_binder.h and scheduler/action_executor.h.
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

// Which pod is to be placed, in which cluster.
struct PodContext {
  const cluster::Cluster& cluster;
  const api::Pod& pod;
  const cluster::CompiledPodSpec& compiled_spec;
  cluster::Symbol ns = cluster::Symbol::Empty;
  cluster::LabelSetId labels = cluster::LabelSetId::None;
  cluster::NamespaceSetId own_namespace{};  // the set of just `ns`

  const cluster::NodeRequirements& requirements() const { return *compiled_spec.requirements; }
  const std::string& pod_uid() const;
};

// `compiled_spec` is the pod's, as the cluster compiled it, and must live as long as the question.
PodContext make_pod_context(cluster::Cluster& cluster,
                            const api::Pod& pod,
                            const cluster::CompiledPodSpec& compiled_spec);

struct PreFilterResult {
  Status status{};
  std::optional<std::set<std::string>> nodes{};  // the only nodes that come into question; nothing: all
};

// A plugin's answer to something that happened (cluster::ClusterEvent): is it worth trying this pod again?
enum class QueueingHint : std::uint8_t { Skip, Queue };

// What a rejected pod may be waiting for.
struct ClusterEventWithHint {
  cluster::EventResource resource{};
  cluster::ActionTypes actions{};
  // Unset: always worth a try. `before`/`after` are in the Happening.
  std::function<QueueingHint(const PodContext& waiting, const cluster::ClusterEvent& what)> hint{};
};

class Plugin {
 public:
  virtual ~Plugin() = default;
  virtual std::string_view name() const = 0;
  virtual PointSet points() const = 0;

  // Before the cycle, with the model still open to change: have counted what will be asked for.
  virtual void prepare(cluster::Cluster& /*cluster*/, const PodContext& /*context*/) const {}

  virtual Status pre_enqueue(const PodContext& /*context*/) const { return {}; }

  virtual PreFilterResult pre_filter(const PodContext& /*context*/, CycleState& /*state*/) const { return {}; }
  // What if this pod were (no longer) on this node? Changes what pre_filter noted down. `node` is as it is afterwards.
  virtual void add_pod(const PodContext& /*context*/,
                       CycleState& /*state*/,
                       const cluster::AssignedPod& /*pod*/,
                       const cluster::NodeInfo& /*node*/) const {}
  virtual void remove_pod(const PodContext& /*context*/,
                          CycleState& /*state*/,
                          const cluster::AssignedPod& /*pod*/,
                          const cluster::NodeInfo& /*node*/) const {}

  // `why`, unless null, receives the reasons; leave it out where only the answer matters.
  virtual Code filter(const PodContext& /*context*/,
                      const CycleState& /*state*/,
                      const cluster::NodeInfo& /*node*/,
                      Reasons* /*why*/) const {
    return Code::Success;
  }
  // No node passed. A plugin that would rather have a bad node than none stops to refuse these - its notes say so from
  // now on - and answers them, the least bad first.
  virtual std::vector<cluster::NodeIndex> relaxed_candidates(const PodContext& /*context*/,
                                                             CycleState& /*state*/) const {
    return {};
  }
  // Do filter() and score() look at nothing but PodContext::requirements(), the node and the picture of all nodes'
  // load? Then their answers are remembered until the node changes, or the picture, which changes all nodes.
  virtual bool depends_on_node_only() const { return false; }
  // Of such a plugin: is score() what counts, with nothing for normalize() to do, and 0 where pre_score() skips? Then
  // it is remembered in one number with the others of this kind.
  virtual bool needs_no_normalize(const cluster::Cluster& /*cluster*/) const { return false; }

  // Which nodes passed is known now. Skip: no score from this plugin.
  virtual Status pre_score(const PodContext& /*context*/,
                           CycleState& /*state*/,
                           std::span<const cluster::NodeIndex> /*feasible*/) const {
    return {};
  }
  // Once, before the first of its scores; for plugins that have no say at PreScore.
  virtual void before_scores(const PodContext& /*context*/, CycleState& /*state*/) const {}
  // Where every node would get the same score, that; asked after before_scores.
  virtual std::optional<std::int64_t> same_for_all(const PodContext& /*context*/, const CycleState& /*state*/) const {
    return std::nullopt;
  }
  virtual std::int64_t score(const PodContext& /*context*/,
                             const CycleState& /*state*/,
                             const cluster::NodeInfo& /*node*/) const {
    return 0;
  }
  // The same for many nodes at once: for plugins that have something to work out which is the same for all of them.
  virtual void score_each(const PodContext& context,
                          const CycleState& state,
                          std::span<const cluster::NodeIndex> nodes,
                          std::span<std::int64_t> scores) const;
  // Brings the scores of the feasible nodes to 0..100.
  virtual void normalize(const PodContext& /*context*/,
                         const CycleState& /*state*/,
                         std::span<const cluster::NodeIndex> /*feasible*/,
                         std::span<std::int64_t> /*scores*/) const {}

  virtual std::vector<ClusterEventWithHint> events_to_register() const { return {}; }

  // Its place among the plugins of its profile: where its notes are in a CycleState.
  std::size_t slot() const { return slot_; }

 private:
  friend class Framework;
  std::size_t slot_ = 0;
};

// A plugin whose points are read off the functions it overrides. kMore: points where the scheduler's own parts act for
// it (Reserve, PreBind), or where it says nothing and is listed as kube-scheduler's is.
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

 private:
  // The address of a function that Self inherits has the type of one of Plugin's.
  template <class Own, class Inherited>
  static constexpr bool overrides(Own /*own*/, Inherited /*inherited*/) {
    return !std::is_same_v<Own, Inherited>;
  }
};

inline constexpr std::int64_t kMaxScore = 100;

// The largest becomes 100, the others in proportion; reversed, the smallest is the best.
void normalize_by_max(std::span<std::int64_t> scores, bool reverse);

}  // namespace rescheduler::placement
