// Which strategies do what, by the documents' switches and by our own settings.
#pragma once

#include <vector>

#include "placement/rescheduler_args.h"

namespace rescheduler::rescheduling {

// enableReschedulingController: false switches all of them off; enabledStrategies those it does not name;
// rescheduling.modes has the last word.
placement::StrategyMode mode_of(const placement::ReschedulerArgs& args, placement::Strategy strategy);

// Of this mode, in order of importance: what must be before what is nicer.
std::vector<placement::Strategy> strategies_that(const placement::ReschedulerArgs& args, placement::StrategyMode mode);

}  // namespace rescheduler::rescheduling
