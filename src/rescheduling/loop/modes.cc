#include "rescheduling/loop/modes.h"

#include <algorithm>

#include "rescheduling/strategies/strategies.h"

namespace rescheduler::rescheduling {

using config::Strategy;
using config::StrategyMode;

StrategyMode mode_of(const config::ReschedulerSettings& args, Strategy strategy) {
  return args.rescheduling.enabled ? configured_mode(args.rescheduling, strategy) : StrategyMode::Off;
}

StrategyMode mode_in(const config::NodePool& pool, Strategy strategy, StrategyMode elsewhere) {
  const auto found = pool.modes.find(strategy);
  return found == pool.modes.end() ? elsewhere : found->second;
}

bool does(const config::ReschedulerSettings& args, Strategy strategy, StrategyMode mode) {
  const StrategyMode usual = mode_of(args, strategy);
  if (!args.rescheduling.enabled) return mode == StrategyMode::Off;
  return usual == mode || std::ranges::any_of(args.rescheduling.pools, [&](const config::NodePool& pool) {
           return mode_in(pool, strategy, usual) == mode;
         });
}

config::ReschedulerSettings only_where(const config::ReschedulerSettings& args, StrategyMode mode) {
  config::ReschedulerSettings changed = args;
  config::NodePool others;  // the first matching pool counts, so this one covers all remaining nodes
  others.name = "others";
  changed.rescheduling.pools.push_back(others);
  for (config::NodePool& pool : changed.rescheduling.pools) {
    for (const Strategy strategy : config::kStrategies) {
      const StrategyMode pool_mode = mode_in(pool, strategy, mode_of(args, strategy));
      pool.modes[strategy] = pool_mode == mode ? mode : StrategyMode::Off;
    }
  }
  return changed;
}

std::vector<Strategy> strategies_that(const config::ReschedulerSettings& args, StrategyMode mode) {
  std::vector<Strategy> chosen;
  for (const StrategyEntry& entry : kByImportance) {
    if (does(args, entry.strategy, mode)) chosen.push_back(entry.strategy);
  }
  return chosen;
}

}  // namespace rescheduler::rescheduling
