// How often each lineage was given another node, and which nodes it failed on. Kept in annotations of the workload, in
// kse-rescheduler's shapes; what those have no room for stands beside it in the same JSON, where kse-rescheduler does
// not look. Pure values: reading, judging and writing.
//
//   kse.com/deploy, rs, job, cj, pod   {"currentReschedulingTimes": 3, "deployScheduledHosts": ["a", "b"], "slots":
//   [...]} kse.com/sts-pods-map               {"db-0": {"currentReschedulingTimes": 1, "podScheduledHosts": ["a"],
//   "slot": {...}}} kse.com/current-retries-times      3, of a DaemonSet; by node in rescheduler.io/daemon-retries
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
inline constexpr std::string_view kRetriesMisspelt = "scheduling-retires";  // as the guide has it in places
// On a replacement: whose place it takes.
inline constexpr std::string_view kSlot = "rescheduler.io/recovery-slot";

using Annotations = std::map<std::string, std::string>;

// --- How often ---

struct Retries {
  std::uint32_t allowed = 0;  // 0: nothing is done
  std::string complaint{};    // of what cannot be meant; empty: nothing is wrong
};
// Nothing: not asked for at all.
std::optional<Retries> read_retries(const Annotations& annotations, std::uint32_t most);

// --- What was ---

struct Visit {
  std::string node{};
  WallTime at{};
  bool lost = false;  // the node was away: that is nothing to hold against it
  friend bool operator==(const Visit&, const Visit&) = default;
};

// One replica of a Deployment, an ordinal, a node of a DaemonSet; of a Job, a CronJob or a pod the only one.
struct Slot {
  std::string id{};
  std::uint32_t times = 0;
  std::vector<Visit> visits{};         // the longest ago first
  std::vector<std::string> counted{};  // uids of the pods that were counted last: none is counted twice
  friend bool operator==(const Slot&, const Slot&) = default;
};

struct RetryLedger {
  std::vector<Slot> slots{};  // in the order of their ids
  const Slot* find(std::string_view id) const;
  Slot& at(std::string_view id);  // made if need be
  std::uint32_t times() const;
  std::vector<std::string> nodes() const;  // of all slots, each once, the longest ago first
  friend bool operator==(const RetryLedger&, const RetryLedger&) = default;
};

inline constexpr std::string_view kOnlySlot = "1";

// What cannot be read is an error: nobody counts on top of what he does not understand. `retries` shares out what
// kse-rescheduler counted for all replicas together.
Result<RetryLedger> read_ledger(OwnerKind kind, const Annotations& annotations, std::uint32_t retries, WallTime now);
// Annotations to set; nothing: to remove. Empty slots are left out.
std::map<std::string, std::optional<std::string>> write_ledger(OwnerKind kind, const RetryLedger& ledger);

// Visits that are too old, or too many, go; slots in which nothing is left too.
void tidy(RetryLedger& ledger, const config::VisitedSettings& settings, WallTime now);

// --- What is to be ---

// A live pod of the same owner, and the slot it says it is in.
struct Sibling {
  std::string uid{};
  std::string slot{};
};

// Whose place the pod has. Its own word counts, unless another has the same and the older right (the smaller uid); then
// a slot whose pod was taken away and not replaced so far, but none of `not_in`; then a new one, while there are fewer
// than replicas.
std::string slot_of(const RetryLedger& ledger,
                    const Sibling& pod,
                    const std::vector<Sibling>& live,
                    std::uint32_t replicas,
                    const std::set<std::string>& not_in = {});
// Slots whose pod is gone and not replaced, those counted longest ago first.
std::vector<std::string> open_slots(const RetryLedger& ledger, const std::vector<Sibling>& live);

enum class RetryVerdict : std::uint8_t {
  Retry,           // counted now; write it down, then take the pod away
  AlreadyCounted,  // only the taking away is left
  Exhausted,       // it had all its retries
  Application,     // it fails on every node: retrying is useless
};
std::string_view to_string(RetryVerdict retry_verdict);

struct PodFailure {
  std::string pod{};   // uid
  std::string node{};  // where
  std::string slot{};
  bool lost = false;  // the node is away
};

struct RetryDecision {
  RetryVerdict retry_verdict = RetryVerdict::Retry;
  std::string slot{};
  std::uint32_t attempt = 0;
  std::uint32_t of = 0;
  std::vector<std::string> avoiding{};  // nodes of the slot
  RetryLedger ledger{};                 // as it is to be
  std::string sentence() const;         // "attempt 2 of 3, avoiding node-a, node-b"
};

// `not_to_blame`: nodes that fail everybody; an owner's failures there say nothing of it.
RetryDecision judge(RetryLedger ledger,
                    OwnerKind kind,
                    const PodFailure& failure,
                    std::uint32_t retries,
                    const config::RecoverySettings& settings,
                    const std::set<std::string>& not_to_blame,
                    WallTime now);

// The slot's pod has been well for the whole window: it may fail as often as ever. True: that is news.
bool forgive(RetryLedger& ledger, std::string_view slot);

}  // namespace rescheduler::rescheduling::recovery
