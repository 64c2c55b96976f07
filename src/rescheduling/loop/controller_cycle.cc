// One cycle of the Controller, and the moves that follow from it.
#include <algorithm>

#include <boost/json.hpp>

#include "base/log.h"
#include "kube/client/client.h"
#include "kube/proto/core_node.pb.h"
#include "net/run_on.h"
#include "rescheduling/loop/controller_state.h"
#include "rescheduling/loop/modes.h"
#include "rescheduling/loop/node_activity.h"
#include "rescheduling/messages.h"

namespace rescheduler::rescheduling {
namespace {

using config::Strategy;
using config::StrategyMode;

// Moves of a plan that have not begun after this time are based on an outdated snapshot.
constexpr int kPlanLifeInIntervals = 4;

template <class T>
net::Task<T> answer_of(SnapshotReader& snapshot_reader, std::function<T(SnapshotReader&)> ask) {
  co_return ask(snapshot_reader);
}

// Runs `ask` on the planning executor and resumes on the executor of the caller.
template <class T>
net::Task<T> there(net::Executor planning, SnapshotReader& snapshot_reader, std::function<T(SnapshotReader&)> ask) {
  T answer = co_await net::run_on(planning, answer_of(snapshot_reader, std::move(ask)));
  co_return answer;
}

std::string reservation_key(const std::string& uid) { return "move/" + uid; }

void log_ended(const migration::MoveOutcome& outcome) {
  const migration::MoveRequest& request = outcome.request;
  const bool moved = has_moved(outcome.result);
  log_info(moved ? messages::kMoveDone : messages::kMoveFailed, {{"pod", request.ns + "/" + request.pod},
                                                                 {"sourceNode", request.source},
                                                                 {"targetNode", request.target},
                                                                 {"result", to_string(outcome.result)},
                                                                 {"message", outcome.message}});
}

}  // namespace

net::Task<void> Controller::drained() {
  const std::shared_ptr<State> state = state_;
  const std::function<bool(SnapshotReader&)> nothing = [](SnapshotReader&) { return true; };
  (void)co_await there(state->planning, *state->snapshot_reader, nothing);
}

net::Task<void> Controller::State::cycle(bool regular) {
  const WallTime now = services.clock->wall_now();
  ++status.cycles;
  const auto loaded = co_await store.load();
  if (!loaded) {
    // Without the history no move begins, and the waiting moves of the current plan are dropped.
    plan_progress.drop();
    metrics.cycle("failed");
    log_warning(messages::kNothingKnown, {{"err", loaded.error().message}});
    co_return;
  }
  effects.restore(store.effects());
  co_await take_cluster();
  co_await read_pod_use();
  const std::function<SnapshotSummary(SnapshotReader&)> look = [now](SnapshotReader& at) { return at.summarize(now); };
  SnapshotSummary summary = co_await there(planning, *snapshot_reader, look);
  summary.facts.paused = store.paused();
  summary.facts.under_way = migrator.under_way().size();
  summary.facts.backing_off = effects.backing_off();
  const BrakeVerdict verdict =
      judge(settings.args->rescheduling, summary.facts, store.history(), settings.args->rescheduling.interval, now);
  record_summary(summary, verdict, regular, now);
  std::set<std::string> draining = co_await maintain_nodes(summary, verdict, now);
  co_await plan_to_act(verdict, draining, now);
  co_await plan_to_observe(draining, now);
  predicted.clear();
}

net::Task<void> Controller::State::take_cluster() {
  auto copy = co_await settings.cluster();
  const std::function<bool(SnapshotReader&)> take = [&copy](SnapshotReader& to) {
    to.take(std::move(copy));
    return true;
  };
  (void)co_await there(planning, *snapshot_reader, take);
}

// If no load source measures pods, their usage is derived from the load of nodes.
net::Task<void> Controller::State::read_pod_use() {
  const bool not_needed = !does(*settings.args, Strategy::LoadBalancing, StrategyMode::Act)
                          && !does(*settings.args, Strategy::LoadBalancing, StrategyMode::Observe);
  std::vector<usage::PodUse> all;
  if (!not_needed && settings.pod_usage) {
    auto listed = co_await settings.pod_usage();
    if (listed) {
      all = std::move(*listed);
    } else {
      log_debug("the usage of pods is not known: {}", listed.error().message);
    }
  }
  if (all.empty() && !pods_measured) co_return;  // nothing to update or to clear
  pods_measured = !all.empty();
  const std::function<usage::WorkloadUsagesPtr(SnapshotReader&)> set_usage = [&all](SnapshotReader& to) {
    return to.pods_use(all);
  };
  usage::WorkloadUsagesPtr workload_usages = co_await there(planning, *snapshot_reader, set_usage);
  if (settings.reservations.expect) settings.reservations.expect(std::move(workload_usages));
}

void Controller::State::record_summary(const SnapshotSummary& summary,
                                       const BrakeVerdict& verdict,
                                       bool regular,
                                       WallTime now) {
  for (const std::string& warning : summary.warnings) log_warning(messages::kRemark, {{"remark", warning}});
  const std::vector<Effect> seen = effects.look(summary.balance_report, now);
  if (!seen.empty()) store.note_effects(effects.to_json());
  for (const Effect& effect : seen) {
    metrics.effect(effect);
    if (effect.helped) continue;
    record_lease_event(
        true, "ReschedulingDidNotHelp",
        fmt::format("{} was predicted to remove {:.1f} percentage points of load from hot nodes and removed "
                    "{:.1f}; the strategy is paused",
                    to_string(effect.strategy), effect.predicted, effect.measured));
  }
  // Only regular cycles add a sample. Otherwise a burst of events would look like a long time.
  if (regular) persistence.look(summary.hot, summary.uneven);
  status.holding = verdict.holding;
  status.balance_report = summary.balance_report;
  status.under_way = summary.facts.under_way;
  status.paused = store.pause();
  metrics.balance_report(summary.balance_report);
  metrics.brakes(verdict.holding);
  metrics.under_way(summary.facts.under_way);
  report_brakes(verdict);
}

void Controller::State::report_brakes(const BrakeVerdict& verdict) {
  std::string now;
  for (const ActiveBrake& one : verdict.holding) {
    // These two brakes come and go in normal operation, so they are not reported.
    if (one.brake == Brake::CapReached || one.brake == Brake::OutsideWindow) continue;
    now += (now.empty() ? "" : "; ") + one.sentence;
  }
  const std::string before = std::exchange(reported_brakes, now);
  if (now == before) return;
  if (now.empty()) {
    log_info(messages::kResumed);
    record_lease_event(false, "ReschedulingResumed", "No brake is engaged any more");
  } else {
    log_info(messages::kHeld, {{"brakes", now}});
    record_lease_event(true, "ReschedulingHeld", now);
  }
}

void Controller::State::record_lease_event(bool warning, std::string reason, std::string note) {
  kube::EventRecord record;
  record.regarding.api_version = "coordination.k8s.io/v1";
  record.regarding.kind = "Lease";
  record.regarding.ns = settings.ns;
  record.regarding.name = settings.name;
  record.type = warning ? kube::EventType::Warning : kube::EventType::Normal;
  record.reason = std::move(reason);
  record.action = "Rescheduling";
  record.note = std::move(note);
  events.record(std::move(record));
}

// --- Maintenance ---

net::Task<std::set<std::string>> Controller::State::maintain_nodes(SnapshotSummary& summary,
                                                                   const BrakeVerdict& verdict,
                                                                   WallTime now) {
  std::set<std::string> draining;
  status.drains.clear();
  for (const StrategyMode mode : {StrategyMode::Act, StrategyMode::Observe}) {
    const std::set<std::string> considered = maintenance.considered(summary.maintenance_nodes, mode);
    if (considered.empty()) continue;
    PlanScope scope = plan_scope_for({Strategy::NodeMaintenance}, considered);
    scope.mode = mode;
    scope.cooldowns = {};
    auto plan = co_await made_plan(std::move(scope), "feasibility", now);
    const std::function<std::vector<MaintenanceNode>(SnapshotReader&)> add = [&](SnapshotReader& at) {
      std::vector<MaintenanceNode> maintenance_nodes = summary.maintenance_nodes;
      at.add_blockers(*plan, summary.facts.under_way > 0, maintenance_nodes);
      return maintenance_nodes;
    };
    summary.maintenance_nodes = co_await there(planning, *snapshot_reader, add);
    if (mode == StrategyMode::Observe) {
      status.observed = plan;
      publish(*plan);
    }
  }
  status.maintenance_nodes = summary.maintenance_nodes;
  if (verdict.against(Strategy::NodeMaintenance) != nullptr) co_return draining;
  MaintenanceStep step = maintenance.next(summary.maintenance_nodes, now);
  metrics.maintenance(step.progress);
  status.drains = step.progress;
  for (const NodeActivity& activity : step.activity) {
    log_info(messages::kNodeActivity, {{"node", activity.node}, {"reason", activity.reason}, {"note", activity.note}});
    events.record(event_of(activity));
    if (settings.on_node_activity) settings.on_node_activity(activity);
  }
  draining = step.draining;
  co_await write_nodes(std::move(step));
  co_return draining;
}

net::Task<void> Controller::State::write_nodes(MaintenanceStep step) {
  for (const std::string& node : step.conditions_to_clear) {
    const bool cleared = co_await write_condition(node, std::nullopt);
    if (cleared) continue;
    std::erase_if(step.writes, [&](const NodeWrite& write) { return write.node == node; });
    run_soon("the conditions of a node could not be cleared");
  }
  for (const NodeWrite& write : step.writes) {
    std::string patch = cordon_patch(write, settings.name);
    const auto written = co_await kube::Client(*apis.writes).patch<api::Node>("", write.node, std::move(patch));
    if (written) continue;
    log_info(messages::kNodeNotChanged, {{"node", write.node}, {"err", written.error().message}});
    if (write.action != NodeAction::Report) run_soon("a node changed at the same time");
  }
  for (const auto& [node, progress] : step.progress) {
    if (!progress.uses_conditions) continue;
    [[maybe_unused]] const bool condition_written = co_await write_condition(node, progress);
  }
}

// If a node has the conditions of Kubernetes 1.37, updates them with the progress of the drain. Without progress: the
// maintenance is over.
net::Task<bool> Controller::State::write_condition(std::string node, std::optional<DrainProgress> progress) {
  boost::json::array conditions;
  const auto condition = [&](const char* type, bool holds) {
    boost::json::object one;
    one["type"] = type;
    one["status"] = holds ? "True" : "False";
    one["reason"] = "Rescheduler";
    one["message"] = progress
                         ? fmt::format("{} of {} pods have left", progress->total - progress->left, progress->total)
                         : std::string("the maintenance is over");
    one["lastHeartbeatTime"] = kube::format_time(services.clock->wall_now());
    conditions.push_back(std::move(one));
  };
  condition("DrainInProgress", progress && !progress->drained);
  condition("Drained", progress && progress->drained);
  boost::json::object patch;
  patch["status"] = boost::json::object{{"conditions", std::move(conditions)}};
  kube::PatchOptions options;
  options.kind = kube::PatchKind::StrategicMerge;
  options.subresource = "status";
  std::string text = boost::json::serialize(patch);
  const auto written = co_await kube::Client(*apis.writes).patch<api::Node>("", node, std::move(text), options);
  if (!written) log_debug("the conditions of node {} were not written: {}", node, written.error().message);
  co_return written.has_value() || written.error().code == Errc::NotFound;
}

// --- Plans ---

PlanScope Controller::State::plan_scope_for(std::vector<Strategy> strategies, std::set<std::string> draining) const {
  PlanScope scope;
  scope.strategies = std::move(strategies);
  scope.draining = std::move(draining);
  scope.caps = {0, 0, 0, 0};
  if (settings.steering) scope.steering = settings.steering();
  for (const migration::MoveRequest& request : migrator.under_way()) scope.held[request.uid] = "it is being moved";
  scope.seed = settings.seed;
  return scope;
}

net::Task<std::shared_ptr<const Plan>> Controller::State::made_plan(PlanScope scope, std::string mode, WallTime now) {
  const SteadyTime begin = services.clock->steady_now();
  const std::function<Plan(SnapshotReader&)> ask = [&scope, now](SnapshotReader& at) { return at.plan(scope, now); };
  Plan made = co_await there(planning, *snapshot_reader, ask);
  auto plan = std::make_shared<Plan>(std::move(made));
  if (plan->id.empty()) plan->id = fmt::format("{}-{}", mode, now.time_since_epoch().count());
  const std::chrono::duration<double> took = services.clock->steady_now() - begin;
  if (mode != "feasibility") metrics.planned(*plan, mode, took.count());
  co_return std::shared_ptr<const Plan>(std::move(plan));
}

net::Task<void> Controller::State::plan_to_act(BrakeVerdict verdict, std::set<std::string> draining, WallTime now) {
  const config::Brakes& brakes = settings.args->rescheduling.brakes;
  const auto held = [&](Strategy strategy) {
    const ActiveBrake* one = verdict.against(strategy);
    return one != nullptr && one->brake != Brake::CapReached;
  };
  // The current plan continues unless a brake holds one of its strategies, or a node must be drained: a drain goes
  // first.
  const bool yields = !draining.empty() && !held(Strategy::NodeMaintenance)
                      && std::ranges::find(acting.strategies, Strategy::NodeMaintenance) == acting.strategies.end();
  if (yields || std::ranges::any_of(acting.strategies, held)) plan_progress.drop();
  const bool too_old = now - adopted > settings.args->rescheduling.interval * kPlanLifeInIntervals;
  if (plan_progress.waiting() && !too_old) {
    metrics.cycle("busy");
    co_return;
  }
  std::vector<Strategy> strategies;
  // A pod in migration is still counted on its source and not yet on its target. A strategy that improves the cluster
  // would repeat the effect of such moves. So only a drain continues meanwhile.
  const bool settled = migrator.under_way().empty();
  for (const Strategy strategy : strategies_that(*settings.args, StrategyMode::Act)) {
    if (strategy == Strategy::NodeMaintenance ? draining.empty() : !settled) continue;
    if (verdict.against(strategy) == nullptr) strategies.push_back(strategy);
  }
  // A drain goes before all other strategies, and pods in cooldown have to leave the node too.
  const bool emptying = !strategies.empty() && strategies.front() == Strategy::NodeMaintenance;
  for (const bool first : {true, false}) {
    if (first && !emptying) continue;
    std::vector<Strategy> chosen = strategies;
    if (first) chosen = {Strategy::NodeMaintenance};
    if (!first && emptying) chosen.erase(chosen.begin());
    if (chosen.empty()) continue;
    PlanScope scope = plan_scope_for(std::move(chosen), draining);
    scope.caps = verdict.caps;
    scope.cooldowns = first ? cooldowns_from_refusals(store.history(), now) : cooldowns(store.history(), brakes, now);
    scope.evidence = persistence.evidence();
    scope.evidence->hot.insert(predicted.begin(), predicted.end());
    auto plan = co_await made_plan(scope, "act", now);
    if (plan->moves.empty()) continue;
    log_info(messages::kPlanMade, {{"plan", plan->id},
                                   {"moves", plan->moves.size()},
                                   {"balanceBefore", fmt::format("{:.1f}", plan->before.balance.score)},
                                   {"balanceAfter", fmt::format("{:.1f}", plan->after.balance.score)}});
    metrics.cycle("planned");
    status.acted_on = plan;
    effects.begun(*plan);
    if (settings.on_plan) settings.on_plan(*plan);
    plan_progress.adopt(plan);
    acting = std::move(scope);
    adopted = now;
    co_return;
  }
  if (!settled && strategies.empty()) {
    metrics.cycle("busy");
    co_return;
  }
  metrics.cycle(strategies.empty() ? "held" : "nothing-to-do");
}

net::Task<void> Controller::State::plan_to_observe(std::set<std::string> draining, WallTime now) {
  std::vector<Strategy> strategies = strategies_that(*settings.args, StrategyMode::Observe);
  std::erase(strategies, Strategy::NodeMaintenance);
  if (strategies.empty()) co_return;
  PlanScope scope = plan_scope_for(std::move(strategies), std::move(draining));
  scope.mode = StrategyMode::Observe;
  scope.caps = settings.args->rescheduling.brakes.per_cycle;
  scope.cooldowns = cooldowns(store.history(), settings.args->rescheduling.brakes, now);
  scope.evidence = persistence.evidence();
  auto plan = co_await made_plan(std::move(scope), "observe", now);
  status.observed = plan;
  publish(*plan);
}

void Controller::State::publish(const Plan& plan) {
  std::map<std::string, int> counts;
  for (const PlannedMove& move : plan.moves) ++counts[std::string(to_string(move.strategy))];
  std::string now;
  for (const auto& [strategy, count] : counts) now += fmt::format("{} would move {} pods; ", strategy, count);
  if (now == std::exchange(reported_plan, now) || now.empty()) return;
  record_lease_event(
      false, "ReschedulingPlanned",
      fmt::format("{}balance score {:.1f}, then {:.1f}", now, plan.before.balance.score, plan.after.balance.score));
}

// --- Moves ---

net::Task<void> Controller::State::advance() {
  while (!stopping) {
    const std::vector<PlannedMove> due =
        plan_progress.due(migrator.under_way(), settings.args->rescheduling.brakes.at_once);
    if (due.empty()) co_return;
    co_await take_cluster();
    const WallTime now = services.clock->wall_now();
    using Answers = std::vector<std::optional<std::string>>;
    const std::function<Answers(SnapshotReader&)> ask = [&](SnapshotReader& at) { return at.check(due, acting, now); };
    const Answers answers = co_await there(planning, *snapshot_reader, ask);
    std::vector<PlannedMove> still_so;
    for (std::size_t i = 0; i < due.size(); ++i) {
      if (!answers[i]) {
        still_so.push_back(due[i]);
        continue;
      }
      log_info(messages::kMoveDropped,
               {{"pod", due[i].ns + "/" + due[i].pod}, {"targetNode", due[i].target}, {"reason", *answers[i]}});
      metrics.refused("changed-since");
      plan_progress.skipped(due[i].uid);
    }
    const bool begun = co_await begin(std::move(still_so));
    if (!begun) co_return;
  }
}

net::Task<bool> Controller::State::begin(std::vector<PlannedMove> moves) {
  if (moves.empty()) co_return true;
  std::vector<migration::MoveRequest> requests;
  for (const PlannedMove& move : moves)
    requests.push_back(move_request_for(move, plan_progress.plan()->id, settings.deadline));
  const auto saved = co_await store.save_begun(requests, services.clock->wall_now());
  if (!saved || stopping) {
    plan_progress.drop();
    if (!saved && saved.error().code == Errc::Conflict) run_soon("the record of moves changed at the same time");
    if (!saved) log_warning(messages::kNoMoveBegins, {{"err", saved.error().message}});
    co_return false;
  }
  for (migration::MoveRequest& request : requests) {
    plan_progress.began(request.uid);
    if (settings.reservations.reserve_load) {
      const std::function<std::optional<cluster::Loads>(SnapshotReader&)> ask = [&](SnapshotReader& at) {
        return at.load_there(request.uid, request.target);
      };
      const auto load = co_await there(planning, *snapshot_reader, ask);
      if (load) settings.reservations.reserve_load(reservation_key(request.uid), request.target, *load);
    }
    log_info(messages::kMoveBegins, {{"pod", request.ns + "/" + request.pod},
                                     {"sourceNode", request.source},
                                     {"targetNode", request.target},
                                     {"reason", request.reason},
                                     {"strategy", request.strategy}});
    migrator.begin(std::move(request));
  }
  status.under_way = migrator.under_way().size();
  metrics.under_way(status.under_way);
  co_return true;
}

void Controller::State::ended(const migration::MoveOutcome& outcome) {
  const migration::MoveRequest& request = outcome.request;
  log_ended(outcome);
  store.note_ended(outcome);
  metrics.moved(outcome);
  const bool moved = has_moved(outcome.result);
  effects.ended(request.plan, request.source, moved, outcome.ended);
  plan_progress.ended(request.uid);
  if (settings.reservations.release) settings.reservations.release(reservation_key(request.uid));
  status.under_way = migrator.under_way().size();
  metrics.under_way(status.under_way);
  if (settings.on_outcome) settings.on_outcome(outcome);
  // Continues a drain without waiting for the interval.
  const bool emptying = request.strategy == to_string(Strategy::NodeMaintenance);
  if (emptying && !plan_progress.waiting() && status.under_way == 0) run_soon("a batch of a drain is over");
  wake();
}

}  // namespace rescheduler::rescheduling
