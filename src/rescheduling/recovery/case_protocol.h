// The protocol for one failing pod, from reading the retry ledger of its owner to its removal. A state machine: gets
// what happened, returns the next action.
//
//   ReadOwner --> Preflight --> Write --> Remove --> Done
//       ^            |            |          |
//       |            v            |          v
//       |     Done (refused)      |       Done (a PodDisruptionBudget refuses: retried later, the count stays)
//       |                         |
//       +--- conflict, timeout ---+
//
// The count is written with the pod's uid before the pod is removed, and only to the version that was read. So a crash
// in between, or two leaders in turn, count the pod once. If the uid is already in the ledger, the next action is
// Remove. A pod whose eviction a budget would refuse is not counted (Preflight).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "base/error.h"
#include "rescheduling/recovery/detector.h"
#include "rescheduling/recovery/pod_owners.h"
#include "rescheduling/recovery/retry_ledger.h"

namespace rescheduler::rescheduling::recovery {

enum class CaseEnd : std::uint8_t {
  Removed,        // the pod is terminating; counted
  Gone,           // the pod did not exist any more
  Stopped,        // no more retries: RetryDecision has the reason
  BudgetBlocked,  // a PodDisruptionBudget refuses for now
  Forbidden,      // eviction is impossible: two budgets, or a missing permission
  Unread,         // the ledger of the owner cannot be parsed
  Ignored,        // the owner has no scheduling-retries, or is deleted
  Failed,         // another error; a later attempt can succeed
};
std::string_view to_string(CaseEnd end);

// A merge patch that applies only to the version that was read.
std::string ledger_patch(const std::string& resource_version,
                         const std::map<std::string, std::optional<std::string>>& annotations);

namespace case_action {
struct ReadOwner {};
struct Preflight {};
struct Write {
  std::string resource_version{};
  std::map<std::string, std::optional<std::string>> annotations{};
};
struct Remove {};
struct Done {
  CaseEnd end{};
  std::string message{};  // of the refusal
};
}  // namespace case_action
using CaseAction = std::
    variant<case_action::ReadOwner, case_action::Preflight, case_action::Write, case_action::Remove, case_action::Done>;

namespace case_input {
struct OwnerRead {
  Owner owner{};
  std::string resource_version{};
  std::vector<Sibling> live{};  // pods of the owner
};
struct Allowed {};
struct Written {};
struct Removed {};
struct Refused {  // the last action was refused
  Error error{};
};
}  // namespace case_input
using CaseInput = std::
    variant<case_input::OwnerRead, case_input::Allowed, case_input::Written, case_input::Removed, case_input::Refused>;

struct CaseSetting {
  const config::RecoverySettings* settings = nullptr;
  Finding finding{};
  OwnerKind kind{};
  std::string own_slot{};  // the slot that the pod names
  std::set<std::string> faulty_nodes{};
  // Slots whose last pod ran at the same time as this pod, so this pod does not replace it.
  std::set<std::string> not_in{};
};

class CaseProtocol {
 public:
  explicit CaseProtocol(CaseSetting setting) : setting_(std::move(setting)) {}

  CaseAction begin();
  CaseAction next(const CaseInput& happened, WallTime now);

  // The last decision; empty: none was made.
  const std::optional<RetryDecision>& decision() const { return decision_; }

 private:
  enum class Step : std::uint8_t { Reading, Asking, Writing, Removing };

  CaseAction read(const case_input::OwnerRead& read, WallTime now);
  CaseAction refused(const Error& error);
  CaseAction read_again(const Error& error);
  std::string slot_for(const RetryLedger& ledger, const case_input::OwnerRead& read) const;

  CaseSetting setting_;
  Step step_ = Step::Reading;
  int reads_ = 0;
  std::string resource_version_;
  std::optional<RetryDecision> decision_;
};

}  // namespace rescheduler::rescheduling::recovery
