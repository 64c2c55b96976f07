// The recent moves and their outcomes. The history is stored in the cluster (move_history_store.h), so that a new
// leader knows it. It determines cooldowns, and the nodes to which a lineage must not return.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "config/rescheduling_settings.h"
#include "migration/migrator.h"
#include "rescheduling/planning/ping_pong_guard.h"

namespace rescheduler::rescheduling {

struct PastMove {
  migration::Lineage lineage{};
  std::string pod{};
  std::string uid{};
  std::string source{};
  std::string target{};
  std::string strategy{};
  std::string plan{};
  WallTime began{};
  std::optional<WallTime> ended{};                               // empty: in progress, or the end is unknown
  migration::MoveResult result = migration::MoveResult::Failed;  // valid if `ended` is set
  std::string replacement{};
  std::string landed{};
  friend bool operator==(const PastMove&, const PastMove&) = default;
};

class MoveHistory {
 public:
  // JSON keeps times in whole seconds.
  static Result<MoveHistory> parse(std::string_view json);
  std::string to_json() const;

  void begun(const migration::MoveRequest& request, WallTime at);
  void ended(const migration::MoveOutcome& outcome);  // also for an unknown move
  // Drops moves older than `older_than`, then the oldest moves until at most `most` remain.
  void forget(WallTime now, std::chrono::nanoseconds older_than, std::size_t most);

  const std::vector<PastMove>& moves() const { return moves_; }  // in order of `began`
  std::size_t begun_since(WallTime moment) const;
  friend bool operator==(const MoveHistory&, const MoveHistory&) = default;

 private:
  std::vector<PastMove> moves_;
};

// A refused move is tried again after this time, because PodDisruptionBudgets change often.
inline constexpr std::chrono::seconds kRefusedRest{60};

// Pods and lineages in cooldown. The history knows a replacement pod only by its name, not by its uid.
struct Cooldowns {
  using PodName = std::pair<std::string, std::string>;  // namespace and name
  std::map<PodName, std::string> pods{};                // with the reason
  std::map<migration::Lineage, std::string>
      lineages{};  // all pods of the lineage, because the replacement pod is unknown
  PingPongGuard ping_pong{};
};

Cooldowns cooldowns(const MoveHistory& history, const config::Brakes& brakes, WallTime now);
// Only the cooldown after a refusal, for pods that must leave their node.
Cooldowns cooldowns_from_refusals(const MoveHistory& history, WallTime now);

}  // namespace rescheduler::rescheduling
