// Debian's unmodified Prometheus and node_exporter on loopback measure the load of this machine. The tests stop, freeze
// and silence them, and let them report two values for one node. Skipped if they are not installed.
#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <netinet/in.h>
#include <numeric>
#include <regex>
#include <signal.h>
#include <sstream>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>

#include "base/rng.h"
#include "cluster/cluster.h"
#include "cluster/testing.h"
#include "kube/config/temp_directory.h"
#include "net/http/http_server.h"
#include "support/child.h"
#include "support/command.h"
#include "support/skip.h"
#include "usage/load_feed.h"
#include "usage/load_tracker.h"
#include "usage/prometheus_source.h"

namespace rescheduler::usage {
namespace {

using std::chrono::seconds;
using test::Child;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kPrometheus = "/usr/bin/prometheus";
constexpr const char* kExporter = "/usr/bin/prometheus-node-exporter";
constexpr const char* kPromtool = "/usr/bin/promtool";
constexpr seconds kPatience{60};  // timeout of any one wait

// Polls: the state of these processes cannot be observed in another way.
template <class Condition>
bool wait_until(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  return false;
}

std::uint16_t free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ::close(fd);
  return ntohs(address.sin_port);
}

double used_memory() {
  std::ifstream file("/proc/meminfo");
  std::map<std::string, double> amounts;
  std::string name;
  double amount = 0.0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    if (words >> name >> amount) amounts[name] = amount;
  }
  return 1.0 - amounts.at("MemAvailable:") / amounts.at("MemTotal:");
}

struct CpuTimes {
  double idle = 0.0;
  double all = 0.0;
};

CpuTimes cpu_times() {
  std::ifstream file("/proc/stat");
  std::string word;
  file >> word;
  // user nice system idle iowait irq softirq steal: the modes of node_exporter.
  std::array<double, 8> times{};
  for (double& one : times) file >> one;
  return {.idle = times[3], .all = std::accumulate(times.begin(), times.end(), 0.0)};
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class LoadSources : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {kPrometheus, kExporter}) {
      if (!std::filesystem::exists(program))
        RESCHEDULER_SKIP("prometheus") << program << " is not installed (scripts/install-deps)";
    }
    start_exporter();
    start_cadvisor();
    // The same exporter under two names, as with two overlapping jobs.
    std::filesystem::copy_file(std::string(RESCHEDULER_DEPLOY) + "/prometheus/rules.yml", directory_.at("rules.yml"));
    directory_.write("prometheus.yml", fmt::format(R"(
global: {{scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}}
rule_files: [rules.yml]
scrape_configs:
  - job_name: node
    static_configs: [{{targets: ["127.0.0.1:{0}", "localhost:{0}"]}}]
  - job_name: cadvisor
    metrics_path: /metrics/cadvisor
    static_configs: [{{targets: ["127.0.0.1:{1}", "localhost:{1}"]}}]
)",
                                                   exporter_port_, cadvisor_->port()));
    prometheus_port_ = free_port();
    prometheus_ = std::make_unique<Child>(std::vector<std::string>{
        kPrometheus, "--config.file=" + directory_.at("prometheus.yml"), "--storage.tsdb.path=" + directory_.at("data"),
        fmt::format("--web.listen-address=127.0.0.1:{}", prometheus_port_), "--log.level=error"});
    settings_.url = fmt::format("http://127.0.0.1:{}", prometheus_port_);
    make_source();
    // Both instances, in both queries.
    ASSERT_TRUE(wait_until([this] {
      const Reading reading = read();
      return reading.samples.size() == 2 && reading.dropped[Drop::NoNode] == 2;
    })) << error_;
  }
  void TearDown() override {
    if (source_) (void)loop_.await_result<void>(drop_source());
    if (cadvisor_) (void)loop_.await_result<void>(stop_cadvisor());
  }

  net::Task<Result<void>> drop_source() {
    source_.reset();
    feed_.reset();
    co_return Result<void>{};
  }

  void start_exporter() {
    if (exporter_port_ == 0) exporter_port_ = free_port();
    exporter_ = std::make_unique<Child>(std::vector<std::string>{
        kExporter, fmt::format("--web.listen-address=127.0.0.1:{}", exporter_port_), "--collector.disable-defaults",
        "--collector.cpu", "--collector.meminfo", "--log.level=error"});
  }

  // The page of a kubelet whose pod shop/web uses 0.75 cores and 3 MiB in two containers. cAdvisor also reports the
  // container of the sandbox and the sum of the pod.
  void start_cadvisor() {
    auto made = net::serve_http(
        loop_.executor(), {},
        [this](const net::HttpRequest&, const net::PeerIdentity&, net::Responder& responder) -> net::Task<void> {
          const double passed = std::chrono::duration<double>(clock_.steady_now() - started_).count();
          std::string cpu;
          std::string memory;
          for (const auto& [container, cores, mib] : {std::tuple{"app", 0.5, 1}, std::tuple{"side", 0.25, 2},
                                                      std::tuple{"POD", 8.0, 50}, std::tuple{"", 9.0, 60}}) {
            const std::string labels = fmt::format(R"({{container="{}",namespace="shop",pod="web"}})", container);
            cpu += fmt::format("container_cpu_usage_seconds_total{} {}\n", labels, cores * passed);
            memory += fmt::format("container_memory_working_set_bytes{} {}\n", labels, mib << 20);
          }
          net::HttpResponse response;
          response.status = 200;
          response.headers.set("Content-Type", "text/plain; version=0.0.4");
          response.body = "# TYPE container_cpu_usage_seconds_total counter\n" + cpu
                          + "# TYPE container_memory_working_set_bytes gauge\n" + memory;
          (void)co_await responder.send(std::move(response));
        });
    ASSERT_TRUE(made) << made.error().message;
    cadvisor_ = std::move(*made);
  }
  net::Task<Result<void>> stop_cadvisor() {
    co_await cadvisor_->stop(seconds(0));
    cadvisor_.reset();
    co_return Result<void>{};
  }

  kube::LoopServices services() { return {loop_.executor(), &timers_, &clock_, &rng_, &metrics_}; }
  void make_source() {
    auto made = make_prometheus_source(services(), settings_);
    ASSERT_TRUE(made) << made.error().message;
    source_ = std::move(*made);
  }
  // The samples that remain after filtering; on failure none, and error_ has the message.
  Reading read(NodeList nodes) {
    auto reading = loop_.await_result<Reading>(source_->read(std::move(nodes), clock_.wall_now()));
    error_ = reading ? "" : reading.error().message;
    return reading ? sift(std::move(*reading), {}, clock_.wall_now()) : Reading{};
  }
  Reading read() { return read(nodes_); }

  static NodeList one_node(std::vector<std::string> hostnames) {
    return std::make_shared<const std::vector<NodeIdentity>>(std::vector<NodeIdentity>{
        {.name = "here", .internal_ips = {"127.0.0.1"}, .hostnames = std::move(hostnames), .cpu = 4.0, .memory = 1e9}});
  }

  kube::TempDirectory directory_;
  std::uint16_t exporter_port_ = 0;
  std::uint16_t prometheus_port_ = 0;
  std::unique_ptr<Child> exporter_;
  std::unique_ptr<Child> prometheus_;
  NodeList nodes_ = one_node({});
  PrometheusSettings settings_;
  std::string error_;
  SystemClock clock_;
  net::RealTimers timers_;
  Rng rng_{1};
  MetricRegistry metrics_;
  const SteadyTime started_ = clock_.steady_now();
  net::EventLoop loop_;
  std::unique_ptr<net::HttpServer> cadvisor_;
  std::unique_ptr<Source> source_;
  std::unique_ptr<LoadFeed> feed_;
};

TEST_F(LoadSources, TheDefaultQueriesReadTheLoadOfThisMachine) {
  const Reading reading = read();
  ASSERT_EQ(reading.samples.size(), 2u) << error_;
  for (const Sample& one : reading.samples) EXPECT_EQ(one.node, "here");
  EXPECT_EQ(reading.samples[0].resource, cluster::kCpuLoad);
  EXPECT_GE(reading.samples[0].value, 0.0);
  EXPECT_LE(reading.samples[0].value, 1.0);
  EXPECT_NEAR(reading.samples[1].value, used_memory(), 0.1);
  EXPECT_LT(clock_.wall_now() - *reading.newest(), seconds{10});
  EXPECT_EQ(reading.dropped[Drop::NoNode], 2u);  // the instance called localhost, once per query
}

TEST_F(LoadSources, TheCpuLoadMatchesTheCountersOfTheKernel) {
  settings_.queries[0].expression =
      R"(100 * (1 - sum by(instance) (rate(node_cpu_seconds_total{mode="idle"}[10s]))
                  / sum by(instance) (rate(node_cpu_seconds_total[10s]))))";
  make_source();
  const CpuTimes before = cpu_times();
  const WallTime start = clock_.wall_now();
  Reading reading;
  ASSERT_TRUE(wait_until([&] {
    reading = read();
    return reading.samples.size() == 2 && reading.samples[0].at >= start + seconds{11};
  })) << error_;
  const CpuTimes after = cpu_times();
  EXPECT_NEAR(reading.samples[0].value, 1.0 - (after.idle - before.idle) / (after.all - before.all), 0.15);
}

TEST_F(LoadSources, TheRecordingRulesReadTheLoadOfThisMachine) {
  settings_.queries = recorded_queries();
  make_source();
  // The interval of the rule is 15 s.
  ASSERT_TRUE(wait_until([this] { return read().samples.size() == 2; })) << error_;
  const Reading reading = read();
  ASSERT_EQ(reading.samples.size(), 2u);
  EXPECT_GE(reading.samples[0].value, 0.0);
  EXPECT_LE(reading.samples[0].value, 1.0);
  EXPECT_NEAR(reading.samples[1].value, used_memory(), 0.1);
}

TEST_F(LoadSources, TheUsageOfAPodCountsEachOfItsContainersOnce) {
  Result<std::vector<PodUse>> pods;
  ASSERT_TRUE(wait_until([&] {
    pods = loop_.await_result<std::vector<PodUse>>(source_->read_pods());
    return pods.has_value();
  })) << pods.error().message;
  ASSERT_EQ(pods->size(), 1u);
  EXPECT_EQ(pods->at(0).ns, "shop");
  EXPECT_EQ(pods->at(0).name, "web");
  // The job scrapes two names of one kubelet, at different moments.
  EXPECT_NEAR(pods->at(0).cpu, 0.75, 0.15);
  EXPECT_EQ(pods->at(0).memory, 3 << 20);
  EXPECT_LT(clock_.wall_now() - pods->at(0).at, seconds{10});
}

TEST_F(LoadSources, TwoSeriesForOneNodeAreDroppedAndTheNodesLoadIsUnknown) {
  const Reading reading = read(one_node({"localhost"}));
  EXPECT_EQ(error_, "");
  EXPECT_TRUE(reading.samples.empty());
  EXPECT_EQ(reading.dropped[Drop::Ambiguous], 4u);

  cluster::Cluster cluster;
  cluster.upsert_node(cluster::testing::node("here"));
  LoadTracker tracker({}, cluster);
  tracker.take(reading, "prometheus", clock_.wall_now());
  tracker.look(clock_.wall_now());
  const cluster::NodeLoad& load = cluster.node(*cluster.find_node("here")).load;
  EXPECT_FALSE(load.knows(cluster::kCpuLoad));
  EXPECT_FALSE(load.knows(cluster::kMemoryLoad));
  EXPECT_EQ(cluster.load_summary().basis, cluster::LoadBasis::Requests);
}

TEST_F(LoadSources, AnInvalidQueryIsReportedWithTheErrorOfPrometheus) {
  settings_.queries[0].expression = "rate(node_cpu_seconds_total";
  make_source();
  read();
  EXPECT_THAT(error_,
              StartsWith("prometheus " + settings_.url + ": cpu: the server answers with status 400: bad_data: "));
  settings_.queries[0].expression = "node_cpu_seconds_total[1m]";
  make_source();
  read();
  EXPECT_THAT(error_, HasSubstr("instead of a vector"));
}

TEST_F(LoadSources, AReadFailsWhilePrometheusHangsAndWorksAfterwards) {
  settings_.timeout = std::chrono::milliseconds{300};
  make_source();
  prometheus_->signal(SIGSTOP);
  read();
  EXPECT_THAT(error_, HasSubstr("prometheus " + settings_.url + ": cpu: ")) << error_;
  prometheus_->signal(SIGCONT);
  EXPECT_TRUE(wait_until([this] { return !read().samples.empty(); })) << error_;
}

// A rate over five minutes would continue for five minutes.
TEST_F(LoadSources, ANodeWhoseExporterStopsIsStaleBeforeItsRateEnds) {
  exporter_.reset();
  Reading reading;
  EXPECT_TRUE(wait_until([&] {
    reading = read();
    // Memory then has no series, which fails the reading. CPU alone shows the difference.
    return error_.find("the query returns no series") != std::string::npos;
  }));
  settings_.queries.pop_back();
  make_source();
  reading = read();
  EXPECT_EQ(error_, "");
  EXPECT_TRUE(reading.samples.empty());
  EXPECT_EQ(reading.dropped[Drop::Stale], 1u);
  settings_.queries[0].freshness_query.clear();
  make_source();
  EXPECT_EQ(read().samples.size(), 1u);  // without the time of the last sample, the rate is used
}

TEST_F(LoadSources, TheFeedFallsBackToRequestsWhilePrometheusIsStopped) {
  std::vector<std::string> used_sources;
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(std::move(source_));
  LoadFeedCallbacks callbacks;
  callbacks.nodes = [this] { return nodes_; };
  callbacks.taken = [&used_sources](const Reading&, const std::string& source) { used_sources.push_back(source); };
  callbacks.fell_back = [&used_sources](cluster::LoadBasis, const std::string& source) {
    used_sources.push_back(source);
  };
  callbacks.changed = [&used_sources](const Fallback::Change& change) {
    used_sources.push_back(change.from + ">" + change.to);
  };
  feed_ = std::make_unique<LoadFeed>(services(), LoadFeedSettings{}, std::move(sources), std::move(callbacks));
  const auto round = [this] { ASSERT_TRUE(loop_.await_result<void>(feed_->round())); };
  round();
  EXPECT_THAT(used_sources, testing::ElementsAre(">prometheus", "prometheus"));
  used_sources.clear();

  prometheus_.reset();
  round();
  round();
  EXPECT_THAT(used_sources, testing::ElementsAre("prometheus>requests", "requests"));
  EXPECT_THAT(feed_->status().text(clock_.wall_now()),
              AllOf(StartsWith("requests; prometheus http://127.0.0.1"), HasSubstr("refused")));
  used_sources.clear();

  prometheus_ = std::make_unique<Child>(std::vector<std::string>{
      kPrometheus, "--config.file=" + directory_.at("prometheus.yml"), "--storage.tsdb.path=" + directory_.at("data"),
      fmt::format("--web.listen-address=127.0.0.1:{}", prometheus_port_), "--log.level=error"});
  EXPECT_TRUE(wait_until([&] {
    round();
    return feed_->status().in_charge == "prometheus";
  }));
  EXPECT_EQ(used_sources.back(), "prometheus");
  (void)loop_.await_result<void>(drop_source());
}

TEST(PrometheusFiles, PromtoolAcceptsTheRulesAndTheConfiguration) {
  if (!std::filesystem::exists(kPromtool))
    RESCHEDULER_SKIP("prometheus") << kPromtool << " is not installed (scripts/install-deps)";
  const std::string from = std::string(RESCHEDULER_DEPLOY) + "/prometheus";
  EXPECT_EQ(test::run_command({kPromtool, "check", "rules", from + "/rules.yml"}).exit_code, 0);
  EXPECT_EQ(test::run_command({kPromtool, "test", "rules", from + "/rules_test.yml"}).exit_code, 0);
  // Debian's Prometheus is built without Kubernetes discovery; the test replaces that part and checks the rest.
  const std::string written = text_of(from + "/prometheus.yml");
  const std::regex discovery(R"(kubernetes_sd_configs:\n *- role: \w+\n( *namespaces:\n *names: .*\n)?)");
  ASSERT_TRUE(std::regex_search(written, discovery));
  const kube::TempDirectory directory;
  std::filesystem::copy_file(from + "/rules.yml", directory.at("rules.yml"));
  const std::string plain = std::regex_replace(written, discovery, "static_configs: [{targets: [a]}]\n");
  EXPECT_EQ(test::run_command({kPromtool, "check", "config", "--syntax-only", directory.write("prometheus.yml", plain)})
                .exit_code,
            0);
}

}  // namespace
}  // namespace rescheduler::usage
