// Requests of users to the Controller: apply a published plan, change the mode of a strategy.
#include <algorithm>
#include <set>

#include <boost/asio/post.hpp>

#include "base/log.h"
#include "rescheduling/loop/controller_state.h"
#include "rescheduling/loop/modes.h"
#include "rescheduling/messages.h"

namespace rescheduler::rescheduling {

using config::Strategy;
using config::StrategyMode;

Result<void> Controller::State::apply_observed(const std::string& plan) {
  if (!leading || stopping) return fail(Errc::Conflict, "this process is not the leader and moves no pods");
  if (!status.observed || status.observed->id != plan) {
    return fail(Errc::Conflict, "plan {} is outdated: review the current plan", plan);
  }
  if (status.observed->moves.empty()) return fail(Errc::Invalid, "plan {} has no moves", plan);
  if (plan_progress.waiting())
    return fail(Errc::Conflict, "another plan is being carried out: wait until its moves have started");
  std::set<Strategy> strategies;
  for (const PlannedMove& move : status.observed->moves) strategies.insert(move.strategy);
  const BrakeVerdict verdict{status.holding};
  for (const Strategy strategy : strategies) {
    const ActiveBrake* one = verdict.against(strategy);
    if (one != nullptr && one->brake != Brake::CapReached) {
      return fail(Errc::Conflict, "a brake is engaged: {}", one->sentence);
    }
  }
  PlanScope scope = plan_scope_for({strategies.begin(), strategies.end()}, {});
  scope.mode = StrategyMode::Observe;
  acting = std::move(scope);
  adopted = services.clock->wall_now();
  status.acted_on = status.observed;
  effects.begun(*status.observed);
  if (settings.on_plan) settings.on_plan(*status.observed);
  plan_progress.adopt(status.observed);
  wake();
  return {};
}

void Controller::State::set_mode(Strategy strategy, StrategyMode mode) {
  auto changed = std::make_shared<config::ReschedulerSettings>(*settings.args);
  changed->rescheduling.modes[strategy] = mode;
  settings.args = changed;
  if (mode != StrategyMode::Observe && strategies_that(*changed, StrategyMode::Observe).empty())
    status.observed.reset();
  if (mode != StrategyMode::Act && std::ranges::find(acting.strategies, strategy) != acting.strategies.end())
    plan_progress.drop();
  boost::asio::post(planning,
                    [self = shared_from_this(), args = settings.args] { self->snapshot_reader->set_args(args); });
  log_info(messages::kStrategySwitched, {{"strategy", to_string(strategy)}, {"mode", to_string(mode)}});
  run_soon("the mode of a strategy was changed");
}

Result<void> Controller::apply_observed(const std::string& plan) { return state_->apply_observed(plan); }

std::vector<std::pair<Strategy, StrategyMode>> Controller::modes() const {
  std::vector<std::pair<Strategy, StrategyMode>> all;
  for (const Strategy strategy : config::kStrategies) {
    all.emplace_back(strategy, mode_of(*state_->settings.args, strategy));
  }
  return all;
}

void Controller::set_mode(Strategy strategy, StrategyMode mode) { state_->set_mode(strategy, mode); }

}  // namespace rescheduler::rescheduling
