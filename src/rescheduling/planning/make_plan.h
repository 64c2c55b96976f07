// make_plan(world, request) -> plan: pure. What the controller, `rescheduler plan` and the tests all call.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config/rescheduler_settings.h"
#include "placement/framework.h"
#include "rescheduling/planning/ping_pong_guard.h"
#include "rescheduling/planning/plan.h"

namespace rescheduler::rescheduling {

class Snapshot;

// What a single look at the cluster cannot know: which nodes have been hot for long enough (Persistence). Nothing: what
// is hot now counts, as for somebody who asks once.
struct Evidence {
  std::set<std::string> hot{};  // nodes
  bool uneven = false;          // the cluster as a whole
};

// Who is not to be moved this time for reasons of the past, with the reason.
struct HeldPods {
  std::map<std::string, std::string> pods{};  // by uid: cooling down, being moved, not movable for good
  PingPongGuard ping_pong{};
};

struct PlanRequest {
  const config::ReschedulerSettings* args = nullptr;  // settings, with args->rescheduling
  const placement::Framework* framework = nullptr;    // whose filters every target passes
  std::vector<config::Strategy> strategies{};         // in order of importance; maintenance and repair before balance
  std::optional<Evidence> evidence{};
  HeldPods held{};
  config::MoveCaps caps{};           // what is left of them
  std::set<std::string> draining{};  // nodes under maintenance: everything movable leaves
  WallTime now{};
  std::uint64_t seed = 1;
  const Clock* clock = nullptr;  // only for `time`
  std::optional<std::chrono::nanoseconds> time{};
};

// Changes the world while it tries things out and leaves it as it was.
Plan make_plan(Snapshot& snapshot, const PlanRequest& request);

}  // namespace rescheduler::rescheduling
