#include "placement/decide.h"

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::placement {

std::optional<Status> held_back(const Framework& framework, const Question& asked) {
  for (const Plugin* plugin : framework.at(Point::PreEnqueue)) {
    Status status = plugin->pre_enqueue(asked);
    if (status.ok()) continue;
    status.plugin = plugin->name();
    return status;
  }
  return std::nullopt;
}

namespace {

// How long one point took, told when it is over.
class PointTime {
 public:
  PointTime(Timekeeper* timekeeper, Point point)
      : timekeeper_(timekeeper),
        point_(point),
        begun_(timekeeper != nullptr ? timekeeper->now() : std::chrono::nanoseconds{}) {}
  void over(Code code) {
    if (timekeeper_ != nullptr) timekeeper_->point_took(point_, code, timekeeper_->now() - begun_);
  }

 private:
  Timekeeper* timekeeper_;
  Point point_;
  std::chrono::nanoseconds begun_;
};

}  // namespace

void make_room(Cycle& cycle, const DecideOptions& options, Decision& decision) {
  const Framework& framework = cycle.framework();
  decision.outcome = Outcome::Unschedulable;
  std::string refusal;
  const Plugin* preemption = framework.find("DefaultPreemption");
  const auto& post_filter = framework.at(Point::PostFilter);
  if (std::ranges::find(post_filter, preemption) != post_filter.end() && preemption != nullptr) {
    const auto* args = framework.args_of<DefaultPreemptionArgs>("DefaultPreemption");
    RoomFound room = find_room(cycle, {args != nullptr ? *args : DefaultPreemptionArgs{}, options.tie_break});
    refusal = room.refusal;
    decision.gives_up_promise = room.gives_up_promise;
    decision.candidates = std::move(room.candidates);
    if (options.consulted != nullptr && !decision.candidates.empty()) {
      const Status reviewed = options.consulted->review(cycle, decision.candidates);
      if (!reviewed.ok()) decision.candidates.clear();
      if (decision.candidates.empty()) {
        refusal = reviewed.ok() ? "no candidate node for preemption" : reviewed.message();
      }
    }
    if (!decision.candidates.empty()) {
      const Candidate& best = cheapest(decision.candidates, cycle.asked().cluster);
      decision.outcome = Outcome::MakesRoom;
      decision.node = best.node;
      decision.victims = best.victims;
    }
  }
  if (decision.outcome == Outcome::Unschedulable) {
    cycle.diagnosis().post_filter = post_filter_message(framework, refusal);
  }
  decision.message = cycle.diagnosis().message();
}

Decision decide(const Framework& framework,
                const Question& asked,
                const NominatedPods& nominated,
                const DecideOptions& options) {
  Decision decision;
  if (const auto held = held_back(framework, asked)) {
    decision.outcome = Outcome::Gated;
    decision.message = held->message();
    return decision;
  }
  if (asked.cluster.node_count() == 0) {
    decision.outcome = Outcome::Unschedulable;
    decision.message = "no nodes available to schedule pods";
    return decision;
  }
  Cycle cycle(framework, asked, nominated);
  // The node it was promised is likely the only one, and others have gone for it: first that.
  const std::string& nominated_name = asked.pod.status().nominated_node_name();
  const std::string_view promised = nominated_name.empty() ? options.first : std::string_view(nominated_name);
  const auto promised_node = promised.empty() ? std::nullopt : asked.cluster.find_node(promised);
  bool kept = promised_node && cycle.fits(*promised_node);
  if (kept && options.consulted != nullptr) {
    kept = options.consulted->filter(cycle).ok() && !cycle.feasible().empty();
  }
  if (!kept) {
    PointTime filtering(options.timekeeper, Point::Filter);
    Status searched = cycle.find_feasible({options.most_feasible, options.start, options.order, options.explain});
    decision.evaluated = cycle.evaluated();
    const bool none = searched.ok() && cycle.feasible().empty();
    filtering.over(none ? Code::Unschedulable : searched.code);
    if (searched.ok() && cycle.feasible().empty()) cycle.make_do();
    if (searched.ok() && options.consulted != nullptr && !cycle.feasible().empty()) {
      searched = options.consulted->filter(cycle);
    }
    if (!searched.ok()) {
      decision.message = searched.message();
      decision.diagnosis = cycle.diagnosis();
      return decision;
    }
  }
  decision.feasible = cycle.feasible();
  if (decision.feasible.empty()) {
    PointTime making_room(options.timekeeper, Point::PostFilter);
    make_room(cycle, options, decision);
    making_room.over(decision.outcome == Outcome::MakesRoom ? Code::Success : Code::Unschedulable);
    decision.diagnosis = std::move(cycle.diagnosis());
    return decision;
  }
  const bool several = cycle.feasible().size() > 1 || options.explain;
  const auto extra =
      options.consulted != nullptr && several ? options.consulted->scores(cycle) : std::vector<std::int64_t>{};
  PointTime scoring(options.timekeeper, Point::Score);
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
