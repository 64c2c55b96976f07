// Who carries moves out. The rescheduler says what shall be where; a Mover brings it about and reports what came of it.
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

// Who a pod belongs to, across its replacements: the controlling owner at the top that is known (a Deployment, not its
// ReplicaSet). A pod of nobody is its own lineage.
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

// One pod to one node. A very pod: one with this uid.
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
  std::string plan{};  // id of the plan it belongs to
  std::chrono::seconds deadline{600};
  std::string predicted{};  // its effect, as JSON; goes into the record unread
};

enum class MoveResult : std::uint8_t {
  Succeeded,  // the replacement is ready, on the target
  Elsewhere,  // the replacement is ready, on another node
  Refused,    // nothing was done: a budget, a protection, a state that forbids it
  Failed,     // begun and not brought to its end; what was temporary is undone
  Stale,      // the pod was not there any more, or not where it was said to be
};
std::string_view to_string(MoveResult result);

struct MoveOutcome {
  MoveRequest request{};
  MoveResult result = MoveResult::Failed;
  std::string replacement{};  // name of the new pod
  std::string landed{};       // its node
  std::string message{};      // why it did not succeed
  WallTime began{};
  WallTime ended{};
};

// On one loop's thread. What was begun goes on when the process ends: the next one takes it up.
class Migrator {
 public:
  virtual ~Migrator() = default;
  // The outcome is told once, later, on the same thread - by this process or, after a restart, by the next.
  virtual void begin(MoveRequest request) = 0;
  // Not yet ended, with those begun by processes before this one.
  virtual std::vector<MoveRequest> under_way() const = 0;
  virtual void on_outcome(std::function<void(const MoveOutcome&)> tell) = 0;
};

}  // namespace rescheduler::migration
