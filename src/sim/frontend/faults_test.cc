// Every WireFaults fault, through both frontends.
#include "sim/frontend/faults.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/frontend/frontend_objects.h"
#include "sim/frontend/frontend_rig.h"

namespace rescheduler::sim {
namespace {

using kube::ApiCall;
using kube::Client;
using kube::Verb;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

class WireFaultsTest : public testing::TestWithParam<bool> {
 protected:
  WireFaultsTest() {
    if (GetParam()) {
      rig_ = std::make_unique<LocalRig>();
    } else {
      rig_ = std::make_unique<HttpsRig>();
    }
    rig_->run_on_server_thread([this] {
      api::Namespace ns;
      ns.mutable_metadata()->set_name("web");
      EXPECT_TRUE(rig_->server.create(ns));
    });
  }

  WireFaults::RuleId add(FaultRule rule) {
    WireFaults::RuleId id = 0;
    rig_->run_on_server_thread([&] { id = rig_->faults.add(std::move(rule)); });
    return id;
  }
  Result<api::ConfigMap> create(const std::string& name) {
    kube::WriteOptions once;
    once.repeat = kube::Repeat::Never;
    return rig_->await(Client(rig_->api()).create(map_of(name, "1"), once));
  }
  Result<void> get(const std::string& name, std::chrono::nanoseconds timeout = 30s) {
    ApiCall call = call_for(Verb::Get);
    call.name = name;
    call.repeat = kube::Repeat::Never;
    call.timeout = timeout;
    return rig_->await(rig_->api().call(call, &read_));
  }
  bool exists(const std::string& name) {
    bool found = false;
    rig_->run_on_server_thread([&] { found = rig_->server.find<api::ConfigMap>("web", name) != nullptr; });
    return found;
  }
  static ApiCall call_for(Verb verb) {
    ApiCall call;
    call.verb = verb;
    call.resource = &kube::resource_of<api::ConfigMap>();
    call.ns = "web";
    return call;
  }
  // The events of a watch, and its end as the last entry.
  static net::Task<Result<std::vector<std::string>>> follow(kube::Api& api, ApiCall call) {
    std::vector<std::string> seen;
    auto stream = co_await api.watch(std::move(call));
    if (!stream) co_return fail(std::move(stream.error()));
    for (;;) {
      auto events = co_await (*stream)->next();
      if (!events) {
        seen.emplace_back(to_string(events.error().code));
        co_return seen;
      }
      if (events->empty()) co_return seen;
      for (const kube::WatchEvent& event : *events) seen.push_back(event_text(event));
    }
  }
  std::vector<std::string> watch(std::chrono::seconds watch_for = 10s, std::chrono::nanoseconds idle_limit = 90s) {
    ApiCall call = call_for(Verb::Watch);
    call.watch_for = watch_for;
    call.idle_limit = idle_limit;
    auto seen = rig_->await(follow(rig_->api(), call));
    return seen ? *seen : std::vector<std::string>{seen.error().message};
  }
  FaultCounts counts() {
    FaultCounts counts;
    rig_->run_on_server_thread([&] { counts = rig_->faults.counts(); });
    return counts;
  }

  api::ConfigMap read_;
  std::unique_ptr<FrontendRig> rig_;
};

INSTANTIATE_TEST_SUITE_P(Both, WireFaultsTest, testing::Values(true, false), [](const auto& frontend) {
  return frontend.param ? "Local" : "Https";
});

TEST_P(WireFaultsTest, ALostRequestIsNotExecuted) {
  add({.verbs = {Verb::Create}, .times = 1, .fault = {.lose_request = Loss::Reset}});
  const auto lost = create("a");
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Errc::Unavailable);
  EXPECT_EQ(lost.error().http_status, 0);
  EXPECT_FALSE(exists("a"));
  EXPECT_TRUE(create("a"));
  EXPECT_EQ(counts().lost_requests, 1U);
}

TEST_P(WireFaultsTest, ARequestWithALostResponseIsExecuted) {
  add({.verbs = {Verb::Create}, .times = 1, .fault = {.lose_response = Loss::Reset}});
  const auto lost = create("a");
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Errc::Unavailable);
  EXPECT_TRUE(exists("a"));
  EXPECT_EQ(counts().lost_responses, 1U);
}

TEST_P(WireFaultsTest, ASilentlyLostResponseEndsWithTheTimeoutOfTheCaller) {
  ASSERT_TRUE(create("a"));
  add({.verbs = {Verb::Get}, .times = 1, .fault = {.lose_response = Loss::Silence}});
  const auto late = get("a", 50ms);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::Timeout);
}

TEST_P(WireFaultsTest, ADuplicatedRequestIsExecutedTwiceAndReturnsTheSecondResponse) {
  const auto rule = add({.verbs = {Verb::Create}, .resource = "configmaps", .fault = {.duplicate = true}});
  const auto twice = create("a");
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, Errc::AlreadyExists);
  EXPECT_TRUE(exists("a"));
  EXPECT_EQ(rig_->faults.fired(rule), 1U);
}

TEST_P(WireFaultsTest, InjectedRefusalsHaveTheirCodeAndRetryAfter) {
  ASSERT_TRUE(create("a"));
  struct Expected {
    int code;
    Errc errc;
    std::optional<int> seconds;
  };
  for (const Expected& one : {Expected{409, Errc::Conflict, {}},
                              {429, Errc::Throttled, 7},
                              {500, Errc::Unavailable, {}},
                              {503, Errc::Unavailable, 2}}) {
    add({.times = 1, .fault = {.refuse = refusal_with(one.code, one.seconds)}});
    const auto refused = get("a");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().http_status, one.code);
    EXPECT_EQ(refused.error().code, one.errc);
    std::optional<std::chrono::milliseconds> asked;
    if (one.seconds) asked = std::chrono::seconds{*one.seconds};
    EXPECT_EQ(refused.error().retry_after, asked);
  }
  EXPECT_EQ(counts().refused, 4U);
}

TEST_P(WireFaultsTest, TheClientRetriesRepeatableRequests) {
  ASSERT_TRUE(create("a"));
  add({.verbs = {Verb::Get}, .times = 2, .fault = {.refuse = refusal_with(503)}});
  const auto read = rig_->await(Client(rig_->api()).get<api::ConfigMap>("web", "a"));
  EXPECT_TRUE(read) << read.error().message;
  EXPECT_EQ(counts().refused, 2U);
}

TEST_P(WireFaultsTest, InjectedLatencyDelaysTheResponse) {
  ASSERT_TRUE(create("a"));
  add({.verbs = {Verb::Get}, .fault = {.latency = 5s}});
  SteadyTime begun, ended;
  rig_->run_on_server_thread([&] { begun = rig_->agenda.steady_now(); });
  EXPECT_TRUE(get("a"));
  rig_->run_on_server_thread([&] { ended = rig_->agenda.steady_now(); });
  EXPECT_GE(ended - begun, 5s);
}

TEST_P(WireFaultsTest, RulesMatchByVerbResourceSubresourceNamespaceNameAndCount) {
  ASSERT_TRUE(create("a"));
  ASSERT_TRUE(create("b"));
  const InjectedFault no{.refuse = refusal_with(500)};
  add({.verbs = {Verb::Update}, .fault = no});
  add({.resource = "pods", .fault = no});
  add({.ns = "elsewhere", .fault = no});
  add({.subresource = "status", .fault = no});
  const auto named = add({.name = "b", .skip = 1, .times = 1, .fault = no});
  EXPECT_TRUE(get("a"));
  EXPECT_TRUE(get("b"));
  EXPECT_FALSE(get("b"));
  EXPECT_TRUE(get("b"));
  EXPECT_EQ(rig_->faults.fired(named), 1U);
}

TEST_P(WireFaultsTest, StaleReadsReturnTheStateOfEarlierVersions) {
  ASSERT_TRUE(create("a"));
  ASSERT_TRUE(create("b"));
  rig_->run_on_server_thread([this] {
    EXPECT_TRUE(
        rig_->server.modify<api::ConfigMap>("web", "a", [](api::ConfigMap& map) { (*map.mutable_data())["v"] = "2"; }));
  });
  add({.fault = {.stale_versions = 2}});
  ASSERT_TRUE(get("a"));
  EXPECT_EQ(read_.data().at("v"), "1");
  EXPECT_FALSE(get("b"));
  std::vector<std::string> listed;
  ASSERT_TRUE(rig_->await(rig_->api().list(call_for(Verb::List), [&listed](const ObjectPtr& object) {
    listed.push_back(kube::metadata_of(*object).name());
  })));
  EXPECT_THAT(listed, ElementsAre("a"));
  EXPECT_EQ(counts().stale, 3U);
}

TEST_P(WireFaultsTest, AWatchBreaksAfterTheGivenNumberOfEvents) {
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(create(name));
  add({.verbs = {Verb::Watch}, .fault = {.drop_watch_after = 2}});
  EXPECT_THAT(watch(), ElementsAre("ADDED a", "ADDED b", "unavailable"));
  EXPECT_EQ(counts().dropped_watches, 1U);
}

TEST_P(WireFaultsTest, AStalledWatchTimesOutAfterItsIdleLimit) {
  ASSERT_TRUE(create("a"));
  add({.verbs = {Verb::Watch}, .fault = {.stall_watch_after = 1}});
  EXPECT_THAT(watch(10s, 50ms), ElementsAre("ADDED a", "timeout"));
  EXPECT_EQ(counts().stalled_watches, 1U);
}

TEST_P(WireFaultsTest, EveryWatchEventIsDeliveredTwice) {
  ASSERT_TRUE(create("a"));
  ASSERT_TRUE(create("b"));
  add({.verbs = {Verb::Watch}, .fault = {.events_twice = true}});
  EXPECT_THAT(watch(), ElementsAre("ADDED a", "ADDED a", "ADDED b", "ADDED b"));
  EXPECT_EQ(counts().doubled_events, 2U);
}

TEST(WireFaults, AReadThatIsStaleByTimeReturnsTheStateOfThatTime) {
  LocalRig rig;
  api::Namespace ns;
  ns.mutable_metadata()->set_name("web");
  ASSERT_TRUE(rig.server.create(ns));
  ASSERT_TRUE(rig.server.create(map_of("a", "1")));
  rig.loop.run_for(10s);
  ASSERT_TRUE(rig.server.create(map_of("b", "1")));
  rig.loop.run_for(3s);
  const auto names = [&rig] { return names_of(*rig.await(Client(rig.api()).list<api::ConfigMap>("web"))); };
  const auto rule = rig.faults.add({.fault = {.stale_for = 5s}});
  EXPECT_THAT(names(), ElementsAre("a"));
  rig.loop.run_for(3s);
  EXPECT_THAT(names(), ElementsAre("a", "b"));
  rig.faults.remove(rule);
  EXPECT_THAT(names(), ElementsAre("a", "b"));
}

TEST(WireFaults, RandomFaultsDependOnlyOnTheSeed) {
  LocalRig rig;
  const auto run = [&rig](std::uint64_t seed) {
    WireFaults faults(rig.server, seed);
    faults.add({.probability = 0.3, .fault = {.latency = 1ms, .spread = 1s}});
    std::vector<std::int64_t> drawn;
    for (int i = 0; i < 50; ++i) drawn.push_back(faults.fault_for({}).latency.count());
    return drawn;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
  const auto drawn = run(1);
  const auto hits = std::ranges::count_if(drawn, [](std::int64_t one) { return one > 0; });
  EXPECT_GT(hits, 5);
  EXPECT_LT(hits, 30);
}

}  // namespace
}  // namespace rescheduler::sim
