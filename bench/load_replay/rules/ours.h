#pragma once

#include "placement/rescheduler_args.h"
#include "rules/rule.h"
#include "usage/load_book.h"

namespace rescheduler::replay {

struct OurSettings {
  placement::ReschedulerArgs args{};
  usage::BookSettings book{};
};

RuleFactory rescheduler_plugin(const OurSettings& settings = {});

}  // namespace rescheduler::replay
