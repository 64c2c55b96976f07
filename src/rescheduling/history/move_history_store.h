// Past moves in the cluster: the ConfigMap `rescheduler-moves` beside the lease. Written before a move begins, and only
// to the version that was read, so that whoever acted on an older one does not act. People pause everything with its
// annotation `rescheduler.io/paused: "true"`.
//
// Belongs to the loop's thread.
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
// Beside it, for people: who, since when, why.
inline constexpr std::string_view kPausedByKey = "rescheduler.io/paused-by";
inline constexpr std::string_view kPausedSinceKey = "rescheduler.io/paused-since";
inline constexpr std::string_view kPausedReasonKey = "rescheduler.io/paused-reason";

struct Pause {
  std::string by{};
  std::string since{};  // as it is written there
  std::string reason{};
};
// Some 350 bytes each: a ConfigMap holds a megabyte.
inline constexpr std::size_t kMostMoves = 1000;

class MoveHistoryStore {
 public:
  MoveHistoryStore(kube::Api& api, std::string ns, std::chrono::nanoseconds history)
      : api_(api), ns_(std::move(ns)), remembered_(history) {}

  // Reads it; makes it where there is none. What cannot be read as moves is an error: without the past nothing is safe.
  net::Task<Result<void>> load();
  // Writes down that these are about to begin. Conflict: somebody else wrote meanwhile; it is read anew, and what was
  // decided has to be decided again.
  net::Task<Result<void>> save_begun(std::vector<migration::MoveRequest> requests, WallTime now);
  // Kept, and written with the next save() or load().
  void note_ended(const migration::MoveOutcome& outcome);
  net::Task<Result<void>> save_ended(WallTime now);

  // Who rests because it did not help (EffectTracker::to_json); written with the next save.
  void note_effects(std::string json);
  // Nothing: nobody ever wrote any.
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
  std::shared_ptr<const api::ConfigMap> map_;  // as it was read or written last
  MoveHistory history_;
  bool paused_ = false;
  std::vector<migration::MoveOutcome> unsaved_;
  std::string effects_;
  bool effects_unsaved_ = false;
};

}  // namespace rescheduler::rescheduling
