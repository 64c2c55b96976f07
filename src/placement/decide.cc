#include "placement/decide.h"

#include <algorithm>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::placement {

std::optional<Status> run_pre_enqueue(const Framework& framework, const PodContext& context) {
  for (const Plugin* plugin : framework.at(Point::PreEnqueue)) {
    Status status = plugin->pre_enqueue(context);
    if (status.ok()) continue;
    status.plugin = plugin->name();
    return status;
  }
  return std::nullopt;
}

namespace {

// Measures the time of one extension point and reports it at the end.
class PointTime {
 public:
  PointTime(PluginTimer* plugin_timer, Point point)
      : plugin_timer_(plugin_timer),
        point_(point),
        begun_(plugin_timer != nullptr ? plugin_timer->now() : std::chrono::nanoseconds{}) {}
  void over(Code code) {
    if (plugin_timer_ != nullptr) plugin_timer_->point_took(point_, code, plugin_timer_->now() - begun_);
  }

 private:
  PluginTimer* plugin_timer_;
  Point point_;
  std::chrono::nanoseconds begun_;
};

}  // namespace

void preempt(Cycle& cycle, const DecideOptions& options, Decision& decision) {
  const Framework& framework = cycle.framework();
  decision.outcome = Outcome::Unschedulable;
  std::string refusal;
  const Plugin* preemption = framework.find("DefaultPreemption");
  const auto& post_filter = framework.at(Point::PostFilter);
  if (std::ranges::find(post_filter, preemption) != post_filter.end() && preemption != nullptr) {
    const auto* args = framework.args_of<DefaultPreemptionArgs>("DefaultPreemption");
    PreemptionResult room =
        find_preemption_candidates(cycle, {args != nullptr ? *args : DefaultPreemptionArgs{}, options.tie_break});
    refusal = room.refusal;
    decision.clears_nomination = room.clears_nomination;
    decision.candidates = std::move(room.candidates);
    if (options.extenders != nullptr && !decision.candidates.empty()) {
      const Status reviewed = options.extenders->review(cycle, decision.candidates);
      if (!reviewed.ok()) decision.candidates.clear();
      if (decision.candidates.empty()) {
        refusal = reviewed.ok() ? "no candidate node for preemption" : reviewed.message();
      }
    }
    if (!decision.candidates.empty()) {
      const Candidate& best = cheapest(decision.candidates, cycle.context().cluster);
      decision.outcome = Outcome::Preempts;
      decision.node = best.node;
      decision.victims = best.victims;
    }
  }
  if (decision.outcome == Outcome::Unschedulable) {
    cycle.diagnosis().post_filter = post_filter_message(framework, refusal);
  }
  decision.message = cycle.diagnosis().message();
}

namespace {

// True if the pod can go to its nominated node or, without one, to the first choice of the options. A nominated node is
// probably the only feasible node: pods were preempted for it.
bool takes_first_choice(Cycle& cycle, const DecideOptions& options) {
  const std::string& nominated = cycle.context().pod.status().nominated_node_name();
  const std::string_view name = nominated.empty() ? options.first : std::string_view(nominated);
  const auto node = name.empty() ? std::nullopt : cycle.context().cluster.find_node(name);
  if (!node || !cycle.fits(*node)) return false;
  return options.extenders == nullptr || (options.extenders->filter(cycle).ok() && !cycle.feasible().empty());
}

// Finds the feasible nodes among all nodes.
Status search(Cycle& cycle, const DecideOptions& options) {
  PointTime filtering(options.plugin_timer, Point::Filter);
  Status searched = cycle.find_feasible({options.most_feasible, options.start, options.order, options.explain});
  const bool none = searched.ok() && cycle.feasible().empty();
  filtering.over(none ? Code::Unschedulable : searched.code);
  if (none) cycle.relax();
  if (searched.ok() && options.extenders != nullptr && !cycle.feasible().empty()) {
    searched = options.extenders->filter(cycle);
  }
  return searched;
}

}  // namespace

Decision decide(const Framework& framework,
                const PodContext& context,
                const NominatedPods& nominated,
                const DecideOptions& options) {
  Decision decision;
  if (const auto held = run_pre_enqueue(framework, context)) {
    decision.outcome = Outcome::Gated;
    decision.message = held->message();
    return decision;
  }
  if (context.cluster.node_count() == 0) {
    decision.outcome = Outcome::Unschedulable;
    decision.message = "no nodes available to schedule pods";
    return decision;
  }
  Cycle cycle(framework, context, nominated);
  if (!takes_first_choice(cycle, options)) {
    const Status searched = search(cycle, options);
    decision.evaluated = cycle.evaluated();
    if (!searched.ok()) {
      decision.message = searched.message();
      decision.diagnosis = cycle.diagnosis();
      return decision;
    }
  }
  if (const auto avoided = options.avoid.empty() ? std::nullopt : context.cluster.find_node(options.avoid)) {
    cycle.avoid(*avoided);
  }
  decision.feasible = cycle.feasible();
  if (decision.feasible.empty()) {
    PointTime post_filter(options.plugin_timer, Point::PostFilter);
    preempt(cycle, options, decision);
    post_filter.over(decision.outcome == Outcome::Preempts ? Code::Success : Code::Unschedulable);
    decision.diagnosis = std::move(cycle.diagnosis());
    return decision;
  }
  const bool several = cycle.feasible().size() > 1 || options.explain;
  const auto extra =
      options.extenders != nullptr && several ? options.extenders->scores(cycle) : std::vector<std::int64_t>{};
  PointTime scoring(options.plugin_timer, Point::Score);
  auto choice = cycle.choose({options.tie_break, options.explain}, extra);
  scoring.over(choice ? Code::Success : Code::Error);
  decision.diagnosis = std::move(cycle.diagnosis());
  if (!choice) {
    decision.message = choice.error().message;
    return decision;
  }
  decision.outcome = Outcome::Scheduled;
  decision.node = choice->node;
  decision.choice = std::move(*choice);
  return decision;
}

}  // namespace rescheduler::placement
