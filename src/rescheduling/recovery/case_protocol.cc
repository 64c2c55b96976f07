#include "rescheduling/recovery/case_protocol.h"

namespace rescheduler::rescheduling::recovery {
namespace {

constexpr int kMostReads = 6;  // other clients write too; after this many conflicts the next cycle tries again

CaseAction done(CaseEnd end, std::string message = {}) { return case_action::Done{end, std::move(message)}; }

// Meaning of the status of an eviction: 429 a PodDisruptionBudget, 404 and 409 another pod, 500 two budgets.
CaseAction eviction_refused(const Error& error) {
  switch (error.code) {
    case Errc::NotFound:
    case Errc::Conflict: return done(CaseEnd::Gone, error.message);
    case Errc::Throttled: return done(CaseEnd::BudgetBlocked, error.message);
    case Errc::Denied:
    case Errc::Invalid: return done(CaseEnd::Forbidden, error.message);
    default: break;
  }
  const bool two_budgets = error.message.find("more than one PodDisruptionBudget") != std::string::npos;
  return done(two_budgets ? CaseEnd::Forbidden : CaseEnd::Failed, error.message);
}

}  // namespace

std::string_view to_string(CaseEnd end) {
  switch (end) {
    case CaseEnd::Removed: return "removed";
    case CaseEnd::Gone: return "gone";
    case CaseEnd::Stopped: return "stopped";
    case CaseEnd::BudgetBlocked: return "held-back";
    case CaseEnd::Forbidden: return "forbidden";
    case CaseEnd::Unread: return "unread";
    case CaseEnd::Ignored: return "ignored";
    case CaseEnd::Failed: return "failed";
  }
  return "?";
}

CaseAction CaseProtocol::begin() {
  step_ = Step::Reading;
  ++reads_;
  return case_action::ReadOwner{};
}

CaseAction CaseProtocol::next(const CaseInput& happened, WallTime now) {
  if (const auto* owner = std::get_if<case_input::OwnerRead>(&happened)) return read(*owner, now);
  if (std::holds_alternative<case_input::Allowed>(happened)) {
    step_ = Step::Writing;
    return case_action::Write{resource_version_, write_ledger(setting_.kind, decision_->ledger)};
  }
  if (std::holds_alternative<case_input::Written>(happened)) {
    step_ = Step::Removing;
    return case_action::Remove{};
  }
  if (std::holds_alternative<case_input::Removed>(happened)) return done(CaseEnd::Removed);
  return refused(std::get<case_input::Refused>(happened).error);
}

std::string CaseProtocol::slot_for(const RetryLedger& ledger, const case_input::OwnerRead& read) const {
  switch (setting_.kind) {
    case OwnerKind::Deployment:
    case OwnerKind::ReplicaSet:
      return slot_of(ledger, {setting_.finding.uid, setting_.own_slot}, read.live, read.owner.replicas,
                     setting_.not_in);
    case OwnerKind::StatefulSet: return setting_.finding.name;
    case OwnerKind::DaemonSet: return setting_.finding.node;
    case OwnerKind::Job:
    case OwnerKind::CronJob:
    case OwnerKind::Pod: break;
  }
  return std::string(kOnlySlot);
}

CaseAction CaseProtocol::read(const case_input::OwnerRead& read, WallTime now) {
  const auto retries = read_retries(read.owner.annotations, setting_.settings->most_retries);
  if (!retries || retries->allowed == 0) return done(CaseEnd::Ignored);
  auto ledger = read_ledger(setting_.kind, read.owner.annotations, retries->allowed, now);
  if (!ledger) return done(CaseEnd::Unread, ledger.error().message);
  const Finding& finding = setting_.finding;
  const bool lost = finding.symptom == Symptom::NodeLost || finding.symptom == Symptom::Unknown;
  const PodFailure failure{finding.uid, finding.node, slot_for(*ledger, read), lost};
  resource_version_ = read.resource_version;
  decision_ = judge(std::move(*ledger), {setting_.kind, retries->allowed}, failure, *setting_.settings,
                    setting_.faulty_nodes, now);
  switch (decision_->retry_verdict) {
    case RetryVerdict::Retry: break;
    case RetryVerdict::AlreadyCounted: step_ = Step::Removing; return case_action::Remove{};
    case RetryVerdict::Exhausted:
    case RetryVerdict::Application: return done(CaseEnd::Stopped);
  }
  step_ = Step::Asking;
  return case_action::Preflight{};
}

CaseAction CaseProtocol::read_again(const Error& error) {
  return reads_ < kMostReads ? begin() : done(CaseEnd::Failed, error.message);
}

CaseAction CaseProtocol::refused(const Error& error) {
  switch (step_) {
    case Step::Reading: return done(error.code == Errc::NotFound ? CaseEnd::Ignored : CaseEnd::Failed, error.message);
    case Step::Asking: return eviction_refused(error);
    case Step::Writing:
      // Conflict: the object changed, so it must be read again. Timeout: the write can have succeeded; reading shows
      // it.
      if (error.code == Errc::Conflict || error.code == Errc::Timeout) return read_again(error);
      return done(error.code == Errc::NotFound ? CaseEnd::Ignored : CaseEnd::Failed, error.message);
    case Step::Removing: break;
  }
  return eviction_refused(error);
}

}  // namespace rescheduler::rescheduling::recovery
