// Which pods of other schedulers can be moved on purpose. The replacement of a moved pod gets its target node from our
// scheduler, or from the webhook if another scheduler places it. Without either, it can return to the node that it
// left.
#pragma once

#include <set>
#include <string>

#include "config/configuration.h"

namespace rescheduler::rescheduling {

struct Steering {
  std::set<std::string> own_schedulers{};   // schedulerNames whose pods our scheduler places
  std::string no_webhook{};                 // why the webhook does not steer pods of other schedulers; empty: it does
  std::set<std::string> without_webhook{};  // namespaces for whose pods the API server does not call the webhook
};

// As configured; a live controller adds whether the webhook works.
Steering steering_of(const config::Configuration& configuration);

}  // namespace rescheduler::rescheduling
