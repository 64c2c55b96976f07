#include "usage/load_feed.h"

#include <cmath>

#include <gmock/gmock.h>

#include "support/virtual_time.h"

namespace rescheduler::usage {
namespace {

using cluster::LoadBasis;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

// A source whose answers the test sets.
struct Script {
  bool answers = true;
  bool installed = true;
  std::vector<Sample> samples{};  // with an age instead of a time
  std::vector<PodUse> pods{};     // the same
  int reads = 0;
};

class ScriptedSource final : public Source {
 public:
  ScriptedSource(std::string name, Script& script, const Clock& clock)
      : name_(std::move(name)), script_(script), clock_(clock) {}
  std::string_view name() const override { return name_; }
  net::Task<Result<Reading>> read(NodeList, WallTime) override {
    ++script_.reads;
    if (!script_.installed) co_return fail(Errc::NotFound, "{} is not installed", name_);
    if (!script_.answers) co_return fail(Errc::Unavailable, "{} is down", name_);
    Reading reading;
    reading.samples = script_.samples;
    for (Sample& one : reading.samples) one.at = clock_.wall_now() - one.at.time_since_epoch();
    co_return reading;
  }
  net::Task<Result<std::vector<PodUse>>> read_pods() override {
    if (script_.pods.empty()) co_return fail(Errc::NotFound, "{} does not measure pods", name_);
    std::vector<PodUse> pods = script_.pods;
    for (PodUse& one : pods) one.at = clock_.wall_now() - one.at.time_since_epoch();
    co_return pods;
  }

 private:
  std::string name_;
  Script& script_;
  const Clock& clock_;
};

Sample aged(const std::string& node, double value, seconds age = seconds{5}) {
  return {.node = node, .value = value, .at = WallTime{age}};
}

struct Fixture {
  Fixture() {
    LoadFeedCallbacks callbacks;
    callbacks.nodes = [this] { return nodes; };
    callbacks.taken = [this](const Reading& reading, const std::string& source) {
      taken.push_back(source + " " + std::to_string(reading.samples.size()));
    };
    callbacks.fell_back = [this](LoadBasis basis, const std::string& source) {
      taken.push_back(source + (basis == LoadBasis::RoundRobin ? " by turns" : ""));
    };
    callbacks.changed = [this](const Fallback::Change& change) { changes.push_back(change.from + ">" + change.to); };
    std::vector<std::unique_ptr<Source>> sources;
    sources.push_back(std::make_unique<ScriptedSource>("prometheus", prometheus, time.clock));
    sources.push_back(std::make_unique<ScriptedSource>("metrics-server", metrics_server, time.clock));
    feed = std::make_unique<LoadFeed>(time.services(), LoadFeedSettings{}, std::move(sources), std::move(callbacks));
  }

  void rounds(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(time.loop.await_result<void>(feed->round()));
      time.clock.advance(seconds{15});
    }
  }
  // The pods, or the error.
  std::vector<std::string> pods() {
    const auto read = time.loop.await_result<std::vector<PodUse>>(feed->read_pods());
    if (!read) return {read.error().message};
    std::vector<std::string> names;
    for (const PodUse& one : *read) names.push_back(one.name);
    return names;
  }
  std::string metric(const std::string& name) {
    const std::string text = time.metrics.text();
    const auto at = text.find("\n" + name + " ");
    if (at == std::string::npos) return "none";
    const auto from = at + name.size() + 2;
    return text.substr(from, text.find('\n', from) - from);
  }

  Script prometheus{.samples = {aged("a", 0.5), aged("b", 0.6)}};
  Script metrics_server{.samples = {aged("a", 0.4)}};
  NodeList nodes = std::make_shared<const std::vector<NodeIdentity>>(
      std::vector<NodeIdentity>{{.name = "a", .cpu = 4.0, .memory = 1e9}, {.name = "b", .cpu = 4.0, .memory = 1e9}});
  std::vector<std::string> taken;
  std::vector<std::string> changes;
  test::VirtualTime time;
  std::unique_ptr<LoadFeed> feed;
};

TEST(LoadFeed, PassesOnTheSamplesOfTheBestSource) {
  Fixture fixture;
  fixture.rounds(2);
  EXPECT_THAT(fixture.taken, ElementsAre("prometheus 2", "prometheus 2"));
  EXPECT_THAT(fixture.changes, ElementsAre(">prometheus"));
  EXPECT_EQ(fixture.metrics_server.reads, 0);
  const LoadFeedStatus& status = fixture.feed->status();
  EXPECT_EQ(status.in_charge, "prometheus");
  EXPECT_EQ(status.basis, LoadBasis::Usage);
  EXPECT_EQ(status.text(fixture.time.clock.wall_now()), "prometheus: 2 of 2 nodes, newest sample 20 s old");
  EXPECT_EQ(fixture.metric(R"(rescheduler_load_source{source="prometheus"})"), "1");
  EXPECT_EQ(fixture.metric(R"(rescheduler_load_source{source="requests"})"), "0");
  EXPECT_EQ(fixture.metric("rescheduler_load_sample_age_seconds"), "5");
}

TEST(LoadFeed, AFailedSourceIsReportedAndTheNextSourceTakesOver) {
  Fixture fixture;
  fixture.rounds(1);
  EXPECT_EQ(fixture.metric(R"(rescheduler_load_source_failures_total{source="prometheus"})"), "0");
  fixture.prometheus.answers = false;
  fixture.rounds(1);
  EXPECT_EQ(fixture.feed->status().text(fixture.time.clock.wall_now()),
            "prometheus: 2 of 2 nodes, newest sample 35 s old; prometheus is down");
  fixture.rounds(1);
  EXPECT_THAT(fixture.taken, ElementsAre("prometheus 2", "metrics-server 1"));
  EXPECT_THAT(fixture.changes, ElementsAre(">prometheus", "prometheus>metrics-server"));
  EXPECT_THAT(fixture.feed->status().text(fixture.time.clock.wall_now()),
              HasSubstr("metrics-server: 1 of 2 nodes, newest sample 20 s old; prometheus is down"));
  EXPECT_EQ(fixture.metric(R"(rescheduler_load_source_failures_total{source="prometheus"})"), "2");
  EXPECT_EQ(fixture.metric(R"(rescheduler_load_source{source="prometheus"})"), "0");
  EXPECT_EQ(fixture.metric(R"(rescheduler_load_source{source="metrics-server"})"), "1");

  fixture.prometheus.answers = true;
  fixture.taken.clear();
  fixture.rounds(19);
  EXPECT_THAT(fixture.taken, testing::Each("metrics-server 1"));
  fixture.rounds(1);  // five minutes after the change
  EXPECT_EQ(fixture.taken.back(), "prometheus 2");
  EXPECT_EQ(fixture.feed->status().in_charge, "prometheus");
}

TEST(LoadFeed, ASourceThatIsNotInstalledIsNoFailureAndTheNextSourceIsReadInTheSameRound) {
  Fixture fixture;
  fixture.prometheus.installed = false;
  fixture.rounds(2);
  EXPECT_THAT(fixture.taken, ElementsAre("metrics-server 1", "metrics-server 1"));
  EXPECT_THAT(fixture.changes, ElementsAre(">metrics-server"));
  EXPECT_EQ(fixture.metric(R"(rescheduler_load_source_failures_total{source="prometheus"})"), "0");
  EXPECT_FALSE(fixture.feed->status().sources[0].installed);
  EXPECT_EQ(fixture.feed->status().text(fixture.time.clock.wall_now()),
            "metrics-server: 1 of 2 nodes, newest sample 20 s old; prometheus is not installed; for a better source: "
            "tools/monitoring/deploy-enhanced-monitoring.sh");
  fixture.prometheus.installed = true;
  fixture.rounds(1);
  EXPECT_EQ(fixture.feed->status().text(fixture.time.clock.wall_now()),
            "metrics-server: 1 of 2 nodes, newest sample 20 s old")
      << "prometheus answers, and is used after five minutes";
}

TEST(LoadFeed, TheUsageOfPodsComesFromTheSourceInUseOrFromTheNextOneThatMeasuresPods) {
  Fixture fixture;
  fixture.metrics_server.pods = {{"shop", "by-metrics-server", 1, 2, WallTime{seconds{5}}}};
  EXPECT_THAT(fixture.pods(), ElementsAre("no load source measures pods")) << "no source is in use yet";
  fixture.rounds(1);
  const auto text = [&] { return fixture.feed->status().text(fixture.time.clock.wall_now()); };
  EXPECT_THAT(fixture.pods(), ElementsAre("by-metrics-server"));
  EXPECT_THAT(text(), HasSubstr("prometheus: 2 of 2 nodes, newest sample 20 s old, usage of pods from metrics-server"));
  fixture.prometheus.pods = {{"shop", "by-prometheus", 1, 2, WallTime{seconds{5}}}};
  EXPECT_THAT(fixture.pods(), ElementsAre("by-prometheus"));
  EXPECT_THAT(text(), testing::Not(HasSubstr("usage of pods")));
  fixture.prometheus.answers = false;
  fixture.rounds(2);
  EXPECT_THAT(fixture.pods(), ElementsAre("by-metrics-server"));
}

TEST(LoadFeed, IfNoSourceAnswersRequestsAreUsedAndReportedInEachRound) {
  Fixture fixture;
  fixture.prometheus.answers = fixture.metrics_server.answers = false;
  fixture.rounds(2);
  EXPECT_THAT(fixture.taken, ElementsAre("requests", "requests"));
  EXPECT_THAT(fixture.changes, ElementsAre(">requests"));
  EXPECT_EQ(fixture.feed->status().text(WallTime{}),
            "requests; prometheus is down; metrics-server is down; for a better source: kubectl get pods -A | grep "
            "prometheus");
  EXPECT_EQ(fixture.metric(R"(rescheduler_load_source{source="requests"})"), "1");
  EXPECT_EQ(fixture.metric("rescheduler_load_sample_age_seconds"), "Nan");
}

TEST(LoadFeed, IfNodesReportNoCapacityTheBasisIsRoundRobin) {
  Fixture fixture;
  fixture.prometheus.answers = fixture.metrics_server.answers = false;
  fixture.nodes = std::make_shared<const std::vector<NodeIdentity>>(std::vector<NodeIdentity>{{.name = "a"}});
  fixture.rounds(1);
  EXPECT_THAT(fixture.taken, ElementsAre("turns by turns"));
}

TEST(LoadFeed, AnAnswerWithoutUsableSamplesIsAFailureAndTheDropsAreCounted) {
  Fixture fixture;
  fixture.prometheus.samples = {aged("a", 0.5), aged("a", 0.7), aged("b", std::nan("")), aged("c", 0.1, seconds{999})};
  fixture.rounds(1);
  EXPECT_THAT(fixture.taken, ElementsAre("metrics-server 1"));
  EXPECT_EQ(fixture.feed->status().sources[0].last_error,
            "prometheus: the answer has no usable samples (1 not a number, 2 ambiguous, 1 stale)");
  EXPECT_EQ(fixture.metric(R"(rescheduler_load_samples_dropped_total{reason="ambiguous"})"), "2");
  EXPECT_EQ(fixture.metric(R"(rescheduler_load_samples_dropped_total{reason="stale"})"), "1");
  EXPECT_EQ(fixture.metric(R"(rescheduler_load_samples_dropped_total{reason="negative"})"), "0");
}

TEST(LoadFeed, NoSourceIsReadUntilThereAreNodes) {
  Fixture fixture;
  const NodeList known = std::exchange(fixture.nodes, nullptr);
  fixture.rounds(1);
  EXPECT_EQ(fixture.prometheus.reads, 0);
  EXPECT_TRUE(fixture.changes.empty());
  fixture.nodes = known;
  fixture.rounds(1);
  EXPECT_EQ(fixture.prometheus.reads, 1);
}

TEST(LoadFeed, RunsAtItsIntervalUntilItIsCancelled) {
  Fixture fixture;
  net::Job job;
  auto ended = std::make_shared<std::promise<void>>();
  const auto run = [](Fixture& in, std::shared_ptr<std::promise<void>> done) -> net::Task<void> {
    co_await in.feed->run();
    done->set_value();
  };
  const WallTime start = fixture.time.clock.wall_now();
  auto spawn = [&]() -> net::Task<Result<void>> {
    job = net::spawn(fixture.time.loop.executor(), "feed", run(fixture, ended));
    while (fixture.prometheus.reads < 4) {
      auto slept = co_await fixture.time.timers.sleep_for(std::chrono::nanoseconds(0));
      if (!slept) co_return slept;
    }
    job.cancel();
    co_return Result<void>{};
  };
  ASSERT_TRUE(fixture.time.loop.await_result<void>(spawn()));
  ended->get_future().get();
  EXPECT_GE(fixture.time.clock.wall_now() - start, seconds{45});
}

}  // namespace
}  // namespace rescheduler::usage
