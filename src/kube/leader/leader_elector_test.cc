#include "kube/leader/leader_elector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/coordination.pb.h"
#include "kube/value/time.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::kube {
namespace {

using namespace std::chrono_literals;
using test::ScriptedApi;
using test::VirtualTime;
using testing::ElementsAre;

LeaderSettings settings() {
  LeaderSettings settings;
  settings.ns = "kube-system";
  settings.name = "rescheduler-scheduler";
  settings.election.identity = "me";
  return settings;
}

LeaseRecord held_by(std::string holder, VirtualTime& time) {
  LeaseRecord record;
  record.holder = std::move(holder);
  record.duration = 15s;
  record.acquired = record.renewed = unix_micros(time.clock.wall_now());
  return record;
}

// One elector with its API and its time. `time` is the last member: the loop ends before the objects that its jobs use.
struct Fixture {
  explicit Fixture(LeaderSettings wanted = settings()) {
    LeaderCallbacks callbacks;
    callbacks.on_started_leading = [this] {
      transitions.push_back(elector->fence()->may_act() ? "started" : "started without permission to act");
    };
    callbacks.on_stopped_leading = [this] {
      transitions.push_back(elector->fence()->may_act() ? "stopped with permission to act" : "stopped");
    };
    callbacks.on_new_leader = [this](const std::string& identity) { leaders.push_back(identity); };
    elector = std::move(*LeaderElector::create(api, std::move(wanted), std::move(callbacks), time.services()));
  }

  // Runs the elector until it stops by itself or is cancelled before call number `cancel_before`.
  void run(std::size_t cancel_before = SIZE_MAX, ScriptedApi::Hook also = {}) {
    api.before_each([this, cancel_before, also](const ApiCall& call) -> std::optional<Error> {
      if (api.calls().size() == cancel_before) job.cancel();
      return also ? also(call) : std::nullopt;
    });
    auto ended = time.loop.await_result(start_and_wait());
    ASSERT_TRUE(ended) << ended.error().message;
  }
  net::Task<Result<void>> start_and_wait() {
    job = net::spawn(time.loop.executor(), "elector", elector->run());
    auto stopped = co_await elector->wait_stopped();
    co_return stopped;
  }

  void let_other_take(const std::string& holder) {
    api::Lease lease = api.find<api::Lease>("kube-system", "rescheduler-scheduler").value_or(api::Lease());
    lease.mutable_metadata()->set_namespace_("kube-system");
    lease.mutable_metadata()->set_name("rescheduler-scheduler");
    put_record(held_by(holder, time), lease);
    api.put(lease);
  }
  LeaseRecord record() const { return record_in(*api.find<api::Lease>("kube-system", "rescheduler-scheduler")); }
  double metric() {
    return time.metrics.gauge("leader_election_master_status", "", {{"name", "rescheduler-scheduler"}}).value();
  }

  ScriptedApi api;
  std::vector<std::string> transitions;
  std::vector<std::string> leaders;
  net::Job job;
  std::unique_ptr<LeaderElector> elector;
  VirtualTime time;
};

TEST(LeaderElector, RefusesInvalidSettings) {
  VirtualTime time;
  ScriptedApi api;
  LeaderSettings nameless = settings();
  nameless.name.clear();
  EXPECT_FALSE(LeaderElector::create(api, nameless, {}, time.services()));
  LeaderSettings late_renewal = settings();
  late_renewal.election.renew_deadline = late_renewal.election.lease_duration;
  EXPECT_FALSE(LeaderElector::create(api, late_renewal, {}, time.services()));
}

TEST(LeaderElector, LeadsUntilACancelAndKeepsTheLeaseByDefault) {
  Fixture fixture;
  fixture.run(10);
  EXPECT_THAT(fixture.transitions, ElementsAre("started", "stopped"));
  EXPECT_THAT(fixture.leaders, ElementsAre("me"));
  EXPECT_EQ(fixture.record().holder, "me");
  EXPECT_EQ(fixture.api.calls()[0].text, "get leases.coordination.k8s.io kube-system/rescheduler-scheduler");
  EXPECT_EQ(fixture.api.calls()[1].text, "create leases.coordination.k8s.io in kube-system");
  EXPECT_EQ(fixture.api.calls()[2].text, "update leases.coordination.k8s.io kube-system/rescheduler-scheduler");
  EXPECT_FALSE(fixture.elector->fence()->may_act());
}

TEST(LeaderElector, ReleasesTheLeaseAfterTheStopCallback) {
  LeaderSettings wanted = settings();
  wanted.release_when_cancelled = true;
  Fixture fixture(wanted);
  std::vector<std::string> transitions_at_release;
  fixture.run(6, [&](const ApiCall& call) -> std::optional<Error> {
    if (call.body != nullptr && record_in(static_cast<const api::Lease&>(*call.body)).holder.empty()) {
      transitions_at_release = fixture.transitions;
    }
    return std::nullopt;
  });
  EXPECT_THAT(transitions_at_release, ElementsAre("started", "stopped")) << "the leader must stop before the release";
  EXPECT_EQ(fixture.record().holder, "");
  EXPECT_EQ(fixture.record().duration, 1s);
}

TEST(LeaderElector, DoesNotReleaseTheLeaseOfAnotherHolder) {
  LeaderSettings wanted = settings();
  wanted.release_when_cancelled = true;
  Fixture fixture(wanted);
  fixture.run(6, [&](const ApiCall&) -> std::optional<Error> {
    if (fixture.api.calls().size() == 7) fixture.let_other_take("other");  // during the release
    return std::nullopt;
  });
  EXPECT_EQ(fixture.record().holder, "other");
}

TEST(LeaderElector, KeepsLeadingAfterOneFailureAtAnyStep) {
  const Error broken{Errc::Unavailable, "connection lost", {}, 0};
  for (const auto effect : {ScriptedApi::Effect::None, ScriptedApi::Effect::Done}) {
    for (std::size_t step = 0; step < 8; ++step) {
      Fixture fixture;
      fixture.api.fail_calls(step, 1, broken, effect);
      fixture.run(14);
      EXPECT_THAT(fixture.transitions, ElementsAre("started", "stopped")) << "failed at call " << step;
      EXPECT_EQ(fixture.record().holder, "me");
      EXPECT_EQ(fixture.record().transitions, 0) << "the lease never had another holder";
    }
  }
}

TEST(LeaderElector, StopsWithinTheRenewDeadlineWhenAllCallsFailFromAnyStepOn) {
  const Error broken{Errc::Unavailable, "connection lost", {}, 0};
  for (std::size_t step = 2; step < 10; ++step) {
    Fixture fixture;
    fixture.api.fail_calls(step, 1000, broken);
    fixture.run();
    ASSERT_THAT(fixture.transitions, ElementsAre("started", "stopped")) << "failed from call " << step;
    const auto now = unix_micros(fixture.time.clock.wall_now());
    EXPECT_LE(now.seconds - fixture.record().renewed.seconds, 10) << "the renew deadline is 10 s";
    EXPECT_FALSE(fixture.elector->fence()->may_act());
    EXPECT_EQ(fixture.metric(), 0);
  }
}

TEST(LeaderElector, NoRequestTimeoutExceedsTheRemainingLeadershipTime) {
  Fixture fixture;
  fixture.run(SIZE_MAX, [&](const ApiCall& call) -> std::optional<Error> {
    EXPECT_LE(call.timeout, 5s);
    EXPECT_EQ(call.repeat, Repeat::Never);
    if (fixture.api.calls().size() <= 2) return std::nullopt;
    EXPECT_LE(call.timeout, fixture.elector->fence()->time_left());
    fixture.time.clock.advance(call.timeout);
    return Error{Errc::Timeout, "no answer", {}, 0};
  });
  EXPECT_THAT(fixture.transitions, ElementsAre("started", "stopped"));
}

TEST(LeaderElector, TheFenceRefusesAFrozenProcessBeforeItsElectorRuns) {
  Fixture fixture;
  bool allowed_before = false;
  bool allowed_after = true;
  fixture.run(SIZE_MAX, [&](const ApiCall&) -> std::optional<Error> {
    if (fixture.api.calls().size() != 5) return std::nullopt;
    allowed_before = fixture.elector->fence()->may_act();
    fixture.time.clock.advance(1h);  // the process was suspended and resumed
    allowed_after = fixture.elector->fence()->may_act();
    return Error{Errc::Timeout, "no answer", {}, 0};
  });
  EXPECT_TRUE(allowed_before);
  EXPECT_FALSE(allowed_after);
  EXPECT_THAT(fixture.transitions, ElementsAre("started", "stopped"));
}

TEST(LeaderElector, BecomesLeaderAgainAfterALossWithRunAgain) {
  LeaderSettings wanted = settings();
  wanted.after_loss = AfterLoss::RunAgain;
  Fixture fixture(wanted);
  fixture.run(30, [&](const ApiCall&) -> std::optional<Error> {
    if (fixture.api.calls().size() == 5) fixture.let_other_take("other");
    return std::nullopt;
  });
  EXPECT_THAT(fixture.transitions, ElementsAre("started", "stopped", "started", "stopped"));
  EXPECT_THAT(fixture.leaders, ElementsAre("me", "other", "me"));
  EXPECT_EQ(fixture.record().transitions, 1);
}

TEST(LeaderElector, KeepsLabelsThatOtherClientsAddedToTheLease) {
  Fixture fixture;
  fixture.run(8, [&](const ApiCall&) -> std::optional<Error> {
    if (fixture.api.calls().size() != 4) return std::nullopt;
    api::Lease lease = *fixture.api.find<api::Lease>("kube-system", "rescheduler-scheduler");
    (*lease.mutable_metadata()->mutable_labels())["team"] = "a";
    fixture.api.put(lease);
    return std::nullopt;
  });
  EXPECT_THAT(fixture.transitions, ElementsAre("started", "stopped")) << "a new label must not end the leadership";
  const auto lease = *fixture.api.find<api::Lease>("kube-system", "rescheduler-scheduler");
  EXPECT_EQ(lease.metadata().labels().at("team"), "a");
}

TEST(LeaderIdentity, DiffersBetweenProcessesOfOneHost) {
  Rng rng(1);
  const std::string first = make_identity("node-1", rng);
  EXPECT_TRUE(first.starts_with("node-1_"));
  EXPECT_NE(first, make_identity("node-1", rng));
}

}  // namespace
}  // namespace rescheduler::kube
