// Decides on the next step of a migration: a pure function of its record and the observed cluster state.
//
//   observe the cluster --> next(record, observed) --> one Step --> carried out --> observe again
//
// There is no other state: a new leader can continue from the record, and every Step may be carried out twice. A Step
// that changes another object comes only after the record announces it.
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
  std::string owner_kind{};  // kind of its controller
  std::string owner{};       // UID of its controller
  std::string scheduler{};
  std::string nominated{};
  std::string mark{};     // name of the Migration in its label
  std::string copy_of{};  // UID of the original pod
  WallTime created{};
  bool ready = false;
  bool leaving = false;   // being deleted
  bool over = false;      // succeeded or failed
  bool gated = false;     // by kGate
  bool critical = false;  // system-critical: only a drain moves it
  // Why the pod must not be moved; empty: it can be moved.
  std::string protected_because{};
  std::string no_second_copy{};  // why two instances must not run at the same time; empty: they can
  std::string no_copy{};         // why the pod cannot be recreated on another node; empty: it can
};

struct ObservedWorkload {
  std::string kind{};
  std::string name{};
  std::string uid{};
  std::string version{};
  std::string selector{};
  std::int32_t desired = -1;  // replicas; -1: the kind has no replicas
  bool settled = true;        // no rollout in progress
  bool leaving = false;
  bool autoscaled = false;
  std::string mark{};                     // name of the Migration in its label
  std::optional<std::int32_t> surged_to;  // replicas that this Migration set; nullopt: no surge
  std::int32_t surged_from = 0;
  std::string protected_because{};
};

struct ObservedBudgets {
  std::uint32_t matching = 0;  // number of other PodDisruptionBudgets that match the pod
  bool own = false;            // the temporary PodDisruptionBudget exists
  std::string own_uid{};
  bool own_counts = false;  // the disruption controller has processed it
};

struct StepRefusal {
  bool for_good = false;  // a retry cannot help: forbidden, or two PodDisruptionBudgets match
  std::string message{};
};

struct ObservedState {
  WallTime now{};
  bool cancelled = false;  // a user cancelled the move or deleted the record
  std::optional<ObservedPod> source{};
  std::optional<ObservedWorkload> workload{};  // nullopt: deleted, or a bare pod
  std::vector<ObservedPod> pods{};             // of the workload
  std::vector<ObservedWorkload> copied_to{};   // CleaningUp: ReplicaSets with a copy of the intent
  std::optional<ObservedPod> copy{};           // Direct
  bool copy_name_taken = false;                // by a pod that does not belong to this migration
  std::optional<ObservedPod> restored{};       // Direct: the recreated original
  ObservedBudgets budgets{};
  std::string target_problem{};        // why the target accepts no pod; empty: it does
  std::string ahead{};                 // another move of the same workload that runs first
  std::string moved_by{};              // another move of the same pod
  bool preflight_passed = false;       // in the last step
  std::optional<StepRefusal> refusal;  // of the last step
};

enum class StepType : std::uint8_t {
  Wait,            // for a change, at most `wait`
  Write,           // writes `status`
  Preflight,       // dry run of the eviction of the source pod
  Evict,           // evicts the source pod
  MarkWorkload,    // writes the intent, to avoid `node`; in the same patch scales to `replicas` unless it is -1
  UnmarkWorkload,  // removes label, intent and surge
  UnmarkSets,      // removes them from the ReplicaSets with a copy of the intent
  Retire,          // one patch: scales to `replicas` and removes the surge from the intent
  MarkPod,         // gives the source pod the lowest deletion cost
  UnmarkPod,
  CreateBudget,
  DeleteBudget,
  Nominate,     // `pod` for `node`
  CreateCopy,   // creates a pod `name` from the manifest
  ReleaseCopy,  // removes the scheduling gate of `pod`
  UnmarkCopy,   // removes label and annotation from `pod`
  DeletePod,    // deletes `pod`
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

// --- Parts of next() ---

namespace steps {

Step wait(std::chrono::nanoseconds most = std::chrono::seconds{1});
Step write(api::MigrationStatus status);
Step conclude(const api::Migration& migration, const ObservedState& observed, MoveResult result, std::string message);
// The end of a move whose replacement `pod` is ready on `node`.
Step land(const api::Migration& migration,
          const ObservedState& observed,
          const std::string& pod,
          const std::string& node);

}  // namespace steps

struct ModeChoice {
  MoveMode mode = MoveMode::Coordinated;
  std::string why{};
  std::string refused{};  // not empty: why the pod cannot be moved
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

// The result of a move whose replacement pod is ready on this node. The source node again: nothing was gained.
MoveResult result_on(const api::Migration& migration, const std::string& node);
// The replacement of the source pod: a pod of the same workload that is new. A pod on the target node is preferred.
// Null: none yet.
const ObservedPod* replacement_in(const api::Migration& migration, const ObservedState& observed);
// True if the workload has the label of another Migration, perhaps with a surge that is still to be undone. A new
// intent would overwrite the original number of replicas. The sweeper removes label and intent.
bool marked_by_another(const api::Migration& migration, const ObservedState& observed);
// Records the existing pods, so that a replacement can be recognised as new.
void note_known(api::MigrationStatus& status, const ObservedState& observed);
// Why the workload cannot miss one more replica; empty: it can.
std::string budget_problem(const ObservedState& observed, const MigrationSettings& settings);
// Records the replacement pod, then nominates the target for it if another scheduler schedules it. Nullopt: neither is
// needed; the caller checks whether the pod is ready.
std::optional<Step> follow_replacement(const api::Migration& migration,
                                       const ObservedState& observed,
                                       const ObservedPod& replacement,
                                       const MigrationSettings& settings);

}  // namespace rescheduler::migration
