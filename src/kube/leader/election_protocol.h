// Leader election with one Lease: decides the next action after each input and time. No sockets, clock or sleeps.
//
//                 free, expired or ours                        Written in time
//   Read --Found------------------------> Update / Create ----------------------> leading, Sleep(retry period)
//    ^     \-- held by another --> Sleep(jittered) --+   ^                           |  Woke
//    |                                               |   +---------------------------+
//    +-----------------------------------------------+   Failed: Read again, as long as leadership is valid
//
// Safety relies on these facts:
//   1. The server applies a write only to the version it was based on (compare and swap).
//   2. A candidate takes a held lease only after it saw no change for the whole lease duration, on its own clock.
//      Clocks of different processes are never compared; the times in a record only show that the record changed.
//   3. The leader may act until (start of its last successful write) + renew deadline, on its own clock. The server
//      applied that write after its start, and candidates saw it even later. The renew deadline is shorter than the
//      lease duration, so the leader stops before a candidate can take over, whatever was lost, frozen or late.
//   4. Candidates wait for a deleted lease as for a held one, because its holder may still act.
//   5. A record with our identity that this process did not write belongs to another process: two processes that have
//      the same identity by mistake do not both lead.
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

// The wait between tries to acquire is random in [retry period, retry period * (1 + kElectionJitter)].
inline constexpr double kElectionJitter = 1.2;

// What a candidate does if there is no lease and it has never seen one.
enum class MissingLease {
  Create,   // as in client-go: leads at once. If a user deletes a held lease, fact 4 fails for new candidates.
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

// Inputs.
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
struct Failed {};  // a read or write failed; a failed write may still take effect
using Input = std::variant<Started, Woke, Found, Missing, Written, Failed>;

// Actions.
struct Read {
  std::chrono::nanoseconds timeout;
};
struct Create {
  LeaseRecord record;
  std::chrono::nanoseconds timeout;
};
struct Update {
  LeaseRecord record;
  std::string version;  // the write succeeds only if the lease still has this version
  std::chrono::nanoseconds timeout;
};
struct Sleep {
  std::chrono::nanoseconds duration;
};
using Action = std::variant<Read, Create, Update, Sleep>;

struct Now {
  SteadyTime steady;  // read after the input happened and before the next action starts
  WallTime wall;
};

}  // namespace election

class ElectionProtocol {
 public:
  ElectionProtocol(ElectionSettings settings, Rng& rng) : settings_(std::move(settings)), rng_(&rng) {}

  election::Action next(const election::Input& happened, election::Now now);

  bool leading() const { return leading_; }
  // While leading: the time when this process must stop acting. Otherwise in the past.
  SteadyTime valid_until() const { return leading_ ? valid_until_ : SteadyTime::min(); }
  bool may_act(SteadyTime now) const { return now < valid_until(); }
  const std::string& observed_holder() const { return observed_.holder; }

  // resign() gives up leadership. release() then returns the write that frees the lease at once, for the lease as just
  // read; nullopt if the lease is not ours.
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
    std::string version;  // the version of the lease that it was based on; empty: no lease
    UnixTime acquired;    // together with our identity, marks the records of this process
  };
  struct Absence {
    SteadyTime since;
    SteadyTime last_seen;
  };
  struct Attempt {
    LeaseRecord record;
    SteadyTime started;
    bool blind;  // a renewal without a read before it, based on the last version
  };

  ElectionSettings settings_;
  Rng* rng_;

  LeaseRecord observed_;             // as last read or written
  SteadyTime observed_at_{};         // when the record last changed, on our clock
  bool was_seen_ = false;            // true if there has ever been a lease
  std::string version_;              // of the lease; empty: there is no lease
  bool version_is_current_ = false;  // probably current, so that an update without a read makes sense
  std::optional<Absence> absence_;   // set while the lease is missing
  std::optional<Claim> claim_;
  std::optional<Attempt> attempt_;  // the write in progress

  bool leading_ = false;
  SteadyTime valid_until_{};
};

}  // namespace rescheduler::kube
