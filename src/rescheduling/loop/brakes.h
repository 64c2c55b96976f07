// What keeps us from moving anything: pure, told what is the case and what happened, answers what holds and why.
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
  Paused,         // by configuration, or by annotation
  FailingZone,    // too many nodes of a zone are not ready
  PendingPods,    // too many pods wait for a node
  FailedMoves,    // too many of our own moves failed
  CapReached,     // so many were begun lately, or are under way
  OutsideWindow,  // not at this hour
  StaleLoad,      // nothing fresh is known of how busy nodes are
  NoEffect,       // this strategy's moves did not help
};
inline constexpr std::size_t kBrakeCount = 8;
std::string_view to_string(Brake brake);  // "paused", "failing-zone", ...: the metric's label

struct ZoneHealth {
  std::string name{};
  std::uint32_t nodes = 0;
  std::uint32_t unready = 0;
};

// What is the case when a cycle begins.
struct CycleFacts {
  bool paused = false;  // by annotation
  std::size_t pods = 0;
  std::size_t pending = 0;  // of them
  std::vector<ZoneHealth> zones{};
  bool load_fresh = false;  // usage is measured, and of most nodes
  std::string load_source{};
  std::size_t under_way = 0;
  std::map<config::Strategy, WallTime> backing_off{};  // until (effects.h)
};

struct ActiveBrake {
  Brake brake{};
  std::optional<config::Strategy> only{};  // holds this strategy alone
  std::string sentence{};
};

struct BrakeVerdict {
  std::vector<ActiveBrake> holding{};
  config::MoveCaps caps{};  // what is left; of no use while CapReached holds

  // The first that keeps this strategy from acting.
  const ActiveBrake* against(config::Strategy strategy) const;
};

// A pod is moved because its node goes into maintenance: somebody wants it now. Windows do not hold that, nor does
// missing load.
BrakeVerdict judge(const config::ReschedulingSettings& settings,
                   const CycleFacts& facts,
                   const MoveHistory& history,
                   std::chrono::nanoseconds interval,
                   WallTime now);

// Until when too many failures hold us: after the last `recent_moves` ended moves had a larger share of failures than
// allowed, for `rest`. Those moves are not counted again.
std::optional<WallTime> failures_hold_until(const config::Brakes& brakes, const MoveHistory& history);

// No windows: always.
bool is_open(const std::vector<config::TimeWindow>& windows, WallTime now);

}  // namespace rescheduler::rescheduling
