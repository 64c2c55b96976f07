// Pods placed by the load of nodes, whatever happens to the load sources.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core.pb.h"
#include "support/scheduler.h"
#include "support/tiny_service.h"

namespace rescheduler::test {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr milliseconds kTooLong{4000};

// Behaviours of a Prometheus. tests/real shows that the real one answers in the same format.
enum class Behavior : std::uint8_t { Answers, Refuses, AnswersGarbage, AnswersANumber, AnswersTwice, AnswersNothing };

// Answers the queries "cpu" and "memory" with the percentages that the test sets, by node name.
class TinyPrometheus {
 public:
  explicit TinyPrometheus(TestCluster& cluster)
      : service_(cluster, [this](const net::HttpRequest& request, net::Responder& responder) {
          return answer(request, responder);
        }) {}

  void set_load(const std::string& node, double percent) {
    service_.on_loop([&] { percent_[node] = percent; });
  }
  // NAMESPACE/NAME, with half a core and 2048 bytes.
  void set_pods(const std::vector<std::string>& pods) {
    service_.on_loop([&] { pods_ = pods; });
  }
  void set_behavior(Behavior behavior) {
    service_.on_loop([&] { behavior_ = behavior; });
  }
  cluster::LoadSettings settings() const {
    cluster::LoadSource source;
    source.kind = cluster::LoadSourceKind::Prometheus;
    source.address = service_.url();
    source.queries = {{"cpu", "cpu"}, {"memory", "memory"}};
    source.timeout = milliseconds{2000};
    cluster::LoadSettings made;
    made.sources = {source};
    made.interval = milliseconds{50};
    made.smoothing.kind = cluster::SmoothingKind::None;
    return made;
  }

 private:
  // The queries about pods name their metrics.
  std::string vector(const std::string& query) const {
    const auto now =
        std::chrono::duration<double>(service_.link().services().clock->wall_now().time_since_epoch()).count();
    std::string series;
    if (query.find("container_") != std::string::npos) {
      const bool cpu = query.find("container_cpu") != std::string::npos;
      const double value = query.find("timestamp") != std::string::npos ? now : cpu ? 0.5 : 2048;
      for (const std::string& pod : pods_) {
        series += fmt::format(R"({}{{"metric": {{"rescheduler_pod": "{}"}}, "value": [{:.3f}, "{:.3f}"]}})",
                              series.empty() ? "" : ", ", pod, now, value);
      }
      return fmt::format(R"({{"status": "success", "data": {{"resultType": "vector", "result": [{}]}}}})", series);
    }
    for (const auto& [node, percent] : percent_) {
      const std::string one =
          fmt::format(R"({{"metric": {{"instance": "{}"}}, "value": [{:.3f}, "{}"]}})", node, now, percent);
      series += (series.empty() ? "" : ", ") + one;
      if (behavior_ == Behavior::AnswersTwice) series += ", " + one;
    }
    return fmt::format(R"({{"status": "success", "data": {{"resultType": "vector", "result": [{}]}}}})", series);
  }

  net::Task<void> answer(const net::HttpRequest& request, net::Responder& responder) {
    if (behavior_ == Behavior::AnswersNothing) {
      [[maybe_unused]] const auto slept = co_await service_.link().services().timers->sleep_for(kTooLong);
    }
    net::HttpResponse response;
    response.status = behavior_ == Behavior::Refuses ? 500 : 200;
    response.headers.set("Content-Type", "application/json");
    response.body = vector(request.body);
    if (behavior_ == Behavior::AnswersGarbage) response.body = "<html>";
    if (behavior_ == Behavior::AnswersANumber) {
      response.body = R"({"status": "success", "data": {"resultType": "scalar", "result": [1, "7"]}})";
    }
    [[maybe_unused]] const auto sent = co_await responder.send(std::move(response));
  }

  std::map<std::string, double> percent_;
  std::vector<std::string> pods_;
  Behavior behavior_ = Behavior::Answers;
  TinyService service_;
};

class SchedulingByLoad : public SchedulingTest {
 protected:
  void SetUp() override {
    ClusterTest::SetUp();
    if (!IsSkipped()) prometheus_ = std::make_unique<TinyPrometheus>(cluster());
  }
  void TearDown() override {
    SchedulingTest::TearDown();  // its client stops first
    prometheus_.reset();
  }
  void start(std::chrono::nanoseconds load_filter_wait = std::chrono::minutes{1}) {
    start_scheduler({.load = prometheus_->settings(), .load_filter_wait = load_filter_wait, .home = ns()});
  }
  // The first source is searched in the namespace of the test; the second one, prometheus-2, answers.
  void start_with_a_searched_source() {
    prometheus_->set_load(add_node("a"), 10);
    cluster::LoadSettings load = prometheus_->settings();
    load.sources.insert(load.sources.begin(), {.kind = cluster::LoadSourceKind::Prometheus, .namespaces = {ns()}});
    start_scheduler({.load = load, .home = ns()});
  }
  // Waits until this source judges the nodes.
  void expect_judged_by(const std::string& source) {
    std::string now;
    EXPECT_TRUE(eventually([&] {
      scheduler().with_scheduler([&](scheduler::Scheduler& at) { now = at.cluster().load_summary().source; });
      return now == source;
    })) << "nodes are judged by "
        << now;
  }
  void expect_load(const std::string& node, double percent) {
    double now = 0;
    EXPECT_TRUE(eventually([&] {
      scheduler().with_scheduler([&](scheduler::Scheduler& at) {
        const auto index = at.cluster().find_node(node);
        now = index ? at.cluster().node(*index).load.used[cluster::kCpuLoad] * 100 : -1;
      });
      return std::abs(now - percent) < 0.001;
    })) << node
        << " is at " << now;
  }
  std::unique_ptr<TinyPrometheus> prometheus_;
};
RESCHEDULER_ON_EVERY_CLUSTER(SchedulingByLoad);

TEST_P(SchedulingByLoad, PodsGoToTheLeastLoadedNodeAndAreAnnotatedWithThePredictedLoad) {
  const std::string busy = add_node("busy");
  const std::string idle = add_node("idle");
  prometheus_->set_load(busy, 70);
  prometheus_->set_load(idle, 10);
  start();
  expect_load(idle, 10);
  for (const char* name : {"one", "two", "three"}) {
    add_pod(name);
    EXPECT_EQ(lands_on(name), idle);
  }
  const api::Pod placed = pod("one");
  ASSERT_TRUE(placed.metadata().annotations().contains("rescheduler.io/predicted-load"));
  EXPECT_THAT(placed.metadata().annotations().at("rescheduler.io/predicted-load"),
              HasSubstr(R"("source":"prometheus")"));
}

TEST_P(SchedulingByLoad, APodWaitsWhileItsOnlyNodeIsAboveTheLoadThreshold) {
  const std::string node = add_node("hot");
  prometheus_->set_load(node, 95);
  start();
  expect_load(node, 95);
  add_pod("p");
  EXPECT_THAT(wait_unschedulable("p"), HasSubstr("1 node(s) were above the cpu load threshold"));
  prometheus_->set_load(node, 40);
  EXPECT_EQ(lands_on("p"), node);
}

TEST_P(SchedulingByLoad, APodIsPlacedAboveTheLoadThresholdAfterALimitedWaitAndGetsAnEvent) {
  const std::string hot = add_node("hot");
  const std::string hotter = add_node("hotter");
  prometheus_->set_load(hot, 90);
  prometheus_->set_load(hotter, 99);
  start(std::chrono::seconds{3});
  expect_load(hot, 90);
  expect_load(hotter, 99);
  add_pod("p");
  EXPECT_THAT(wait_unschedulable("p"), HasSubstr("2 node(s) were above the cpu load threshold"));
  EXPECT_EQ(lands_on("p"), hot);
  EXPECT_TRUE(eventually([&] { return events("p", "AboveLoadThreshold").size() == 1; }));
}

TEST_P(SchedulingByLoad, EveryPrometheusFailureFallsBackToRequestsUntilPrometheusAnswersAgain) {
  const std::string hot = add_node("a");
  const std::string other = add_node("b");
  prometheus_->set_load(hot, 95);
  prometheus_->set_load(other, 95);
  start();
  expect_judged_by("prometheus");
  const std::pair<Behavior, const char*> failures[] = {
      {Behavior::Refuses, "500"},
      {Behavior::AnswersGarbage, "JSON"},
      {Behavior::AnswersANumber, "scalar"},
      {Behavior::AnswersTwice, "ambiguous"},
      {Behavior::AnswersNothing, "prometheus"},
  };
  int number = 0;
  for (const auto& [behavior, sentence] : failures) {
    SCOPED_TRACE(sentence);
    prometheus_->set_behavior(behavior);
    expect_judged_by("requests");
    EXPECT_TRUE(eventually([&] { return scheduler().load_status().find(sentence) != std::string::npos; }))
        << scheduler().load_status();
    // No node counts as idle or hot, so requests decide.
    const std::string name = fmt::format("p{}", number++);
    add_pod(name);
    EXPECT_NE(lands_on(name), "");
    EXPECT_TRUE(eventually([&] {
      const auto notes = events("rescheduler-scheduler", "LoadSourceChanged");
      return std::ranges::any_of(notes, [&](const std::string& note) {
        return note.starts_with("Nodes are now judged by requests") && note.find(sentence) != std::string::npos;
      });
    })) << "the failure is named in an event";
    const std::string shown = "rescheduler_load_source{source=\"requests\"} 1";
    EXPECT_TRUE(eventually([&] { return scheduler().metrics().find(shown) != std::string::npos; }));
    prometheus_->set_behavior(Behavior::Answers);
    expect_judged_by("prometheus");
  }
  expect_load(hot, 95);
}

TEST_P(SchedulingByLoad, ThePrometheusServiceOfTheNamespaceIsFoundAndTheNextSourceReplacesItWhileItDoesNotAnswer) {
  api::Service service;
  service.mutable_metadata()->set_namespace_(ns());
  service.mutable_metadata()->set_name("prometheus-operated");
  service.mutable_spec()->set_cluster_ip("None");
  auto& port = *service.mutable_spec()->add_ports();
  port.set_name("http-web");
  port.set_port(9090);
  create(service);
  start_with_a_searched_source();
  expect_judged_by("prometheus-2");
  EXPECT_THAT(scheduler().load_status(),
              HasSubstr("; prometheus http://prometheus-operated." + ns() + ".svc:9090: cpu: "));
}

TEST_P(SchedulingByLoad, WithoutAPrometheusServiceTheNextSourceIsUsedWithoutAWarning) {
  start_with_a_searched_source();
  expect_judged_by("prometheus-2");
  EXPECT_THAT(scheduler().load_status(), HasSubstr("no known Service of Prometheus in namespace " + ns()));
  const std::string none = "rescheduler_load_source_failures_total{source=\"prometheus\"} 0";
  EXPECT_THAT(scheduler().metrics(), HasSubstr(none));
}

TEST_P(SchedulingByLoad, TheUsageOfPodsIsReadFromThePrometheusInUse) {
  const std::string node = add_node("a");
  prometheus_->set_load(node, 10);
  start();
  expect_judged_by("prometheus");
  const auto unknown = scheduler().pod_usage();
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("no series of containers"));
  prometheus_->set_pods({"shop/web-0", "shop/web-1"});
  const auto pods = scheduler().pod_usage();
  ASSERT_TRUE(pods) << pods.error().message;
  ASSERT_EQ(pods->size(), 2u);
  for (const usage::PodUse& one : *pods) {
    EXPECT_THAT(one.name, testing::StartsWith("web-"));
    EXPECT_DOUBLE_EQ(one.cpu, 0.5);
    EXPECT_DOUBLE_EQ(one.memory, 2048);
  }
}

}  // namespace
}  // namespace rescheduler::test
