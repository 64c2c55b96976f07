// What was moved lately, and what came of it: kept in the cluster (move_history_store.h), so that a new leader knows
// it. Out of it come who is left alone for a while, and where a lineage is not sent back to.
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
  std::optional<WallTime> ended{};                               // nothing: under way, or nobody heard of its end
  migration::MoveResult result = migration::MoveResult::Failed;  // with `ended`
  std::string replacement{};
  std::string landed{};
  friend bool operator==(const PastMove&, const PastMove&) = default;
};

class MoveHistory {
 public:
  // Times are kept in whole seconds.
  static Result<MoveHistory> parse(std::string_view json);
  std::string to_json() const;

  void begun(const migration::MoveRequest& request, WallTime at);
  void ended(const migration::MoveOutcome& outcome);  // also of a move that was not known
  // Never did begin after all.
  void withdraw(std::string_view uid, WallTime began);
  // What is older than this, and of the rest the oldest where there are too many.
  void forget(WallTime now, std::chrono::nanoseconds older_than, std::size_t most);

  const std::vector<PastMove>& moves() const { return moves_; }  // by their beginning
  std::size_t begun_since(WallTime moment) const;
  friend bool operator==(const MoveHistory&, const MoveHistory&) = default;

 private:
  std::vector<PastMove> moves_;
};

// A move that was refused is tried again this soon: budgets come and go.
inline constexpr std::chrono::seconds kRefusedRest{60};

// Who is left alone for now, as far as the past knows them: a replacement by its name, for example.
struct Cooldowns {
  using PodName = std::pair<std::string, std::string>;  // namespace and name
  std::map<PodName, std::string> pods{};                // with the reason
  std::map<migration::Lineage, std::string>
      lineages{};  // all of their pods: one moves, and which it becomes is unknown
  PingPongGuard ping_pong{};
};

Cooldowns cooldowns(const MoveHistory& history, const config::Brakes& brakes, WallTime now);
// Where a pod has to leave, only that a refusal is not answered by asking again at once.
Cooldowns cooldowns_from_refusals(const MoveHistory& history, WallTime now);

}  // namespace rescheduler::rescheduling
