// Counts how often each slot of a workload got another node, and lists the nodes where it failed. Stored in annotations
// of the workload in the formats of kse-rescheduler. Additional fields are in the same JSON; kse-rescheduler ignores
// them. Pure values: parse, judge and serialize.
//
//   kse.com/deploy, rs, job, cj, pod
//       {"currentReschedulingTimes": 3, "deployScheduledHosts": ["a", "b"], "slots": [...]}
//   kse.com/sts-pods-map
//       {"db-0": {"currentReschedulingTimes": 1, "podScheduledHosts": ["a"], "slot": {...}}}
//   kse.com/current-retries-times
//       3, of a DaemonSet; by node in rescheduler.io/daemon-retries
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "config/recovery_settings.h"

namespace rescheduler::rescheduling::recovery {

enum class OwnerKind : std::uint8_t { Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob, Pod };
std::string_view to_string(OwnerKind kind);  // as in an API object

inline constexpr std::string_view kRetries = "scheduling-retries";
inline constexpr std::string_view kRetriesMisspelt = "scheduling-retires";  // the spelling of the guide in some places
// On a replacement pod: its slot.
inline constexpr std::string_view kSlot = "rescheduler.io/recovery-slot";

using Annotations = std::map<std::string, std::string>;

// --- Allowed retries ---

struct Retries {
  std::uint32_t allowed = 0;  // 0: no recovery
  std::string complaint{};    // about an invalid value; empty: valid
};
// Empty: the annotation is not set.
std::optional<Retries> read_retries(const Annotations& annotations, std::uint32_t most);

// --- The ledger ---

struct Visit {
  std::string node{};
  WallTime at{};
  bool lost = false;  // the node was lost, which is no evidence against it
  friend bool operator==(const Visit&, const Visit&) = default;
};

// One replica of a Deployment, one ordinal of a StatefulSet, one node of a DaemonSet. A Job, a CronJob and a bare pod
// have one slot.
struct Slot {
  std::string id{};
  std::uint32_t times = 0;
  std::vector<Visit> visits{};         // oldest first
  std::vector<std::string> counted{};  // uids of the last counted pods, so that no pod is counted twice
  friend bool operator==(const Slot&, const Slot&) = default;
};

struct RetryLedger {
  std::vector<Slot> slots{};  // in order of their ids
  const Slot* find(std::string_view id) const;
  Slot& at(std::string_view id);  // created if missing
  std::uint32_t times() const;
  std::vector<std::string> nodes() const;  // of all slots, each once, oldest first
  friend bool operator==(const RetryLedger&, const RetryLedger&) = default;
};

inline constexpr std::string_view kOnlySlot = "1";

// Fails on annotations that cannot be parsed, because a new count would overwrite them. `retries` divides the total
// count of kse-rescheduler among slots.
Result<RetryLedger> read_ledger(OwnerKind kind, const Annotations& annotations, std::uint32_t retries, WallTime now);
// Annotations to set; nullopt: to remove.
std::map<std::string, std::optional<std::string>> write_ledger(OwnerKind kind, const RetryLedger& ledger);

// Removes visits that are too old or too many, and slots that are then empty.
void prune(RetryLedger& ledger, const config::VisitedSettings& settings, WallTime now);

// --- Decisions ---

// A live pod of the same owner, and the slot that it names.
struct Sibling {
  std::string uid{};
  std::string slot{};
};

// The slot of the pod, the first of:
//   - the slot that has counted the pod
//   - the slot that the pod names, unless another pod names the same slot and has the smaller uid
//   - a slot whose pod was removed and not replaced yet, except those of `not_in`
//   - a new slot, while there are fewer slots than replicas
//   - the slot with the fewest retries
std::string slot_of(const RetryLedger& ledger,
                    const Sibling& pod,
                    const std::vector<Sibling>& live,
                    std::uint32_t replicas,
                    const std::set<std::string>& not_in = {});
// Slots whose pod was removed and not replaced yet, oldest count first.
std::vector<std::string> open_slots(const RetryLedger& ledger, const std::vector<Sibling>& live);

enum class RetryVerdict : std::uint8_t {
  Retry,           // counted now; write the ledger, then remove the pod
  AlreadyCounted,  // only the removal is left
  Exhausted,       // no retries left
  Application,     // the pod fails on every node: retrying is useless
};
std::string_view to_string(RetryVerdict retry_verdict);

struct PodFailure {
  std::string pod{};   // uid
  std::string node{};  // where it failed
  std::string slot{};
  bool lost = false;  // the node is lost
};

struct RetryOwner {
  OwnerKind kind{};
  std::uint32_t retries = 0;  // allowed for each of its pods
};

struct RetryDecision {
  RetryVerdict retry_verdict = RetryVerdict::Retry;
  std::string slot{};
  std::uint32_t attempt = 0;
  std::uint32_t of = 0;
  std::vector<std::string> avoiding{};  // nodes of the slot
  RetryLedger ledger{};                 // the updated ledger
  std::string sentence() const;         // "attempt 2 of 3, avoiding node-a, node-b"
};

// `faulty_nodes`: nodes where pods of many owners fail. Failures there are no evidence against the owner.
RetryDecision judge(RetryLedger ledger,
                    RetryOwner owner,
                    const PodFailure& failure,
                    const config::RecoverySettings& settings,
                    const std::set<std::string>& faulty_nodes,
                    WallTime now);

// The pod of the slot was healthy for the whole window, so its retries start from 0 again. True: the ledger changed.
bool reset_slot(RetryLedger& ledger, std::string_view slot);

}  // namespace rescheduler::rescheduling::recovery
