// Which strategies do what, by the documents' switches and by our own settings.
#pragma once

#include <vector>

#include "config/rescheduler_settings.h"

namespace rescheduler::rescheduling {

// enableReschedulingController: false switches all of them off; enabledStrategies those it does not name;
// rescheduling.modes has the last word.
config::StrategyMode mode_of(const config::ReschedulerSettings& args, config::Strategy strategy);

// On some nodes at least: everywhere, or in a pool.
bool does(const config::ReschedulerSettings& args, config::Strategy strategy, config::StrategyMode mode);

// The same settings with every strategy switched off on all nodes where it has another mode than this one: a plan made
// by them holds what is to be done in this mode, and nothing else.
config::ReschedulerSettings only_where(const config::ReschedulerSettings& args, config::StrategyMode mode);

// That have this mode somewhere, in order of importance: what must be before what is nicer.
std::vector<config::Strategy> strategies_that(const config::ReschedulerSettings& args, config::StrategyMode mode);

}  // namespace rescheduler::rescheduling
