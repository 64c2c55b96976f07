#include "rescheduler/modes.h"

#include <algorithm>

namespace rescheduler::rescheduling {

using placement::Strategy;
using placement::StrategyMode;

StrategyMode mode_of(const placement::ReschedulerArgs& args, Strategy strategy) {
  if (!args.enable_rescheduling_controller) return StrategyMode::Off;
  const auto said = args.rescheduling.modes.find(strategy);
  if (said != args.rescheduling.modes.end()) return said->second;
  const bool enabled = std::ranges::find(args.enabled_strategies, to_string(strategy)) != args.enabled_strategies.end();
  return enabled ? StrategyMode::Act : StrategyMode::Off;
}

std::vector<Strategy> strategies_that(const placement::ReschedulerArgs& args, StrategyMode mode) {
  std::vector<Strategy> chosen;
  for (const Strategy strategy : {Strategy::NodeMaintenance, Strategy::ConstraintRepair, Strategy::LoadBalancing,
                                  Strategy::ResourceOptimization}) {
    if (mode_of(args, strategy) == mode) chosen.push_back(strategy);
  }
  return chosen;
}

}  // namespace rescheduler::rescheduling
