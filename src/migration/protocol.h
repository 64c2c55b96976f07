// What a move does next: a pure function of its record and of what is seen in the cluster right now.
//
//   look at the cluster --> next(record, seen) --> one Step --> carried out --> look again
//
// Nothing else is remembered: whoever holds the record can go on, and every Step may be carried out twice. A Step that
// changes something outside the record comes only after the record says that it will.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "migration/record.h"
#include "migration/settings.h"

namespace rescheduler::migration {

struct ObservedPod {
  std::string name{};
  std::string uid{};
  std::string version{};
  std::string node{};
  std::string owner_kind{};  // of its controller
  std::string owner{};       // uid
  std::string scheduler{};
  std::string nominated{};
  std::string mark{};     // the Migration that has touched it
  std::string copy_of{};  // uid
  WallTime created{};
  bool ready = false;
  bool leaving = false;  // being deleted
  bool over = false;     // has run to its end
  bool gated = false;    // by us
  // Why it stays, whoever asks; empty: it may go.
  std::string protected_because{};
  std::string no_second_copy{};  // why two of it may not live at once; empty: they may
  std::string no_copy{};         // why it cannot be made again elsewhere at all
};

struct ObservedWorkload {
  std::string kind{};
  std::string name{};
  std::string uid{};
  std::string version{};
  std::string selector{};
  std::int32_t desired = -1;  // replicas; -1: it has no such number
  bool settled = true;        // no rollout under way
  bool leaving = false;
  bool autoscaled = false;
  std::string mark{};                     // the Migration that has touched it
  std::optional<std::int32_t> surged_to;  // by that Migration
  std::int32_t surged_from = 0;
  std::string protected_because{};
};

struct ObservedBudgets {
  std::uint32_t matching = 0;  // of others
  bool own = false;            // ours is there
  std::string own_uid{};
  bool own_counts = false;  // and its controller has seen it
};

struct StepRefusal {
  bool for_good = false;  // no second try will help: not allowed, or two budgets
  std::string message{};
};

struct ObservedState {
  WallTime now{};
  bool called_off = false;  // by somebody who asked, or deleted the record
  std::optional<ObservedPod> source{};
  std::optional<ObservedWorkload> workload{};  // nothing: gone, or the pod has none
  std::vector<ObservedPod> pods{};             // of the workload
  std::vector<ObservedWorkload> copied_to{};   // CleaningUp: ReplicaSets that have the intent too
  std::optional<ObservedPod> copy{};           // Direct
  bool copy_name_taken = false;                // by somebody else's pod
  std::optional<ObservedPod> restored{};       // Direct: the original, made again
  ObservedBudgets budgets{};
  std::string target_problem{};        // why nothing can go there; empty: it can
  std::string ahead{};                 // another move of the same workload that comes first
  std::string moved_by{};              // another move of the same pod
  bool preflight_passed = false;       // just now
  std::optional<StepRefusal> refusal;  // of the last thing that was tried
};

enum class StepType : std::uint8_t {
  Wait,            // until something changes, at most `wait`
  Write,           // `status`
  Preflight,       // would the source pod be let go?
  Evict,           // the source pod
  MarkWorkload,    // with the intent; scales to `replicas` in the same breath, if that is not -1
  UnmarkWorkload,  // takes all of it away
  UnmarkSets,      // and from the ReplicaSets it was copied to
  Retire,          // scales to `replicas` in the same breath as it takes the surge, but not the intent, away
  MarkPod,         // the source pod: first to go
  UnmarkPod,
  CreateBudget,
  DeleteBudget,
  Nominate,     // `pod` to `node`
  CreateCopy,   // of the manifest, under `name`
  ReleaseCopy,  // `pod`: it may be scheduled
  UnmarkCopy,   // `pod`: it is nobody's but its owner's
  DeletePod,    // `pod`
  Ended,
};
std::string_view to_string(StepType what);

struct Step {
  StepType what = StepType::Wait;
  std::chrono::nanoseconds wait{0};
  api::MigrationStatus status{};
  std::int32_t replicas = -1;
  ObservedPod pod{};
  std::string name{};
  std::string node{};
};

Step next(const api::Migration& migration, const ObservedState& observed, const MigrationSettings& settings);

// --- its parts ---

namespace steps {

Step wait(std::chrono::nanoseconds most = std::chrono::seconds{1});
Step write(api::MigrationStatus status);
Step conclude(const api::Migration& migration, const ObservedState& observed, MoveResult result, std::string message);

}  // namespace steps

struct ModeChoice {
  MoveMode mode = MoveMode::Coordinated;
  std::string why{};
  std::string refused{};  // not empty: it cannot be moved so
};
ModeChoice choose_mode(const api::Migration& migration,
                       const ObservedState& observed,
                       const MigrationSettings& settings);

Step next_coordinated(const api::Migration& migration,
                      const ObservedState& observed,
                      const MigrationSettings& settings);
Step next_make_before_break(const api::Migration& migration,
                            const ObservedState& observed,
                            const MigrationSettings& settings);
Step next_direct(const api::Migration& migration, const ObservedState& observed, const MigrationSettings& settings);
Step next_cleaning(const api::Migration& migration, const ObservedState& observed, const MigrationSettings& settings);

// The pod that stands in for the one that goes: of the same workload, not there before; one that landed where it was
// wanted before others. Null: none yet.
const ObservedPod* replacement_in(const api::Migration& migration, const ObservedState& observed);
// Another move's mark is on the workload, perhaps with a surge that is still to be undone: whoever overwrites it loses
// the number of replicas. The sweeper takes it away.
bool marked_by_another(const api::Migration& migration, const ObservedState& observed);
// Notes who is there already.
void note_known(api::MigrationStatus& status, const ObservedState& observed);
// May the workload lack one more replica? Empty: yes; else why not.
std::string budget_problem(const ObservedState& observed, const MigrationSettings& settings);
// What to do about a replacement that is not ready: nothing when there is nothing.
std::optional<Step> follow_replacement(const api::Migration& migration,
                                       const ObservedState& observed,
                                       const ObservedPod& replacement,
                                       const MigrationSettings& settings);

}  // namespace rescheduler::migration
