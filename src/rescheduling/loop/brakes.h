// Conditions that stop new moves. A pure function: it gets the state of the cluster and the history, and returns the
// active brakes with their reasons.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cluster/node_load.h"
#include "config/rescheduling_settings.h"
#include "rescheduling/history/move_history.h"

namespace rescheduler::rescheduling {

enum class Brake : std::uint8_t {
  Paused,         // by configuration or by annotation
  FailingZone,    // too many nodes of a zone are not ready
  PendingPods,    // too many pods are pending
  FailedMoves,    // too many of our moves failed
  CapReached,     // too many moves began recently or are in progress
  OutsideWindow,  // outside the configured time windows
  StaleLoad,      // load samples are missing or stale
  NoEffect,       // the moves of this strategy did not help
};
inline constexpr std::size_t kBrakeCount = 8;
std::string_view to_string(Brake brake);  // "paused", "failing-zone", ...: the metric's label

struct ZoneHealth {
  std::string name{};
  std::uint32_t nodes = 0;
  std::uint32_t unready = 0;
};

// The state of the cluster at the start of a cycle.
struct CycleFacts {
  bool paused = false;  // by annotation
  std::size_t pods = 0;
  std::size_t pending = 0;  // the pending pods among them
  std::vector<ZoneHealth> zones{};
  bool load_fresh = false;  // the load of most ready nodes is known and current
  std::string load_source{};
  std::size_t under_way = 0;
  std::map<config::Strategy, WallTime> backing_off{};  // end of the backoff (effects.h)
};

struct ActiveBrake {
  Brake brake{};
  std::optional<config::Strategy> only{};  // the brake holds only this strategy
  std::string sentence{};
};

struct BrakeVerdict {
  std::vector<ActiveBrake> holding{};
  config::MoveCaps caps{};  // what remains; meaningless while CapReached holds

  // The first brake that holds this strategy; null: none.
  const ActiveBrake* against(config::Strategy strategy) const;
};

// Time windows and pending pods do not hold NodeMaintenance, because a user wants the node drained now. Stale load
// holds only LoadBalancing.
BrakeVerdict judge(const config::ReschedulingSettings& settings,
                   const CycleFacts& facts,
                   const MoveHistory& history,
                   std::chrono::nanoseconds interval,
                   WallTime now);

// End of the pause after too many failures. The pause begins when the share of failures among the last `recent_moves`
// ended moves exceeds the limit, and lasts `rest`. Moves that caused a pause are not counted again.
std::optional<WallTime> failures_hold_until(const config::Brakes& brakes, const MoveHistory& history);

// Without windows: always true.
bool is_open(const std::vector<config::TimeWindow>& windows, WallTime now);

}  // namespace rescheduler::rescheduling
