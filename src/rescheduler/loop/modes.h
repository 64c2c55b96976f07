// Which strategies do what, by the documents' switches and by our own settings.
#pragma once

#include <vector>

#include "placement/rescheduler_args.h"

namespace rescheduler::rescheduling {

// enableReschedulingController: false switches all of them off; enabledStrategies those it does not name;
// rescheduling.modes has the last word.
placement::StrategyMode mode_of(const placement::ReschedulerArgs& args, placement::Strategy strategy);

// On some nodes at least: everywhere, or in a pool.
bool does(const placement::ReschedulerArgs& args, placement::Strategy strategy, placement::StrategyMode mode);

// The same settings with every strategy switched off on all nodes where it has another mode than this one: a plan made
// by them holds what is to be done in this mode, and nothing else.
placement::ReschedulerArgs only_where(const placement::ReschedulerArgs& args, placement::StrategyMode mode);

// That have this mode somewhere, in order of importance: what must be before what is nicer.
std::vector<placement::Strategy> strategies_that(const placement::ReschedulerArgs& args, placement::StrategyMode mode);

}  // namespace rescheduler::rescheduling
