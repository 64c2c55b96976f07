// Carries out moves: the rescheduler requests a move; a Migrator carries it out and reports the outcome.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace rescheduler::migration {

// The owner that a pod shares with its replacements: the top-level controlling owner that is known (a Deployment, not
// its ReplicaSet). A bare pod is its own lineage.
struct Lineage {
  std::string kind{};  // "Deployment", "StatefulSet", ..., "Pod"
  std::string ns{};
  std::string name{};
  std::string uid{};
  friend bool operator==(const Lineage&, const Lineage&) = default;
  friend auto operator<=>(const Lineage&, const Lineage&) = default;
};

enum class MoveMode : std::uint8_t { Automatic, Coordinated, MakeBeforeBreak, Direct };
std::string_view to_string(MoveMode mode);

// Moves one pod, identified by its UID, to one node.
struct MoveRequest {
  std::string ns{};
  std::string pod{};
  std::string uid{};
  Lineage lineage{};
  std::string source{};
  std::string target{};
  std::string strategy{};  // "LoadBalancing", ..., "Manual"
  std::string reason{};    // one sentence, for people
  MoveMode mode = MoveMode::Automatic;
  std::string plan{};  // ID of its plan
  std::chrono::seconds deadline{600};
  std::string predicted{};  // predicted effect, as JSON; copied to the record unparsed
};

enum class MoveResult : std::uint8_t {
  Succeeded,  // the replacement pod is ready on the target
  Elsewhere,  // the replacement pod is ready on another node
  Refused,    // nothing was done: a PodDisruptionBudget, a protection, or a state forbids the move
  Failed,     // started but not completed, or the replacement pod is on the source node again
  Stale,      // the pod was gone, or on another node than the request named
};
std::string_view to_string(MoveResult result);
// True if the replacement pod is ready on another node than the source.
bool has_moved(MoveResult result);

struct MoveOutcome {
  MoveRequest request{};
  MoveResult result = MoveResult::Failed;
  std::string replacement{};  // name of the new pod
  std::string landed{};       // node of the new pod
  std::string message{};      // why the move did not succeed
  WallTime began{};
  WallTime ended{};
};

// All calls on the thread of one loop. Started moves survive the process: the next process continues them.
class Migrator {
 public:
  virtual ~Migrator() = default;
  // The outcome is reported once, later, on the same thread: by this process or, after a restart, by the next one.
  virtual void begin(MoveRequest request) = 0;
  // The moves that have not ended, including those of earlier processes.
  virtual std::vector<MoveRequest> under_way() const = 0;
  virtual void on_outcome(std::function<void(const MoveOutcome&)> listener) = 0;
};

}  // namespace rescheduler::migration
