#include "rescheduling/planning/move_batches.h"

#include <algorithm>
#include <map>
#include <set>

namespace rescheduler::rescheduling {
namespace {

using cluster::PodIndex;

// Whether a term of pod `one` (affinity, anti-affinity, spread) selects pod `other`. Checks only namespaces and labels,
// not the nodes.
bool term_matches(const cluster::Cluster& cluster, PodIndex one, PodIndex other) {
  const cluster::AssignedPod& mine = cluster.pod(one);
  const cluster::AssignedPod& theirs = cluster.pod(other);
  const auto means = [&](const cluster::AffinityTerm& term) {
    return cluster.counts().matches({{{term.namespaces, term.selector}}}, theirs.ns, theirs.labels);
  };
  return std::ranges::any_of(mine.compiled_spec->affinity, means)
         || std::ranges::any_of(mine.compiled_spec->anti_affinity, means)
         || std::ranges::any_of(mine.compiled_spec->spread, [&](const cluster::SpreadConstraint& spread) {
              return spread.hard && mine.ns == theirs.ns
                     && cluster.interner().selectors.matches(spread.selector, theirs.labels);
            });
}

// Whether one move is possible can depend on whether the other move is done before it.
bool depend(const planner::Step& one, const planner::Step& other, const Adapted& adapted, const PlanBuilder& builder) {
  if (one.to == other.from || one.from == other.to) return true;
  const PodIndex a = adapted.pods[one.process];
  const PodIndex b = adapted.pods[other.process];
  // Default spread constraints name no pods, so pods of one namespace can depend on each other.
  if (builder.what_if().spreads_by_default() && builder.cluster().pod(a).ns == builder.cluster().pod(b).ns) return true;
  return term_matches(builder.cluster(), a, b) || term_matches(builder.cluster(), b, a);
}

// The moves of the step that is being filled.
class Filling {
 public:
  Filling(const Adapted& adapted, const PlanBuilder& builder) : adapted_(adapted), builder_(builder) {}

  bool takes(const planner::Step& step) const;
  void add(const planner::Step& step);
  void put_off(const planner::Step& step) { later_.push_back(step); }
  std::vector<planner::Step> later() { return std::move(later_); }

 private:
  static bool full(std::uint32_t most, std::uint32_t count) { return most != 0 && count >= most; }
  template <class Map, class Key>
  static std::uint32_t in(const Map& map, Key key) {
    const auto found = map.find(key);
    return found == map.end() ? 0 : found->second;
  }

  const Adapted& adapted_;
  const PlanBuilder& builder_;
  std::vector<planner::Step> taken_;
  std::vector<planner::Step> later_;
  std::uint32_t total_ = 0;
  std::map<planner::Machine, std::uint32_t> leaving_;
  std::map<planner::Machine, std::uint32_t> coming_;
  std::map<cluster::Symbol, std::uint32_t> namespaces_;
  std::map<LineageIndex, std::uint32_t> lineages_;
  std::map<std::uint32_t, std::uint32_t> budgets_;
};

bool Filling::takes(const planner::Step& step) const {
  if (total_ == 0) return true;  // a step takes at least one move, or the loop would never end
  const config::MoveCaps& most = builder_.settings().brakes.at_once;
  const PodIndex pod = adapted_.pods[step.process];
  if (full(most.total, total_) || full(most.per_node, in(leaving_, step.from))
      || full(most.per_node, in(coming_, step.to))
      || full(most.per_namespace, in(namespaces_, builder_.cluster().pod(pod).ns))
      || full(most.per_workload, in(lineages_, builder_.inventory().lineage_of(pod)))) {
    return false;
  }
  // A move must not be in one step with a move that it depends on, nor before such a move that was postponed.
  const auto depends = [&](const planner::Step& other) { return depend(step, other, adapted_, builder_); };
  if (std::ranges::any_of(taken_, depends) || std::ranges::any_of(later_, depends)) return false;
  return std::ranges::all_of(builder_.inventory().budgets_of(pod), [&](std::uint32_t budget) {
    const std::int64_t allowed = builder_.cluster().budgets().all()[budget].disruptions_allowed;
    return in(budgets_, budget) < allowed;
  });
}

void Filling::add(const planner::Step& step) {
  const PodIndex pod = adapted_.pods[step.process];
  taken_.push_back(step);
  ++total_;
  ++leaving_[step.from];
  ++coming_[step.to];
  ++namespaces_[builder_.cluster().pod(pod).ns];
  ++lineages_[builder_.inventory().lineage_of(pod)];
  for (const std::uint32_t budget : builder_.inventory().budgets_of(pod)) ++budgets_[budget];
}

}  // namespace

std::vector<NumberedStep> number_steps(const std::vector<planner::Step>& steps,
                                       const Adapted& adapted,
                                       const PlanBuilder& builder) {
  std::vector<NumberedStep> numbered;
  std::uint32_t number = 0;
  for (auto begin = steps.begin(); begin != steps.end();) {
    const auto end = std::find_if(begin, steps.end(), [&](const auto& step) { return step.batch != begin->batch; });
    std::vector<planner::Step> waiting(begin, end);
    while (!waiting.empty()) {
      ++number;
      Filling filling(adapted, builder);
      for (const planner::Step& step : waiting) {
        if (filling.takes(step)) {
          filling.add(step);
          numbered.push_back({step, number});
        } else {
          filling.put_off(step);
        }
      }
      waiting = filling.later();
    }
    begin = end;
  }
  return numbered;
}

}  // namespace rescheduler::rescheduling
