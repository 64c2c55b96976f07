#include "kube/leader/election_protocol.h"

#include <algorithm>

#include "kube/value/time.h"

namespace rescheduler::kube {

using namespace election;
using std::chrono::nanoseconds;

namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

double in_seconds(nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

nanoseconds scaled(nanoseconds duration, double factor) {
  return nanoseconds{static_cast<nanoseconds::rep>(static_cast<double>(duration.count()) * factor)};
}

}  // namespace

Result<void> validate(const ElectionSettings& settings) {
  if (settings.identity.empty()) {
    return fail(Errc::Invalid, "leader election needs an identity that no other candidate has");
  }
  if (settings.retry_period <= nanoseconds{0}) {
    return fail(Errc::Invalid, "leader election: the retry period must be greater than zero");
  }
  if (settings.lease_duration < std::chrono::seconds{1}
      || settings.lease_duration % std::chrono::seconds{1} != nanoseconds{0}) {
    return fail(Errc::Invalid,
                "leader election: the lease duration ({} s) must be a whole number of seconds, at least one",
                in_seconds(settings.lease_duration));
  }
  if (settings.lease_duration <= settings.renew_deadline) {
    return fail(Errc::Invalid,
                "leader election: the lease duration ({} s) must be longer than the renew deadline ({} s); otherwise "
                "two replicas could lead at the same time",
                in_seconds(settings.lease_duration), in_seconds(settings.renew_deadline));
  }
  if (settings.renew_deadline <= scaled(settings.retry_period, kElectionJitter)) {
    return fail(Errc::Invalid,
                "leader election: the renew deadline ({} s) must be longer than {} times the retry period ({} s); "
                "otherwise there is no time for a retry",
                in_seconds(settings.renew_deadline), kElectionJitter, in_seconds(settings.retry_period));
  }
  return {};
}

Action ElectionProtocol::next(const Input& happened, Now now) {
  // First of all: an expired leader stops leading. Only a renewal that has just succeeded can extend the leadership,
  // counted from its own start.
  if (!std::holds_alternative<Written>(happened) && leading_ && now.steady >= valid_until_) leading_ = false;
  return std::visit(Overloaded{
                        [&](const Started&) { return woke(now); },
                        [&](const Woke&) { return woke(now); },
                        [&](const Found& lease) { return found(lease, now); },
                        [&](const Missing&) { return missing(now); },
                        [&](const Written& write) { return written(write, now); },
                        [&](const Failed&) { return failed(now); },
                    },
                    happened);
}

Action ElectionProtocol::woke(Now now) {
  if (!leading_ || !version_is_current_) return read(now);
  Action renewal = renew(now);
  attempt_->blind = true;
  return renewal;
}

Action ElectionProtocol::found(const Found& lease, Now now) {
  const bool is_new = !was_seen_ || absence_;
  was_seen_ = true;
  version_ = lease.version;
  version_is_current_ = true;
  absence_.reset();
  if (is_new || lease.record != observed_) {
    observed_ = lease.record;
    observed_at_ = now.steady;
  }
  if (is_ours(observed_)) return renew(now);
  if (claim_ && claim_->version != version_) claim_.reset();  // writes of this claim that are still in flight will fail
  leading_ = false;  // another process was faster than our clock says, or a user changed the lease
  if (may_be_taken(now.steady)) return take_over(now);
  return pause(now);
}

Action ElectionProtocol::missing(Now now) {
  if (leading_) return create(now);
  // During a long gap without reads, another process may have created and held the lease before it was deleted again.
  const bool looked_away = absence_ && now.steady - absence_->last_seen > settings_.lease_duration;
  if (!absence_ || looked_away) absence_ = Absence{now.steady, now.steady};
  absence_->last_seen = now.steady;
  version_.clear();
  if (!was_seen_ && settings_.missing == MissingLease::Create) return create(now);
  const nanoseconds wait = std::max(settings_.lease_duration, duration_of(observed_));
  if (now.steady - absence_->since >= wait) return create(now);
  return pause(now);
}

Action ElectionProtocol::written(const Written& write, Now now) {
  was_seen_ = true;
  version_ = write.version;
  version_is_current_ = true;
  absence_.reset();
  observed_ = attempt_->record;
  observed_at_ = now.steady;
  valid_until_ = attempt_->started + settings_.renew_deadline;
  attempt_.reset();
  leading_ = now.steady < valid_until_;
  if (!leading_) return read(now);  // the answer took too long; the lease is ours, so read and renew it again
  return Sleep{settings_.retry_period};
}

Action ElectionProtocol::failed(Now now) {
  // A leader renews without a read. If that fails, it reads the lease at once, because the deadline is near.
  const bool was_blind = attempt_ && attempt_->blind;
  attempt_.reset();
  version_is_current_ = false;
  return was_blind && leading_ ? read(now) : pause(now);
}

Action ElectionProtocol::read(Now now) const { return Read{timeout(now)}; }

Action ElectionProtocol::renew(Now now) {
  LeaseRecord record = observed_;
  record.duration = std::chrono::duration_cast<std::chrono::seconds>(settings_.lease_duration);
  record.renewed = unix_micros(now.wall);
  // Candidates detect a renewal by this change, and the server does not store a write that changes nothing.
  if (record.renewed == observed_.renewed) record.renewed = unix_micros(now.wall + std::chrono::microseconds{1});
  attempt(record, now);
  return Update{std::move(record), version_, timeout(now)};
}

Action ElectionProtocol::take_over(Now now) {
  LeaseRecord record = claim(now);
  record.transitions = observed_.transitions + 1;
  attempt(record, now);
  return Update{std::move(record), version_, timeout(now)};
}

Action ElectionProtocol::create(Now now) {
  LeaseRecord record;
  if (leading_) {
    record = observed_;
    record.renewed = unix_micros(now.wall);
  } else {
    record = claim(now);
  }
  attempt(record, now);
  return Create{std::move(record), timeout(now)};
}

Action ElectionProtocol::pause(Now now) {
  if (!leading_) return Sleep{scaled(settings_.retry_period, 1.0 + kElectionJitter * rng_->unit())};
  return Sleep{std::min(settings_.retry_period, valid_until_ - now.steady)};
}

bool ElectionProtocol::is_ours(const LeaseRecord& record) const {
  return record.holder == settings_.identity && claim_ && record.acquired == claim_->acquired;
}

bool ElectionProtocol::may_be_taken(SteadyTime now) const {
  return observed_.holder.empty() || now - observed_at_ >= duration_of(observed_);
}

// A record without a duration: use our own lease duration.
nanoseconds ElectionProtocol::duration_of(const LeaseRecord& record) const {
  return record.duration > std::chrono::seconds{0} ? nanoseconds{record.duration} : settings_.lease_duration;
}

// A write whose answer was lost may still reach the server while the lease has the version it was based on. All tries
// for one version are therefore one claim, and any of them is recognized as ours.
LeaseRecord ElectionProtocol::claim(Now now) {
  if (!claim_ || claim_->version != version_) claim_ = Claim{version_, unix_micros(now.wall)};
  LeaseRecord record;
  record.holder = settings_.identity;
  record.duration = std::chrono::duration_cast<std::chrono::seconds>(settings_.lease_duration);
  record.acquired = claim_->acquired;
  record.renewed = unix_micros(now.wall);
  return record;
}

void ElectionProtocol::attempt(const LeaseRecord& record, Now now) { attempt_ = Attempt{record, now.steady, false}; }

// Half the renew deadline, so that one hanging request leaves time for another; never beyond the own deadline.
nanoseconds ElectionProtocol::timeout(Now now) const {
  const nanoseconds most = settings_.renew_deadline / 2;
  return leading_ ? std::min(most, valid_until_ - now.steady) : most;
}

std::optional<Update> ElectionProtocol::release(const Found& lease, Now now) const {
  if (!is_ours(lease.record)) return std::nullopt;
  LeaseRecord record;
  record.duration = std::chrono::seconds{1};
  record.transitions = lease.record.transitions;
  record.acquired = unix_micros(now.wall);
  record.renewed = record.acquired;
  return Update{std::move(record), lease.version, settings_.renew_deadline / 2};
}

}  // namespace rescheduler::kube
