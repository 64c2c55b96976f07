// The Prometheus source against a server that returns prepared responses.
#include "usage/prometheus_source.h"

#include <map>

#include <gmock/gmock.h>

#include "base/rng.h"
#include "kube/config/temp_directory.h"
#include "net/http/http_server.h"
#include "support/test_certificates.h"

namespace rescheduler::usage {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kCpu = "cpu_query";
constexpr const char* kMemory = "memory_query";
constexpr const char* kPodCpu = "pod_cpu_query";
constexpr const char* kPodMemory = "pod_memory_query";
constexpr const char* kPodTime = "pod_time_query";

std::string vector_of(const std::string& series) {
  return R"({"status":"success","data":{"resultType":"vector","result":[)" + series + "]}}";
}
std::string series(const std::string& instance, const std::string& value, const std::string& at = "1800000000") {
  return R"({"metric":{"instance":")" + instance + R"("},"value":[)" + at + ",\"" + value + "\"]}";
}

std::string pod_series(const std::string& pod, const std::string& value) {
  return R"({"metric":{"rescheduler_pod":")" + pod + R"("},"value":[1800000000,")" + value + "\"]}";
}

class PrometheusSourceTest : public ::testing::Test {
 protected:
  ~PrometheusSourceTest() override { (void)loop_.await_result<void>(end()); }

  net::Task<Result<void>> end() {
    source_.reset();
    silence_.open();
    if (server_) co_await server_->stop(std::chrono::seconds(0));
    co_return Result<void>{};
  }

  void serve(std::optional<net::TlsServerSettings> tls = {}) {
    net::HttpServerSettings settings;
    settings.tls = std::move(tls);
    auto made = net::serve_http(loop_.executor(), settings,
                                [this](const net::HttpRequest& request, const net::PeerIdentity&,
                                       net::Responder& responder) { return answer(request, responder); });
    ASSERT_TRUE(made) << made.error().message;
    server_ = std::move(*made);
    settings_.url = fmt::format("{}://127.0.0.1:{}", settings.tls ? "https" : "http", server_->port());
  }

  net::Task<void> answer(const net::HttpRequest& request, net::Responder& responder) {
    requests_.push_back(request);
    if (silent_) (void)co_await silence_.wait();
    std::string form = request.body;
    if (request.method == "GET") form = request.target.substr(request.target.find('?') + 1);
    const std::string encoded = form.substr(6, form.find('&') - 6);  // "query=...&timeout=..."
    net::HttpResponse response;
    response.status = status_;
    const auto known = answers_.find(net::percent_decode(encoded).value_or("?"));
    response.body = known == answers_.end() ? "{}" : known->second;
    if (cut_) {
      net::HttpResponse head;
      head.status = 200;
      (void)co_await responder.start(std::move(head));
      (void)co_await responder.write(response.body.substr(0, 20));
      responder.abandon();
      co_return;
    }
    (void)co_await responder.send(std::move(response));
  }

  Result<Reading> read() {
    auto made = make_prometheus_source({loop_.executor(), &timers_, &clock_, &rng_, &metrics_}, settings_);
    if (!made) return fail(std::move(made.error()));
    source_ = std::move(*made);
    return loop_.await_result<Reading>(source_->read(nodes_, WallTime{}));
  }
  Result<std::vector<PodUse>> read_pods() {
    settings_.pod_queries = {kPodCpu, kPodMemory, kPodTime};
    auto made = make_prometheus_source({loop_.executor(), &timers_, &clock_, &rng_, &metrics_}, settings_);
    if (!made) return fail(std::move(made.error()));
    source_ = std::move(*made);
    return loop_.await_result<std::vector<PodUse>>(source_->read_pods());
  }
  std::string refusal() {
    auto reading = read();
    return reading ? "read" : reading.error().message;
  }

  NodeList nodes_ = std::make_shared<const std::vector<NodeIdentity>>(
      std::vector<NodeIdentity>{{.name = "a", .internal_ips = {"10.0.0.1"}},
                                {.name = "b", .internal_ips = {"10.0.0.2"}}});
  PrometheusSettings settings_{.queries = {{.resource = "cpu", .expression = kCpu},
                                           {.resource = "memory", .expression = kMemory, .unit = Unit::Fraction}}};
  std::map<std::string, std::string> answers_{
      {kCpu, vector_of(series("10.0.0.1:9100", "12.5") + "," + series("b", "80"))},
      {kMemory, vector_of(series("10.0.0.1:9100", "0.5"))},
  };
  int status_ = 200;
  bool cut_ = false;
  bool silent_ = false;
  std::vector<net::HttpRequest> requests_;
  SystemClock clock_;
  net::RealTimers timers_;
  Rng rng_{1};
  MetricRegistry metrics_;
  net::EventLoop loop_;
  net::Gate silence_{loop_.executor()};
  std::unique_ptr<net::HttpServer> server_;
  std::unique_ptr<Source> source_;
};

TEST_F(PrometheusSourceTest, EachSeriesBecomesASampleOfTheNodeOfItsInstanceLabel) {
  serve();
  const auto reading = read();
  ASSERT_TRUE(reading) << reading.error().message;
  ASSERT_EQ(reading->samples.size(), 3u);
  EXPECT_EQ(reading->samples[0].node, "a");
  EXPECT_DOUBLE_EQ(reading->samples[0].value, 0.125);
  EXPECT_EQ(reading->samples[0].at, WallTime{std::chrono::seconds{1'800'000'000}});
  EXPECT_EQ(reading->samples[1].node, "b");
  EXPECT_DOUBLE_EQ(reading->samples[1].value, 0.8);
  EXPECT_EQ(reading->samples[2].resource, cluster::kMemoryLoad);
  EXPECT_DOUBLE_EQ(reading->samples[2].value, 0.5);
  ASSERT_EQ(requests_.size(), 2u);
  EXPECT_EQ(requests_[0].method, "POST");
  EXPECT_EQ(requests_[0].target, "/api/v1/query");
  EXPECT_EQ(requests_[0].headers.find("Authorization"), std::nullopt);
}

TEST_F(PrometheusSourceTest, TheQueryIsSentWithGetUnderThePathOfTheUrlIfUseGetIsSet) {
  serve();
  settings_.url += "/prometheus/";
  settings_.use_get = true;
  ASSERT_TRUE(read());
  EXPECT_THAT(requests_[0].target, StartsWith("/prometheus/api/v1/query?query=cpu_query&timeout="));
}

TEST_F(PrometheusSourceTest, SeriesOfUnknownAndOfAmbiguousNodesAreCountedAndDropped) {
  serve();
  nodes_ = std::make_shared<const std::vector<NodeIdentity>>(std::vector<NodeIdentity>{
      {.name = "a", .internal_ips = {"10.0.0.1"}}, {.name = "c", .internal_ips = {"10.0.0.1"}}});
  const auto reading = read();
  ASSERT_TRUE(reading);
  EXPECT_TRUE(reading->samples.empty());
  EXPECT_EQ(reading->dropped[Drop::Ambiguous], 2u);
  EXPECT_EQ(reading->dropped[Drop::NoNode], 1u);
}

TEST_F(PrometheusSourceTest, EachReadingUsesTheCurrentNodes) {
  serve();
  ASSERT_TRUE(read());
  auto changed = std::make_shared<const std::vector<NodeIdentity>>(
      std::vector<NodeIdentity>{{.name = "new", .internal_ips = {"10.0.0.1"}}});
  const auto reading = loop_.await_result<Reading>(source_->read(changed, WallTime{}));
  ASSERT_TRUE(reading);
  ASSERT_FALSE(reading->samples.empty());
  EXPECT_EQ(reading->samples[0].node, "new");
}

TEST_F(PrometheusSourceTest, TheFreshnessQueryGivesTheTimeOfTheSample) {
  serve();
  settings_.queries[0].freshness_query = "when";
  answers_["when"] = vector_of(series("10.0.0.1:9100", "1799999990.5"));  // node b has no last sample
  const auto reading = read();
  ASSERT_TRUE(reading) << reading.error().message;
  EXPECT_EQ(reading->samples[0].at, WallTime{std::chrono::milliseconds{1'799'999'990'500}});
  EXPECT_EQ(reading->samples[1].at, WallTime{});
}

TEST_F(PrometheusSourceTest, AnErrorNamesTheServerTheResourceAndTheReason) {
  serve();
  status_ = 500;
  answers_[kCpu] = "oops";
  EXPECT_EQ(refusal(), "prometheus " + settings_.url + ": cpu: the server answers with status 500");
  status_ = 200;
  EXPECT_THAT(refusal(), HasSubstr("the answer is not JSON"));
  answers_[kCpu] = R"({"status":"success","data":{"resultType":"scalar","result":[1,"2"]}})";
  EXPECT_THAT(refusal(), HasSubstr("instead of a vector"));
  answers_[kCpu] = vector_of("");
  EXPECT_THAT(refusal(), HasSubstr("the query returns no series: check that Prometheus scrapes node_exporter"));
}

TEST_F(PrometheusSourceTest, ATruncatedAnswerIsAnError) {
  serve();
  cut_ = true;
  EXPECT_THAT(refusal(), StartsWith("prometheus " + settings_.url + ": cpu: "));
}

TEST_F(PrometheusSourceTest, ARefusedConnectionIsReported) {
  serve();
  (void)loop_.await_result<void>(end());
  server_.reset();
  EXPECT_THAT(refusal(), HasSubstr("refused"));
}

TEST_F(PrometheusSourceTest, AServerThatDoesNotAnswerCausesATimeout) {
  serve();
  silent_ = true;
  settings_.timeout = std::chrono::milliseconds{50};
  const auto reading = read();
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().code, Errc::Timeout);
}

TEST_F(PrometheusSourceTest, OnlyTheCpuAndMemoryQueriesMustReturnSeries) {
  serve();
  settings_.queries.push_back({.resource = "pressure", .expression = "pressure_query"});
  answers_["pressure_query"] = vector_of("");
  EXPECT_TRUE(read());
}

TEST_F(PrometheusSourceTest, CredentialsAreSentAndATokenFileIsRead) {
  serve();
  settings_.credentials = kube::BasicAuth{"user", kube::Secret("pass")};
  ASSERT_TRUE(read());
  EXPECT_EQ(requests_.back().headers.get("Authorization"), "Basic dXNlcjpwYXNz");
  settings_.credentials = kube::BearerToken{kube::Secret("t1")};
  ASSERT_TRUE(read());
  EXPECT_EQ(requests_.back().headers.get("Authorization"), "Bearer t1");
  const kube::TempDirectory directory;
  settings_.credentials = kube::TokenFile{.path = directory.write("token", "t2\n")};
  ASSERT_TRUE(read());
  EXPECT_EQ(requests_.back().headers.get("Authorization"), "Bearer t2");
}

TEST_F(PrometheusSourceTest, TlsIsVerifiedUnlessTheVerificationIsSwitchedOff) {
  const test::TestAuthority ca("test ca");
  const test::TestIdentity identity = ca.issue({.common_name = "prometheus"});
  serve(net::TlsServerSettings{.certificate_pem = identity.certificate_pem, .key_pem = identity.key_pem});
  EXPECT_THAT(refusal(), HasSubstr("certificate"));
  settings_.insecure_skip_verify = true;
  EXPECT_EQ(refusal(), "read");
  settings_.insecure_skip_verify = false;
  const kube::TempDirectory directory;
  settings_.ca_file = directory.write("ca.pem", ca.pem());
  EXPECT_EQ(refusal(), "read");
}

TEST_F(PrometheusSourceTest, APodHasItsUsageOfCpuAndMemoryAndTheTimeOfItsLastSample) {
  serve();
  answers_[kPodCpu] = vector_of(pod_series("shop/a", "0.25") + "," + pod_series("shop/no-memory", "1"));
  answers_[kPodMemory] = vector_of(pod_series("shop/a", "1024") + "," + pod_series("shop/no-cpu", "1"));
  answers_[kPodTime] = vector_of(pod_series("shop/a", "1799999990.5") + "," + pod_series("shop/no-memory", "1") + ","
                                 + pod_series("shop/no-cpu", "1"));
  const auto pods = read_pods();
  ASSERT_TRUE(pods) << pods.error().message;
  ASSERT_EQ(pods->size(), 1u) << "a missing value does not count as zero";
  EXPECT_EQ(pods->at(0).ns, "shop");
  EXPECT_EQ(pods->at(0).name, "a");
  EXPECT_DOUBLE_EQ(pods->at(0).cpu, 0.25);
  EXPECT_DOUBLE_EQ(pods->at(0).memory, 1024);
  EXPECT_EQ(pods->at(0).at, WallTime{std::chrono::milliseconds{1'799'999'990'500}});
}

TEST_F(PrometheusSourceTest, WithoutSeriesOfContainersPodsAreNotMeasured) {
  serve();
  for (const char* query : {kPodCpu, kPodMemory, kPodTime}) answers_[query] = vector_of(series("b", "1"));
  const auto pods = read_pods();
  ASSERT_FALSE(pods);
  EXPECT_EQ(pods.error().code, Errc::NotFound);
  EXPECT_EQ(pods.error().message,
            "prometheus " + settings_.url
                + ": pods: no series of containers: check that Prometheus scrapes the cAdvisor of kubelets");
  status_ = 500;
  EXPECT_THAT(read_pods().error().message,
              StartsWith("prometheus " + settings_.url + ": pods: the server answers with status 500"));
}

TEST(PrometheusQueries, TheDefaultQueriesGroupByTheGivenNodeLabel) {
  const auto queries = default_queries();
  ASSERT_EQ(queries.size(), 2u);
  EXPECT_EQ(queries[0].expression, R"(100 - (avg by(instance) (rate(node_cpu_seconds_total{mode="idle"}[5m])) * 100))");
  EXPECT_EQ(queries[1].expression, "100 * (1 - node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes)");
  EXPECT_THAT(default_queries("node")[0].expression, HasSubstr("avg by(node)"));
  EXPECT_THAT(default_queries("node")[1].freshness_query, StartsWith("max by(node)"));
}

TEST_F(PrometheusSourceTest, InvalidSettingsAreRejectedWithTheReason) {
  settings_.url = "prometheus:9090";
  EXPECT_THAT(refusal(), StartsWith("prometheus: "));
  settings_.url = "http://127.0.0.1:1/?x=y";
  EXPECT_THAT(refusal(), HasSubstr("must not contain a query"));
  settings_.url = "http://127.0.0.1:1";
  settings_.ca_file = "/does/not/exist";
  EXPECT_THAT(refusal(), HasSubstr("/does/not/exist"));
  settings_.ca_file.clear();
  settings_.queries.clear();
  EXPECT_THAT(refusal(), HasSubstr("queries"));
}

}  // namespace
}  // namespace rescheduler::usage
