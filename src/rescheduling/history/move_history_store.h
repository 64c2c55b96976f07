// Stores the move history in the ConfigMap `rescheduler-moves` in the namespace of the lease. The store writes before a
// move begins, and only to the version that it read. So an instance that read an older version does not act. The
// annotation `rescheduler.io/paused: "true"` on the ConfigMap pauses all moves.
//
// Used only on the thread of the event loop.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client/api.h"
#include "migration/migrator.h"
#include "net/task.h"
#include "rescheduling/history/move_history.h"

namespace rescheduler::api {
class ConfigMap;
}  // namespace rescheduler::api

namespace rescheduler::rescheduling {

inline constexpr std::string_view kMovesName = "rescheduler-moves";
inline constexpr std::string_view kPausedKey = "rescheduler.io/paused";
// Information for users: who paused, since when, and why.
inline constexpr std::string_view kPausedByKey = "rescheduler.io/paused-by";
inline constexpr std::string_view kPausedSinceKey = "rescheduler.io/paused-since";
inline constexpr std::string_view kPausedReasonKey = "rescheduler.io/paused-reason";

struct Pause {
  std::string by{};
  std::string since{};  // the text of the annotation
  std::string reason{};
};
// About 350 bytes each: a ConfigMap holds one megabyte.
inline constexpr std::size_t kMostMoves = 1000;

class MoveHistoryStore {
 public:
  MoveHistoryStore(kube::Api& api, std::string ns, std::chrono::nanoseconds history)
      : api_(api), ns_(std::move(ns)), remembered_(history) {}

  // Reads the ConfigMap, and creates it if it does not exist. Moves that cannot be parsed are an error, because no move
  // is safe without the history.
  net::Task<Result<void>> load();
  // Records that these moves are about to begin. On a conflict, another client has written meanwhile: the history is
  // read again, and the caller must decide again.
  net::Task<Result<void>> save_begun(std::vector<migration::MoveRequest> requests, WallTime now);
  // Kept in memory, and written by the next save_begun() or save_ended().
  void note_ended(const migration::MoveOutcome& outcome);
  net::Task<Result<void>> save_ended(WallTime now);

  // Strategies that back off because their moves did not help (EffectTracker::to_json). The next save writes it.
  void note_effects(std::string json);
  // Empty: never written.
  const std::string& effects() const { return effects_; }

  const MoveHistory& history() const { return history_; }
  bool paused() const { return paused_; }
  std::optional<Pause> pause() const;
  bool has_unsaved() const { return !unsaved_.empty() || effects_unsaved_; }

 private:
  net::Task<Result<void>> write(MoveHistory changed, WallTime now);

  kube::Api& api_;
  std::string ns_;
  std::chrono::nanoseconds remembered_;
  std::shared_ptr<const api::ConfigMap> map_;  // the last version that was read or written
  MoveHistory history_;
  bool paused_ = false;
  std::vector<migration::MoveOutcome> unsaved_;
  std::string effects_;
  bool effects_unsaved_ = false;
};

}  // namespace rescheduler::rescheduling
