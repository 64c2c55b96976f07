// The mode of each strategy, from the documented switches and from our own settings.
#pragma once

#include <vector>

#include "config/rescheduler_settings.h"

namespace rescheduler::rescheduling {

// enableReschedulingController: false switches all strategies off. Otherwise rescheduling.modes sets the mode. A
// strategy without an entry there is in mode act if enabledStrategies names it, else off.
config::StrategyMode mode_of(const config::ReschedulerSettings& args, config::Strategy strategy);

// Whether the strategy has this mode on all nodes or in a pool.
bool does(const config::ReschedulerSettings& args, config::Strategy strategy, config::StrategyMode mode);

// The same settings, but each strategy is off on nodes where it has another mode. A plan with these settings contains
// only the moves of this mode.
config::ReschedulerSettings only_where(const config::ReschedulerSettings& args, config::StrategyMode mode);

// The strategies that have this mode on some nodes, most important first.
std::vector<config::Strategy> strategies_that(const config::ReschedulerSettings& args, config::StrategyMode mode);

}  // namespace rescheduler::rescheduling
