// `rescheduler plan` with a kubeconfig and each load source. It changes nothing.
#include "cli/plan/plan_command.h"

#include <fstream>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "support/rescheduler.h"

namespace rescheduler::test {
namespace {

using ::testing::HasSubstr;

constexpr int kReplicas = 6;

// One node is busy and the others are idle. The samples carry the time of the machine's clock, which the command uses;
// an embedded cluster has its own clock.
class Prometheus {
 public:
  Prometheus(TestCluster& cluster,
             std::string busy,
             std::vector<std::string> nodes,
             std::chrono::seconds age = std::chrono::seconds{0})
      : busy_(std::move(busy)),
        nodes_(std::move(nodes)),
        service_(cluster, [this, age](const net::HttpRequest& request, net::Responder& responder) -> net::Task<void> {
          const auto now = std::chrono::duration<double>((SystemClock().wall_now() - age).time_since_epoch()).count();
          // The command also queries the time of the last sample of each node.
          const bool when = request.body.find("timestamp") != std::string::npos;
          std::string series;
          for (const std::string& node : nodes_) {
            series += fmt::format(R"({}{{"metric": {{"instance": "{}"}}, "value": [{:.3f}, "{}"]}})",
                                  series.empty() ? "" : ", ", node, now,
                                  when            ? now
                                  : node == busy_ ? 90
                                                  : 5);
          }
          net::HttpResponse response;
          response.status = 200;
          response.headers.set("Content-Type", "application/json");
          response.body =
              fmt::format(R"({{"status": "success", "data": {{"resultType": "vector", "result": [{}]}}}})", series);
          [[maybe_unused]] const auto sent = co_await responder.send(std::move(response));
        }) {}
  std::string url() const { return service_.url(); }

 private:
  std::string busy_;
  std::vector<std::string> nodes_;
  TinyService service_;
};

class PlanCommand : public ReschedulingTest {
 protected:
  // Six pods on one node, and two idle nodes.
  void crowd() {
    crowded_ = add_node("crowded");
    measured_ = {crowded_};
    start_scheduler();
    deploy("web", kReplicas);
    ASSERT_TRUE(eventually([&] { return spread("web")[crowded_] == kReplicas; }));
    scheduler().stop();
    for (const char* suffix : {"idle-1", "idle-2"}) measured_.push_back(add_node(suffix));
    measure(per_pod_);
    before_ = uids("web");
  }
  // No minimum age, because the pods are as young as the test.
  std::string config() {
    const auto path = ::testing::TempDir() + "plan-" + ns() + ".yaml";
    std::ofstream(path) << R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {filter: {enabled: [{name: Rescheduler}]}}
  pluginConfig:
  - name: Rescheduler
    args: {rescheduling: {protections: {leastAge: 0s}}, load: )"
                        << load_ << "}\n";
    return path;
  }
  int run(const std::string& usage) {
    cli::PlanOptions options;
    options.kubeconfig = cluster().kubeconfig();
    options.config = config();
    options.usage = usage;
    options.strategies = {"LoadBalancing"};
    options.output = "json";
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = cli::run_plan(options);
    output_ = ::testing::internal::GetCapturedStdout();
    errors_ = ::testing::internal::GetCapturedStderr();
    return code;
  }
  // The planned moves of the test's own pods.
  int moves_from(const std::string& node) {
    const auto plan = boost::json::parse(output_).as_object();
    int count = 0;
    for (const auto& move : plan.at("moves").as_array()) {
      if (move.at("namespace").as_string() != ns()) continue;
      EXPECT_EQ(move.at("source").as_string(), node);
      EXPECT_NE(move.at("target").as_string(), node);
      ++count;
    }
    return count;
  }
  std::string judged_by() { return std::string(boost::json::parse(output_).at("judgedBy").as_string()); }
  void expect_nothing_changed() { EXPECT_EQ(uids("web"), before_); }

  std::string load_ = "{}";  // the part `load` of the configuration
  std::string crowded_;
  std::string output_;
  std::string errors_;
  std::vector<std::string> before_;
};
// The command always connects with a kubeconfig, so the tier InProcess would repeat Embedded.
INSTANTIATE_TEST_SUITE_P(Embedded, PlanCommand, testing::Values(Tier::Embedded));
INSTANTIATE_TEST_SUITE_P(Real, PlanCommand, testing::Values(Tier::Real));

TEST_P(PlanCommand, PlansMovesOffTheNodeThatPrometheusReportsAsBusy) {
  crowd();
  const Prometheus prometheus(cluster(), crowded_, measured_);
  EXPECT_EQ(run("prometheus=" + prometheus.url()), 2) << output_ << errors_;
  EXPECT_GT(moves_from(crowded_), 0) << output_;
  EXPECT_EQ(judged_by(), "prometheus");
  expect_nothing_changed();
}

TEST_P(PlanCommand, ASourceWithoutAFreshSampleIsReplacedByTheNextOne) {
  crowd();
  const Prometheus stale(cluster(), crowded_, measured_, std::chrono::hours{1});
  const Prometheus fresh(cluster(), crowded_, measured_);
  load_ = fmt::format("{{sources: [{{kind: prometheus, address: '{}'}}, {{kind: prometheus, address: '{}'}}]}}",
                      stale.url(), fresh.url());
  EXPECT_EQ(run(""), 2) << output_ << errors_;
  EXPECT_EQ(judged_by(), "prometheus-2");
  EXPECT_THAT(output_, HasSubstr("prometheus has no fresh sample of any node"));
  expect_nothing_changed();
}

TEST_P(PlanCommand, ExitsWithAnErrorWhenPrometheusFails) {
  crowd();
  meter_->set_failing(true);
  EXPECT_EQ(run("prometheus=" + meter_->settings().sources.front().address), 1) << output_;
  EXPECT_THAT(errors_, HasSubstr("rescheduler plan: prometheus"));
  expect_nothing_changed();
}

TEST_P(PlanCommand, FallsBackToRequestsWithoutFreshSamplesOfMetricsServer) {
  crowd();
  if (GetParam() == Tier::Real) {
    EXPECT_EQ(run("metrics-server"), 1) << output_;
    EXPECT_THAT(errors_, HasSubstr("metrics-server"));
    EXPECT_THAT(run(""), testing::AnyOf(0, 2)) << errors_;
    EXPECT_EQ(judged_by(), "requests") << "without --usage, the best available source is used";
    EXPECT_THAT(output_, HasSubstr("judged by requests"));
    return;
  }
  ASSERT_TRUE(eventually([&] { return run("metrics-server") != 1; })) << errors_;
  // metrics-server uses the embedded cluster's clock, not the machine's. The command reports that and ignores the
  // samples.
  EXPECT_EQ(judged_by(), "requests") << output_;
  EXPECT_THAT(output_, HasSubstr("metrics-server has no fresh sample of any node"));
  expect_nothing_changed();
}

TEST_P(PlanCommand, UsesRequestsWhenTheUsageOptionNamesThem) {
  crowd();
  EXPECT_THAT(run("requests"), testing::AnyOf(0, 2)) << errors_;
  EXPECT_EQ(judged_by(), "requests");
  expect_nothing_changed();
}

}  // namespace
}  // namespace rescheduler::test
