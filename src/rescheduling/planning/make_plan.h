// make_plan(snapshot, request) -> plan is a pure function. The controller, `rescheduler plan` and the tests call it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config/rescheduler_settings.h"
#include "placement/framework.h"
#include "rescheduling/planning/ping_pong_guard.h"
#include "rescheduling/planning/plan.h"
#include "rescheduling/planning/steering.h"

namespace rescheduler::rescheduling {

class PlanBuilder;
class Snapshot;

// One strategy: it moves pods in the PlanBuilder and records the reasons.
struct StrategyEntry {
  config::Strategy strategy;
  void (*apply)(PlanBuilder& builder);
};

// Which nodes have been hot for long enough (PersistenceTracker). A single snapshot cannot show this. Without evidence,
// each node that is hot now counts, as in a single `rescheduler plan`.
struct Evidence {
  std::set<std::string> hot{};  // names of nodes
  bool uneven = false;          // the load of the whole cluster is uneven
};

// Pods that must not move in this plan because of earlier events, with the reason.
struct HeldPods {
  std::map<std::string, std::string> pods{};  // by uid: in cooldown, in migration, or permanently unmovable
  PingPongGuard ping_pong{};
};

struct PlanRequest {
  const config::ReschedulerSettings* args = nullptr;  // settings, with args->rescheduling
  const placement::Framework* framework = nullptr;    // each target must pass the filters of this framework
  std::vector<config::Strategy> strategies{};         // most important first: maintenance and repair before balance
  std::span<const StrategyEntry> table{};             // where to find them; empty: kByImportance in strategies.h
  std::optional<Evidence> evidence{};
  HeldPods held{};
  config::MoveCaps caps{};           // what remains of them
  std::set<std::string> draining{};  // nodes in maintenance: all movable pods leave
  Steering steering{};               // default: the replacement of every pod can be steered
  WallTime now{};
  std::uint64_t seed = 1;
  const Clock* clock = nullptr;  // only for `time`
  std::optional<std::chrono::nanoseconds> time{};
};

// The search tries moves on a copy of the snapshot.
Plan make_plan(const Snapshot& snapshot, const PlanRequest& request);

}  // namespace rescheduler::rescheduling
