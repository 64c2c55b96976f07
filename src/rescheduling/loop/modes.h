// The mode of each strategy, from the documented switches and from our own settings.
#pragma once

#include <vector>

#include "config/rescheduler_settings.h"

namespace rescheduler::rescheduling {

// enableReschedulingController: false switches all strategies off. Otherwise config::configured_mode().
config::StrategyMode mode_of(const config::ReschedulerSettings& args, config::Strategy strategy);
// The mode on the nodes of a pool; `elsewhere` is the mode outside of pools.
config::StrategyMode mode_in(const config::NodePool& pool, config::Strategy strategy, config::StrategyMode elsewhere);

// Whether the strategy has this mode on all nodes or in a pool.
bool does(const config::ReschedulerSettings& args, config::Strategy strategy, config::StrategyMode mode);

// The same settings, but each strategy is off on nodes where it has another mode. A plan with these settings contains
// only the moves of this mode.
config::ReschedulerSettings only_where(const config::ReschedulerSettings& args, config::StrategyMode mode);

// The strategies that have this mode on some nodes, most important first.
std::vector<config::Strategy> strategies_that(const config::ReschedulerSettings& args, config::StrategyMode mode);

}  // namespace rescheduler::rescheduling
