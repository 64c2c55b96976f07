#include "kube/leader/election_protocol.h"

#include <gtest/gtest.h>

#include "kube/value/time.h"

namespace rescheduler::kube {
namespace {

using namespace election;
using namespace std::chrono_literals;
using std::chrono::nanoseconds;

ElectionSettings settings_for(std::string identity) {
  ElectionSettings settings;
  settings.identity = std::move(identity);
  return settings;
}

// One candidate with its clock.
class Candidate {
 public:
  explicit Candidate(ElectionSettings settings = settings_for("me")) : protocol(std::move(settings), rng_) {}

  Action feed(Input happened) {
    Action action = protocol.next(happened, now());
    if (const auto* update = std::get_if<Update>(&action)) written_ = update->record;
    if (const auto* create = std::get_if<Create>(&action)) written_ = create->record;
    return action;
  }
  Action wait(nanoseconds duration) {
    clock.advance(duration);
    return feed(Woke{});
  }
  Now now() const { return Now{clock.steady_now(), clock.wall_now()}; }
  bool may_act() const { return protocol.may_act(clock.steady_now()); }

  // Becomes leader of a lease that it has just created, without delay.
  void lead() {
    feed(Started{});
    feed(Missing{});
    feed(Written{"1"});
    ASSERT_TRUE(protocol.leading());
  }
  const LeaseRecord& written() const { return written_; }  // the record of its last write

  ManualClock clock;
  Rng rng_{7};
  ElectionProtocol protocol;

 private:
  LeaseRecord written_;
};

LeaseRecord held_by(std::string holder, int renewals = 0) {
  LeaseRecord record;
  record.holder = std::move(holder);
  record.duration = 15s;
  record.transitions = 3;
  record.acquired = UnixTime{3600, 0};
  record.renewed = UnixTime{3600 + renewals, 0};
  return record;
}

template <class T>
bool is(const Action& action) {
  return std::holds_alternative<T>(action);
}

TEST(ElectionSettings, InvalidTimingsAndAnEmptyIdentityAreRefused) {
  struct Case {
    const char* what;
    nanoseconds lease, renew, retry;
    const char* says;
  };
  const Case cases[] = {
      {"defaults", 15s, 10s, 2s, ""},
      {"lease equals deadline", 10s, 10s, 2s, "must be longer than the renew deadline"},
      {"deadline leaves no second try", 15s, 2400ms, 2s, "1.2 times the retry period"},
      {"deadline just leaves one", 15s, 2401ms, 2s, ""},
      {"half seconds do not fit the record", 15500ms, 10s, 2s, "whole number of seconds"},
      {"no lease at all", 0s, -2s, 1s, "at least one"},
      {"no retry period", 15s, 10s, 0s, "must be greater than zero"},
  };
  for (const Case& c : cases) {
    ElectionSettings settings = settings_for("me");
    settings.lease_duration = c.lease;
    settings.renew_deadline = c.renew;
    settings.retry_period = c.retry;
    const auto valid = validate(settings);
    EXPECT_EQ(valid.has_value(), *c.says == '\0') << c.what;
    const std::string text = valid ? "" : valid.error().message;
    EXPECT_NE(text.find(c.says), std::string::npos) << text;
  }
  EXPECT_FALSE(validate(settings_for("")))
      << "an empty identity is invalid: an empty holder means that the lease is free";
}

TEST(ElectionProtocol, CreatesAMissingLeaseOnTheFirstStart) {
  Candidate candidate;
  EXPECT_TRUE(is<Read>(candidate.feed(Started{})));
  const Action action = candidate.feed(Missing{});
  ASSERT_TRUE(is<Create>(action));
  const LeaseRecord record = candidate.written();
  EXPECT_EQ(record.holder, "me");
  EXPECT_EQ(record.duration, 15s);
  EXPECT_EQ(record.transitions, 0);
  EXPECT_EQ(record.acquired, unix_micros(candidate.clock.wall_now()));
  EXPECT_FALSE(candidate.may_act()) << "the candidate does not lead before the response";

  const Action then = candidate.feed(Written{"1"});
  EXPECT_EQ(std::get<Sleep>(then).duration, 2s);
  EXPECT_TRUE(candidate.may_act());
}

TEST(ElectionProtocol, TakesAHeldLeaseOnlyAfterItsWholeDurationWasObserved) {
  Candidate candidate;
  candidate.feed(Started{});
  EXPECT_TRUE(is<Sleep>(candidate.feed(Found{held_by("other"), "5"})));
  candidate.wait(15s - 1ns);
  EXPECT_TRUE(is<Sleep>(candidate.feed(Found{held_by("other"), "5"})));
  candidate.wait(1ns);
  const Action action = candidate.feed(Found{held_by("other"), "5"});
  ASSERT_TRUE(is<Update>(action));
  EXPECT_EQ(std::get<Update>(action).version, "5");
  EXPECT_EQ(candidate.written().transitions, 4);
  EXPECT_EQ(candidate.written().holder, "me");
}

TEST(ElectionProtocol, RestartsTheWaitWhenTheLeaseRecordChanges) {
  Candidate candidate;
  candidate.feed(Started{});
  candidate.feed(Found{held_by("other", 0), "5"});
  candidate.wait(14s);
  EXPECT_TRUE(is<Sleep>(candidate.feed(Found{held_by("other", 1), "6"})));
  candidate.wait(14s);
  EXPECT_TRUE(is<Sleep>(candidate.feed(Found{held_by("other", 1), "6"})));
  candidate.wait(1s);
  EXPECT_TRUE(is<Update>(candidate.feed(Found{held_by("other", 1), "6"})));
}

TEST(ElectionProtocol, IgnoresTheTimesInTheLeaseRecord) {
  for (const auto skew : {-1000h, 1000h}) {
    Candidate candidate;
    LeaseRecord record = held_by("other");
    record.renewed = unix_micros(candidate.clock.wall_now() + skew);
    record.acquired = record.renewed;
    candidate.feed(Started{});
    EXPECT_TRUE(is<Sleep>(candidate.feed(Found{record, "5"}))) << skew.count();
    candidate.wait(15s);
    EXPECT_TRUE(is<Update>(candidate.feed(Found{record, "5"}))) << skew.count();
  }
}

TEST(ElectionProtocol, WaitsForTheDurationInTheRecordNotInTheSettings) {
  Candidate candidate;
  LeaseRecord record = held_by("other");
  record.duration = 60s;
  candidate.feed(Started{});
  candidate.feed(Found{record, "5"});
  candidate.wait(59s);
  EXPECT_TRUE(is<Sleep>(candidate.feed(Found{record, "5"})));
  candidate.wait(1s);
  EXPECT_TRUE(is<Update>(candidate.feed(Found{record, "5"})));
}

TEST(ElectionProtocol, UsesTheConfiguredDurationWhenTheRecordHasNone) {
  Candidate candidate;
  LeaseRecord record = held_by("other");
  record.duration = 0s;
  candidate.feed(Started{});
  EXPECT_TRUE(is<Sleep>(candidate.feed(Found{record, "5"})));
  candidate.wait(15s);
  EXPECT_TRUE(is<Update>(candidate.feed(Found{record, "5"})));
}

TEST(ElectionProtocol, TakesAReleasedLeaseAtOnce) {
  Candidate candidate;
  candidate.feed(Started{});
  ASSERT_TRUE(is<Update>(candidate.feed(Found{held_by(""), "5"})));
  EXPECT_EQ(candidate.written().transitions, 4);
}

TEST(ElectionProtocol, TheRetryPauseIsBetweenTheRetryPeriodAndTheMaximumJitter) {
  Candidate candidate;
  nanoseconds least = nanoseconds::max();
  nanoseconds most{0};
  candidate.feed(Started{});
  for (int round = 0; round < 200; ++round) {
    const Action action = candidate.feed(Found{held_by("other", round), std::to_string(round)});
    const nanoseconds pause = std::get<Sleep>(action).duration;
    least = std::min(least, pause);
    most = std::max(most, pause);
    candidate.wait(pause);
  }
  EXPECT_GE(least, 2s);
  EXPECT_LE(most, 4400ms);
  EXPECT_LT(least, 2500ms);
  EXPECT_GT(most, 4s);
}

TEST(ElectionProtocol, RenewsWithoutReadingAndKeepsAcquireTimeAndTransitions) {
  Candidate leader;
  leader.lead();
  const LeaseRecord first = leader.written();
  const Action action = leader.wait(2s);
  ASSERT_TRUE(is<Update>(action));
  EXPECT_EQ(std::get<Update>(action).version, "1");
  const LeaseRecord second = leader.written();
  EXPECT_EQ(second.acquired, first.acquired);
  EXPECT_EQ(second.transitions, first.transitions);
  EXPECT_EQ(second.renewed.seconds, first.renewed.seconds + 2);
}

TEST(ElectionProtocol, ARenewalChangesTheRecordEvenIfTheWallClockStandsStill) {
  Candidate leader;
  leader.lead();
  const LeaseRecord first = leader.written();
  leader.feed(Woke{});
  EXPECT_NE(leader.written(), first)
      << "other candidates wait for a change, and the server does not store an equal write";
}

TEST(ElectionProtocol, MayActUntilTheRenewDeadlineCountedFromTheStartOfTheRequest) {
  Candidate leader;
  leader.feed(Started{});
  leader.feed(Missing{});
  leader.clock.advance(4s);  // the answer is slow
  leader.feed(Written{"1"});
  leader.clock.advance(6s - 1ns);
  EXPECT_TRUE(leader.may_act());
  leader.clock.advance(1ns);
  EXPECT_FALSE(leader.may_act());
}

TEST(ElectionProtocol, ALateResponseDoesNotMakeTheCandidateLeader) {
  Candidate candidate;
  candidate.feed(Started{});
  candidate.feed(Missing{});
  candidate.clock.advance(10s);
  const Action action = candidate.feed(Written{"1"});
  EXPECT_FALSE(candidate.protocol.leading());
  ASSERT_TRUE(is<Read>(action));
  EXPECT_TRUE(is<Update>(candidate.feed(Found{candidate.written(), "1"})))
      << "the candidate holds the lease and writes again at once";
}

TEST(ElectionProtocol, AFrozenLeaderMayNotActEvenBeforeTheProtocolRunsAgain) {
  Candidate leader;
  leader.lead();
  leader.clock.advance(1h);
  EXPECT_FALSE(leader.may_act()) << "the deadline applies before the protocol runs";
  EXPECT_TRUE(is<Read>(leader.feed(Woke{})));
  EXPECT_FALSE(leader.protocol.leading());
}

TEST(ElectionProtocol, ALateResponseToARenewalDoesNotExtendTheLeadership) {
  Candidate leader;
  leader.lead();
  ASSERT_TRUE(is<Update>(leader.wait(2s)));
  leader.clock.advance(10s);
  leader.feed(Written{"2"});
  EXPECT_FALSE(leader.protocol.leading());
  EXPECT_FALSE(leader.may_act());
}

TEST(ElectionProtocol, ReadsTheLeaseAtOnceAfterAFailedRenewalAndRenewsTheNewVersion) {
  Candidate leader;
  leader.lead();
  const LeaseRecord mine = leader.written();
  leader.wait(2s);
  ASSERT_TRUE(is<Read>(leader.feed(Failed{})));
  EXPECT_TRUE(leader.may_act());
  const Action again = leader.feed(Found{mine, "9"});  // another client added a label: another version, the same record
  ASSERT_TRUE(is<Update>(again));
  EXPECT_EQ(std::get<Update>(again).version, "9");
  EXPECT_TRUE(is<Sleep>(leader.feed(Failed{}))) << "only one immediate second try per round";
  EXPECT_TRUE(is<Read>(leader.wait(2s)));
}

TEST(ElectionProtocol, StopsLeadingAtOnceWhenTheLeaseHasAnotherHolderOrNone) {
  for (const char* holder : {"other", ""}) {
    Candidate leader;
    leader.lead();
    leader.wait(2s);
    leader.feed(Failed{});
    leader.feed(Found{held_by(holder), "7"});
    EXPECT_FALSE(leader.protocol.leading()) << '\'' << holder << '\'';
    EXPECT_FALSE(leader.may_act());
  }
}

TEST(ElectionProtocol, StopsLeadingExactlyAtTheDeadlineWhicheverStepFails) {
  // Each round of a renewal fails at another step; none may extend the leadership.
  for (const bool read_works : {false, true}) {
    Candidate leader;
    leader.lead();
    const LeaseRecord mine = leader.written();
    const SteadyTime deadline = leader.clock.steady_now() + 10s;
    Action action = leader.wait(2s);
    while (leader.protocol.leading()) {
      ASSERT_LT(leader.clock.steady_now(), deadline);
      if (const auto* sleep = std::get_if<Sleep>(&action)) {
        ASSERT_LE(leader.clock.steady_now() + sleep->duration, deadline) << "must wake in time to stop";
        action = leader.wait(sleep->duration);
      } else if (const auto* read = std::get_if<Read>(&action)) {
        ASSERT_LE(leader.clock.steady_now() + read->timeout, deadline);
        leader.clock.advance(read->timeout);
        action = read_works ? leader.feed(Found{mine, "1"}) : leader.feed(Failed{});
      } else {
        const auto& update = std::get<Update>(action);
        ASSERT_LE(leader.clock.steady_now() + update.timeout, deadline);
        leader.clock.advance(update.timeout);
        action = leader.feed(Failed{});
      }
    }
    EXPECT_EQ(leader.clock.steady_now(), deadline);
    EXPECT_FALSE(leader.may_act());
  }
}

TEST(ElectionProtocol, ALeaderCreatesItsDeletedLeaseAgain) {
  Candidate leader;
  leader.lead();
  const LeaseRecord mine = leader.written();
  leader.wait(2s);
  leader.feed(Failed{});
  ASSERT_TRUE(is<Create>(leader.feed(Missing{})));
  EXPECT_EQ(leader.written().acquired, mine.acquired) << "the acquire time must not change";
  leader.feed(Written{"8"});
  EXPECT_TRUE(leader.may_act());
}

TEST(ElectionProtocol, ACandidateWaitsTheLeaseDurationAfterAHeldLeaseWasDeleted) {
  Candidate candidate;
  candidate.feed(Started{});
  candidate.feed(Found{held_by("other"), "5"});
  candidate.wait(14s);  // the holder may have renewed it just before the deletion
  EXPECT_TRUE(is<Sleep>(candidate.feed(Missing{})));
  candidate.wait(15s - 1ns);
  EXPECT_TRUE(is<Sleep>(candidate.feed(Missing{})));
  candidate.wait(1ns);
  EXPECT_TRUE(is<Create>(candidate.feed(Missing{})));
}

TEST(ElectionProtocol, ACandidateThatWasFrozenWhileTheLeaseWasMissingStartsWaitingAgain) {
  Candidate candidate;
  candidate.feed(Started{});
  candidate.feed(Found{held_by("other"), "5"});
  candidate.feed(Missing{});
  candidate.wait(5min);  // enough time for another candidate to create it, lead, and lose it by a deletion
  EXPECT_TRUE(is<Sleep>(candidate.feed(Missing{})));
  candidate.wait(15s);
  EXPECT_TRUE(is<Create>(candidate.feed(Missing{})));
}

TEST(ElectionProtocol, ACandidateWithWaitOutWaitsBeforeCreatingAMissingLease) {
  ElectionSettings settings = settings_for("me");
  settings.missing = MissingLease::WaitOut;
  Candidate candidate(settings);
  candidate.feed(Started{});
  EXPECT_TRUE(is<Sleep>(candidate.feed(Missing{})));
  candidate.wait(15s);
  EXPECT_TRUE(is<Create>(candidate.feed(Missing{})));
}

TEST(ElectionProtocol, RecognisesItsOwnWriteAfterALostResponse) {
  Candidate candidate;
  candidate.feed(Started{});
  candidate.feed(Found{held_by(""), "5"});
  const LeaseRecord claimed = candidate.written();
  candidate.feed(Failed{});
  candidate.wait(3s);
  ASSERT_TRUE(is<Update>(candidate.feed(Found{claimed, "6"}))) << "a candidate does not wait for its own lease";
  candidate.feed(Written{"7"});
  EXPECT_TRUE(candidate.may_act());
}

TEST(ElectionProtocol, RecognisesTheFirstOfTwoWritesOnTheSameVersion) {
  Candidate candidate;
  candidate.feed(Started{});
  candidate.feed(Found{held_by(""), "5"});
  const LeaseRecord first = candidate.written();
  candidate.feed(Failed{});  // the request is still in flight
  candidate.wait(3s);
  candidate.feed(Found{held_by(""), "5"});
  candidate.feed(Failed{});  // the second fails because the first arrived
  candidate.wait(3s);
  EXPECT_TRUE(is<Update>(candidate.feed(Found{first, "6"})));
}

TEST(ElectionProtocol, ARecordOfAnotherProcessWithTheSameIdentityIsNotItsOwn) {
  Candidate candidate;
  candidate.feed(Started{});
  EXPECT_TRUE(is<Sleep>(candidate.feed(Found{held_by("me"), "5"})));

  Candidate leader;
  leader.lead();
  leader.wait(2s);
  leader.feed(Failed{});
  leader.feed(Found{held_by("me"), "7"});
  EXPECT_FALSE(leader.protocol.leading());
}

TEST(ElectionProtocol, ReleasesOnlyALeaseThatTheCandidateHolds) {
  Candidate leader;
  leader.lead();
  const LeaseRecord mine = leader.written();
  leader.protocol.resign();
  EXPECT_FALSE(leader.may_act());
  EXPECT_FALSE(leader.protocol.release(Found{held_by("other"), "9"}, leader.now()));
  const auto release = leader.protocol.release(Found{mine, "9"}, leader.now());
  ASSERT_TRUE(release);
  EXPECT_EQ(release->version, "9");
  EXPECT_EQ(release->record.holder, "");
  EXPECT_EQ(release->record.duration, 1s);
  EXPECT_EQ(release->record.transitions, mine.transitions);
}

}  // namespace
}  // namespace rescheduler::kube
