#pragma once

#include "placement/args.h"
#include "rules/rule.h"
#include "usage/load_tracker.h"

namespace rescheduler::replay {

struct OurSettings {
  placement::ReschedulerArgs args{};
  usage::LoadTrackerSettings tracker{};
};

// "halfLife=600 bonus=0": seconds, points; also cpu, memory (weights), threshold (percent), percentile and window
// (seconds).
Result<OurSettings> parse_our_settings(std::string_view text);

RuleFactory rescheduler_plugin(const OurSettings& settings = {});

}  // namespace rescheduler::replay
