// Leader election over one Lease: what to do next, given what happened and when. No sockets, no clock, no sleeping.
//
//                 free, expired or ours                        Written in time
//   Read --Found------------------------> Update / Create ----------------------> leading, Sleep(retry period)
//    ^     \-- held by another --> Sleep(jittered) --+   ^                           |  Woke
//    |                                               |   +---------------------------+
//    +-----------------------------------------------+   Failed: Read again, as long as leadership is valid
//
// Facts the safety rests on:
//   1. The server applies a write only to the version it was based on (compare and swap).
//   2. Others take a held lease only after watching it unchanged for its whole duration, on their own clock. No
//      clock is ever compared with another one's; the times inside a record only show that it changed.
//   3. We may act until (start of the last write known to have succeeded) + renew deadline, on our clock. The server
//      applied that write later than its start and the others saw it later still, so with a renew deadline shorter
//      than the lease our time is over before theirs begins - whatever got lost, froze or was late in between.
//   4. A lease that vanished is waited for like a held one: whoever held it may still act.
//   5. A record in our name that this process did not write is somebody else's: two processes that were given the
//      same identity by mistake do not both lead.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include "base/clock.h"
#include "base/error.h"
#include "base/rng.h"
#include "kube/leader/lease_record.h"

namespace rescheduler::kube {

// Waits between tries to acquire are drawn from [retry period, retry period * (1 + this)].
inline constexpr double kElectionJitter = 1.2;

// What a candidate does that never saw the lease and finds none.
enum class MissingLease {
  Create,   // as client-go: a first start leads at once. Deleting a held lease by hand voids fact 4 for newcomers.
  WaitOut,  // waits one lease duration first
};

struct ElectionSettings {
  std::string identity{};  // unique among the candidates
  std::chrono::nanoseconds lease_duration = std::chrono::seconds{15};
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds{10};
  std::chrono::nanoseconds retry_period = std::chrono::seconds{2};
  MissingLease missing = MissingLease::Create;
};

Result<void> validate(const ElectionSettings& settings);

namespace election {

// What happened.
struct Started {};
struct Woke {};
struct Found {
  LeaseRecord record;
  std::string version;
};
struct Missing {};
struct Written {
  std::string version;
};
struct Failed {};  // a read or write; a write may have had its effect all the same
using Input = std::variant<Started, Woke, Found, Missing, Written, Failed>;

// What to do.
struct Read {
  std::chrono::nanoseconds timeout;
};
struct Create {
  LeaseRecord record;
  std::chrono::nanoseconds timeout;
};
struct Update {
  LeaseRecord record;
  std::string version;  // only if the lease still has it
  std::chrono::nanoseconds timeout;
};
struct Sleep {
  std::chrono::nanoseconds duration;
};
using Action = std::variant<Read, Create, Update, Sleep>;

struct Now {
  SteadyTime steady;  // read after what happened had happened, and before the next action begins
  WallTime wall;
};

}  // namespace election

class ElectionProtocol {
 public:
  ElectionProtocol(ElectionSettings settings, Rng& rng) : settings_(std::move(settings)), rng_(&rng) {}

  election::Action next(const election::Input& happened, election::Now now);

  bool leading() const { return leading_; }
  // While leading: the instant from which we may not act any more. Otherwise long past.
  SteadyTime valid_until() const { return leading_ ? valid_until_ : SteadyTime::min(); }
  bool may_act(SteadyTime now) const { return now < valid_until(); }
  const std::string& observed_holder() const { return observed_.holder; }

  // Stop leading of our own will. After that, the write that hands the lease on at once, given what it is now;
  // nothing if it is not ours.
  void resign() { leading_ = false; }
  std::optional<election::Update> release(const election::Found& found, election::Now now) const;

 private:
  using Action = election::Action;
  using Now = election::Now;

  Action woke(Now now);
  Action found(const election::Found& found, Now now);
  Action missing(Now now);
  Action written(const election::Written& written, Now now);
  Action failed(Now now);

  Action read(Now now) const;
  Action renew(Now now);
  Action take_over(Now now);
  Action create(Now now);
  Action pause(Now now);

  bool is_ours(const LeaseRecord& record) const;
  bool may_be_taken(SteadyTime now) const;
  std::chrono::nanoseconds duration_of(const LeaseRecord& record) const;
  LeaseRecord claim(Now now);
  void attempt(const LeaseRecord& record, Now now);
  std::chrono::nanoseconds timeout(Now now) const;

  struct Claim {
    std::string version;  // what it was based on; empty: no lease
    UnixTime acquired;    // with our identity, the mark of what this process wrote
  };
  struct Absence {
    SteadyTime since;
    SteadyTime last_seen;
  };
  struct Attempt {
    LeaseRecord record;
    SteadyTime started;
    bool blind;  // a renewal that trusts the version from last time
  };

  ElectionSettings settings_;
  Rng* rng_;

  LeaseRecord observed_;             // as last read or written
  SteadyTime observed_at_{};         // when it last changed, on our clock
  bool was_seen_ = false;            // has there ever been a lease?
  std::string version_;              // of the lease; empty: there is none
  bool version_is_current_ = false;  // as far as we know: worth an update without a read
  std::optional<Absence> absence_;   // of the lease, while it is missing
  std::optional<Claim> claim_;
  std::optional<Attempt> attempt_;  // the write under way

  bool leading_ = false;
  SteadyTime valid_until_{};
};

}  // namespace rescheduler::kube
