// What a Controller does in a cycle, and with the moves that come of it.
#include <algorithm>

#include <boost/json.hpp>

#include "base/log.h"
#include "kube/client/client.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/metrics.pb.h"
#include "kube/value/quantity.h"
#include "kube/value/time.h"
#include "net/run_on.h"
#include "rescheduler/loop/controller_state.h"
#include "rescheduler/loop/modes.h"
#include "rescheduler/loop/news.h"
#include "rescheduler/messages.h"

namespace rescheduler::rescheduling {
namespace {

using config::Strategy;
using config::StrategyMode;

// What has not begun of a plan by then rests on a world that is long gone.
constexpr int kPlanLifeInIntervals = 4;

// On the planning executor, waited for on the caller's.
template <class T>
net::Task<T> there(net::Executor planning, Surveyor& surveyor, std::function<T(Surveyor&)> ask) {
  const auto asked = [&]() -> net::Task<T> { co_return ask(surveyor); };
  T answer = co_await net::run_on(planning, asked());
  co_return answer;
}

std::string booking_key(const std::string& uid) { return "move/" + uid; }

double cores_of(const api::Quantity& quantity) {
  const auto parsed = kube::Quantity::parse(quantity.string());
  return parsed ? parsed->to_double() : cluster::kUnknownLoad;
}

PodUse use_of(const api::PodMetrics& metrics) {
  PodUse use{metrics.metadata().namespace_(), metrics.metadata().name()};
  use.at = kube::time_from_unix(metrics.timestamp().seconds(), metrics.timestamp().nanos()).value_or(WallTime{});
  for (const api::ContainerMetrics& container : metrics.containers()) {
    for (const auto& [resource, amount] : container.usage()) {
      if (resource == "cpu") use.cpu += cores_of(amount);
      if (resource == "memory") use.memory += cores_of(amount);
    }
  }
  return use;
}

void log_ended(const migration::MoveOutcome& outcome) {
  using migration::MoveResult;
  const migration::MoveOrder& order = outcome.order;
  const bool moved = outcome.result == MoveResult::Succeeded || outcome.result == MoveResult::Elsewhere;
  log_info(moved ? messages::kMoveDone : messages::kMoveFailed, {{"pod", order.ns + "/" + order.pod},
                                                                 {"sourceNode", order.source},
                                                                 {"targetNode", order.target},
                                                                 {"result", to_string(outcome.result)},
                                                                 {"message", outcome.message}});
}

}  // namespace

net::Task<void> Controller::caught_up() {
  const std::shared_ptr<State> state = state_;
  const std::function<bool(Surveyor&)> nothing = [](Surveyor&) { return true; };
  (void)co_await there(state->planning, *state->surveyor, nothing);
}

net::Task<void> Controller::State::cycle(bool regular) {
  const WallTime now = services.clock->wall_now();
  ++status.cycles;
  const auto loaded = co_await store.load();
  if (!loaded) {
    // Without the past nothing is moved, and what was about to be neither.
    waves.drop();
    metrics.cycle("failed");
    log_warning(messages::kNothingKnown, {{"err", loaded.error().message}});
    co_return;
  }
  effects.restore(store.effects());
  co_await read_pod_use();
  const std::function<Survey(Surveyor&)> look = [now](Surveyor& at) { return at.survey(now); };
  Survey survey = co_await there(planning, *surveyor, look);
  survey.facts.paused = store.paused();
  survey.facts.under_way = mover.under_way().size();
  survey.facts.backing_off = effects.backing_off();
  const BrakeVerdict verdict =
      judge(settings.args->rescheduling, survey.facts, store.memory(), settings.args->rescheduling.interval, now);
  take_in(survey, verdict, regular, now);
  std::set<std::string> draining = co_await look_after_nodes(survey, verdict, now);
  co_await plan_to_act(verdict, draining, now);
  co_await plan_to_observe(draining, now);
  predicted.clear();
}

// What each pod uses, where metrics-server says so of nodes too: what others measure is not mixed with it. Otherwise it
// is worked out from what nodes use.
net::Task<void> Controller::State::read_pod_use() {
  const bool nobody_asks = !does(*settings.args, Strategy::LoadBalancing, StrategyMode::Act)
                           && !does(*settings.args, Strategy::LoadBalancing, StrategyMode::Observe);
  std::vector<PodUse> all;
  if (!nobody_asks && load_source == "metrics-server") {
    auto listed = co_await kube::Client(*apis.reads).list<api::PodMetrics>("");
    if (listed) {
      for (const auto& one : *listed) all.push_back(use_of(*one));
    } else {
      log_debug("what pods use is not known: {}", listed.error().message);
    }
  }
  if (all.empty() && !pods_measured) co_return;  // nothing to tell, and nothing to forget
  pods_measured = !all.empty();
  const std::function<usage::HabitsPtr(Surveyor&)> tell = [&all](Surveyor& to) { return to.pods_use(all); };
  usage::HabitsPtr habits = co_await there(planning, *surveyor, tell);
  if (settings.booking.expect) settings.booking.expect(std::move(habits));
}

void Controller::State::take_in(const Survey& survey, const BrakeVerdict& verdict, bool regular, WallTime now) {
  for (const std::string& warning : survey.warnings) log_warning(messages::kRemark, {{"remark", warning}});
  const std::vector<Effect> seen = effects.look(survey.picture, now);
  if (!seen.empty()) store.note_effects(effects.to_json());
  for (const Effect& effect : seen) {
    metrics.effect(effect);
    if (effect.helped) continue;
    tell_lease(true, "ReschedulingDidNotHelp",
               fmt::format("{} was to take {:.1f} points of load off hot nodes and took {:.1f}; it rests",
                           to_string(effect.strategy), effect.predicted, effect.measured));
  }
  // Events must not make a moment look like a while.
  if (regular) persistence.look(survey.hot, survey.uneven);
  load_source = survey.facts.load_source;
  status.holding = verdict.holding;
  status.picture = survey.picture;
  status.under_way = survey.facts.under_way;
  status.paused = store.pause();
  metrics.picture(survey.picture);
  metrics.brakes(verdict.holding);
  metrics.under_way(survey.facts.under_way);
  tell_brakes(verdict);
}

void Controller::State::tell_brakes(const BrakeVerdict& verdict) {
  std::string now;
  for (const Holding& one : verdict.holding) {
    // Those two come and go with every wave; a strategy's own concern nobody else.
    if (one.brake == Brake::CapReached || one.brake == Brake::OutsideWindow) continue;
    now += (now.empty() ? "" : "; ") + one.sentence;
  }
  const std::string before = std::exchange(told_brakes, now);
  if (now == before) return;
  if (now.empty()) {
    log_info(messages::kResumed);
    tell_lease(false, "ReschedulingResumed", "No brake holds any more");
  } else {
    log_info(messages::kHeld, {{"brakes", now}});
    tell_lease(true, "ReschedulingHeld", now);
  }
}

void Controller::State::tell_lease(bool warning, std::string reason, std::string note) {
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

net::Task<std::set<std::string>> Controller::State::look_after_nodes(Survey& survey,
                                                                     const BrakeVerdict& verdict,
                                                                     WallTime now) {
  const StrategyMode mode = mode_of(*settings.args, Strategy::NodeMaintenance);
  std::set<std::string> draining;
  status.cared = survey.cared;
  status.drains.clear();
  if (mode == StrategyMode::Off) co_return draining;
  const std::set<std::string> considered = maintenance.considered(survey.cared);
  if (!considered.empty()) {
    PlanWish wish = wish_for({Strategy::NodeMaintenance}, considered);
    wish.resting = {};
    auto plan = co_await made_plan(std::move(wish), "feasibility", now);
    const std::function<std::vector<CaredNode>(Surveyor&)> add = [&](Surveyor& at) {
      std::vector<CaredNode> cared = survey.cared;
      at.add_blockers(*plan, survey.facts.under_way > 0, cared);
      return cared;
    };
    survey.cared = co_await there(planning, *surveyor, add);
    status.cared = survey.cared;
    if (mode == StrategyMode::Observe) {
      status.observed = plan;
      publish(*plan);
    }
  }
  if (mode == StrategyMode::Observe || verdict.against(Strategy::NodeMaintenance) != nullptr) co_return draining;
  MaintenanceStep step = maintenance.next(survey.cared, now);
  metrics.maintenance(step.progress);
  status.drains = step.progress;
  for (const NodeNews& news : step.news) {
    log_info(messages::kNodeNews, {{"node", news.node}, {"reason", news.reason}, {"note", news.note}});
    events.record(news_of(news));
    if (settings.on_node_news) settings.on_node_news(news);
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
    look_soon("the conditions of a node are still to be cleared");
  }
  for (const NodeWrite& write : step.writes) {
    std::string patch = cordon_patch(write, settings.name);
    const auto written = co_await kube::Client(*apis.writes).patch<api::Node>("", write.node, std::move(patch));
    if (written) continue;
    log_info(messages::kNodeNotChanged, {{"node", write.node}, {"err", written.error().message}});
    look_soon("a node changed meanwhile");
  }
  for (const auto& [node, progress] : step.progress) {
    if (!progress.uses_conditions) continue;
    [[maybe_unused]] const bool told = co_await write_condition(node, progress);
  }
}

// Where a node has the conditions of Kubernetes 1.37 already, they say how far we are; without progress, that it is
// over.
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

PlanWish Controller::State::wish_for(std::vector<Strategy> strategies, std::set<std::string> draining) const {
  PlanWish wish;
  wish.strategies = std::move(strategies);
  wish.draining = std::move(draining);
  wish.caps = {0, 0, 0, 0};
  for (const migration::MoveOrder& order : mover.under_way()) wish.held[order.uid] = "it is being moved";
  wish.seed = settings.seed;
  return wish;
}

net::Task<std::shared_ptr<const Plan>> Controller::State::made_plan(PlanWish wish, std::string mode, WallTime now) {
  const SteadyTime begin = services.clock->steady_now();
  const std::function<Plan(Surveyor&)> ask = [&wish, now](Surveyor& at) { return at.plan(wish, now); };
  Plan made = co_await there(planning, *surveyor, ask);
  auto plan = std::make_shared<Plan>(std::move(made));
  if (plan->id.empty()) plan->id = fmt::format("{}-{}", mode, now.time_since_epoch().count());
  const std::chrono::duration<double> took = services.clock->steady_now() - begin;
  if (mode != "feasibility") metrics.planned(*plan, mode, took.count());
  co_return std::shared_ptr<const Plan>(std::move(plan));
}

net::Task<void> Controller::State::plan_to_act(BrakeVerdict verdict, std::set<std::string> draining, WallTime now) {
  const config::Brakes& brakes = settings.args->rescheduling.brakes;
  const auto held = [&](Strategy strategy) {
    const Holding* one = verdict.against(strategy);
    return one != nullptr && one->brake != Brake::CapReached;
  };
  // What is carried out goes on unless something holds it now, or a node is to be emptied: that goes first.
  const bool yields = !draining.empty() && !held(Strategy::NodeMaintenance)
                      && std::ranges::find(acting.strategies, Strategy::NodeMaintenance) == acting.strategies.end();
  if (yields || std::ranges::any_of(acting.strategies, held)) waves.drop();
  const bool too_old = now - adopted > settings.args->rescheduling.interval * kPlanLifeInIntervals;
  if (waves.waiting() && !too_old) {
    metrics.cycle("busy");
    co_return;
  }
  std::vector<Strategy> strategies;
  // What is on its way is neither gone from where it was nor there where it goes. Who would improve things on that
  // picture would do it twice; only a drain goes on meanwhile.
  const bool settled = mover.under_way().empty();
  for (const Strategy strategy : strategies_that(*settings.args, StrategyMode::Act)) {
    if (strategy == Strategy::NodeMaintenance ? draining.empty() : !settled) continue;
    if (verdict.against(strategy) == nullptr) strategies.push_back(strategy);
  }
  // A node that is to be emptied goes before everything else, and what rests elsewhere has to leave there all the same.
  const bool emptying = !strategies.empty() && strategies.front() == Strategy::NodeMaintenance;
  for (const bool first : {true, false}) {
    if (first && !emptying) continue;
    std::vector<Strategy> chosen = strategies;
    if (first) chosen = {Strategy::NodeMaintenance};
    if (!first && emptying) chosen.erase(chosen.begin());
    if (chosen.empty()) continue;
    PlanWish wish = wish_for(std::move(chosen), draining);
    wish.caps = verdict.caps;
    wish.resting = first ? resting_from_refusals(store.memory(), now) : resting(store.memory(), brakes, now);
    wish.evidence = persistence.evidence();
    wish.evidence->hot.insert(predicted.begin(), predicted.end());
    auto plan = co_await made_plan(wish, "act", now);
    if (plan->moves.empty()) continue;
    log_info(messages::kPlanMade, {{"plan", plan->id},
                                   {"moves", plan->moves.size()},
                                   {"balanceBefore", fmt::format("{:.1f}", plan->before.balance.score)},
                                   {"balanceAfter", fmt::format("{:.1f}", plan->after.balance.score)}});
    metrics.cycle("planned");
    status.acted_on = plan;
    effects.begun(*plan);
    if (settings.on_plan) settings.on_plan(*plan);
    waves.adopt(plan);
    acting = std::move(wish);
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
  PlanWish wish = wish_for(std::move(strategies), std::move(draining));
  wish.mode = StrategyMode::Observe;
  wish.caps = settings.args->rescheduling.brakes.per_cycle;
  wish.resting = resting(store.memory(), settings.args->rescheduling.brakes, now);
  wish.evidence = persistence.evidence();
  auto plan = co_await made_plan(std::move(wish), "observe", now);
  status.observed = plan;
  publish(*plan);
}

void Controller::State::publish(const Plan& plan) {
  std::map<std::string, int> counts;
  for (const PlannedMove& move : plan.moves) ++counts[std::string(to_string(move.strategy))];
  std::string now;
  for (const auto& [strategy, count] : counts) now += fmt::format("{} would move {} pods; ", strategy, count);
  if (now == std::exchange(told_plan, now) || now.empty()) return;
  tell_lease(
      false, "ReschedulingPlanned",
      fmt::format("{}balance score {:.1f}, then {:.1f}", now, plan.before.balance.score, plan.after.balance.score));
}

// --- Moves ---

net::Task<void> Controller::State::advance() {
  while (!stopping) {
    const std::vector<PlannedMove> due = waves.due(mover.under_way(), settings.args->rescheduling.brakes.at_once);
    if (due.empty()) co_return;
    const WallTime now = services.clock->wall_now();
    using Answers = std::vector<std::optional<std::string>>;
    const std::function<Answers(Surveyor&)> ask = [&](Surveyor& at) { return at.check(due, acting, now); };
    const Answers answers = co_await there(planning, *surveyor, ask);
    std::vector<PlannedMove> still_so;
    for (std::size_t i = 0; i < due.size(); ++i) {
      if (!answers[i]) {
        still_so.push_back(due[i]);
        continue;
      }
      log_info(messages::kMoveDropped,
               {{"pod", due[i].ns + "/" + due[i].pod}, {"targetNode", due[i].target}, {"reason", *answers[i]}});
      metrics.refused("changed-since");
      waves.skipped(due[i].uid);
    }
    const bool begun = co_await begin(std::move(still_so));
    if (!begun) co_return;
  }
}

net::Task<bool> Controller::State::begin(std::vector<PlannedMove> moves) {
  if (moves.empty()) co_return true;
  std::vector<migration::MoveOrder> orders;
  for (const PlannedMove& move : moves) orders.push_back(order_for(move, waves.plan()->id));
  const auto saved = co_await store.save_begun(orders, services.clock->wall_now());
  if (!saved || stopping) {
    waves.drop();
    if (!saved && saved.error().code == Errc::Conflict) look_soon("the record of moves changed meanwhile");
    if (!saved) log_warning(messages::kNoMoveBegins, {{"err", saved.error().message}});
    co_return false;
  }
  for (migration::MoveOrder& order : orders) {
    waves.began(order.uid);
    if (settings.booking.book) {
      const std::function<std::optional<cluster::Loads>(Surveyor&)> ask = [&](Surveyor& at) {
        return at.load_there(order.uid, order.target);
      };
      const auto load = co_await there(planning, *surveyor, ask);
      if (load) settings.booking.book(booking_key(order.uid), order.target, *load);
    }
    log_info(messages::kMoveBegins, {{"pod", order.ns + "/" + order.pod},
                                     {"sourceNode", order.source},
                                     {"targetNode", order.target},
                                     {"reason", order.reason},
                                     {"strategy", order.strategy}});
    mover.begin(std::move(order));
  }
  status.under_way = mover.under_way().size();
  metrics.under_way(status.under_way);
  co_return true;
}

void Controller::State::ended(const migration::MoveOutcome& outcome) {
  using migration::MoveResult;
  const migration::MoveOrder& order = outcome.order;
  log_ended(outcome);
  store.note_ended(outcome);
  metrics.moved(outcome);
  const bool moved = outcome.result == MoveResult::Succeeded || outcome.result == MoveResult::Elsewhere;
  effects.ended(order.plan, order.source, moved, outcome.ended);
  waves.ended(order.uid);
  if (settings.booking.release) settings.booking.release(booking_key(order.uid));
  status.under_way = mover.under_way().size();
  metrics.under_way(status.under_way);
  if (settings.on_outcome) settings.on_outcome(outcome);
  // A drain goes on as soon as it can.
  const bool emptying = order.strategy == to_string(Strategy::NodeMaintenance);
  if (emptying && !waves.waiting() && status.under_way == 0) look_soon("a wave of a drain is over");
  wake();
}

}  // namespace rescheduler::rescheduling
