// One failing pod, from the look at its owner's books to its removal. Told what happened, answers what to do next.
//
//   ReadOwner --> Preflight --> Write --> Remove --> Done
//       ^            |            |          |
//       |            v            |          v
//       +------- conflict --------+       Done (a budget says no: later, and it stays counted)
//
// The count is written, with the pod's uid, before the pod is touched, and only onto the very version that was read: a
// process that dies in between, or two that lead in turn, count it once. Whoever finds the uid in the books goes
// straight to Remove. What a budget would refuse is not even counted (Preflight).
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
  Removed,    // it is on its way out; counted
  Gone,       // it was not there any more
  Stopped,    // no more retries: Decision says why
  HeldBack,   // a disruption budget says no, for now
  Forbidden,  // it will not be evicted as things are: two budgets, a missing permission
  Unread,     // the owner's books cannot be read
  Ignored,    // the owner does not ask for retries, or is gone
  Failed,     // later, perhaps
};
std::string_view to_string(CaseEnd end);

// A merge patch onto the version that was read, and no other.
std::string books_patch(const std::string& resource_version,
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
struct Refused {  // whatever was asked for
  Error error{};
};
}  // namespace case_input
using CaseInput = std::
    variant<case_input::OwnerRead, case_input::Allowed, case_input::Written, case_input::Removed, case_input::Refused>;

struct CaseSetting {
  const config::RecoverySettings* settings = nullptr;
  Finding finding{};
  OwnerKind kind{};
  std::string own_slot{};  // what the pod says
  std::set<std::string> not_to_blame{};
  std::set<std::string> not_in{};  // slots whose pods it was there together with: it replaces none of them
};

class CaseProtocol {
 public:
  explicit CaseProtocol(CaseSetting setting) : setting_(std::move(setting)) {}

  CaseAction begin();
  CaseAction next(const CaseInput& happened, WallTime now);

  // What was decided last; nothing: it did not come to that.
  const std::optional<RetryDecision>& decision() const { return decision_; }
  const std::string& complaint() const { return complaint_; }  // about scheduling-retries

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
  std::string complaint_;
};

}  // namespace rescheduler::rescheduling::recovery
