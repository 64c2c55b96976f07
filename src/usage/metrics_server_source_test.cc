#include "usage/metrics_server_source.h"

#include <cmath>

#include <gmock/gmock.h>

#include "kube/client/api.h"
#include "kube/proto/metrics.pb.h"
#include "net/event_loop.h"

namespace rescheduler::usage {
namespace {

kube::ObjectPtr measured(const std::string& node, const std::string& cpu, const std::string& memory) {
  api::NodeMetrics metrics;
  metrics.mutable_metadata()->set_name(node);
  metrics.mutable_timestamp()->set_seconds(1'800'000'000);
  metrics.mutable_window()->set_duration(std::chrono::nanoseconds(std::chrono::seconds{20}).count());
  if (!cpu.empty()) (*metrics.mutable_usage())["cpu"].set_string(cpu);
  (*metrics.mutable_usage())["memory"].set_string(memory);
  return std::make_shared<const api::NodeMetrics>(metrics);
}

// CPU and memory of each container; empty: missing.
kube::ObjectPtr measured_pod(const std::string& name,
                             const std::vector<std::pair<std::string, std::string>>& containers) {
  api::PodMetrics metrics;
  metrics.mutable_metadata()->set_namespace_("shop");
  metrics.mutable_metadata()->set_name(name);
  metrics.mutable_timestamp()->set_seconds(1'800'000'000);
  for (const auto& [cpu, memory] : containers) {
    auto& usage = *metrics.add_containers()->mutable_usage();
    if (!cpu.empty()) usage["cpu"].set_string(cpu);
    if (!memory.empty()) usage["memory"].set_string(memory);
  }
  return std::make_shared<const api::PodMetrics>(metrics);
}

// Returns its objects, one object per page.
class ListingApi final : public kube::Api {
 public:
  std::vector<kube::ObjectPtr> objects;
  std::optional<Error> error;

  net::Task<Result<kube::ListPage>> list(kube::ApiCall call, kube::ItemSink sink) override {
    if (error) co_return fail(*error);
    const std::size_t page = call.continue_token.empty() ? 0 : std::stoul(call.continue_token);
    kube::ListPage answer;
    if (page < objects.size()) sink(objects[page]);
    if (page + 1 < objects.size()) answer.continue_token = std::to_string(page + 1);
    co_return answer;
  }
  net::Task<Result<void>> call(kube::ApiCall, kube::Message*) override {
    co_return fail(Errc::Unsupported, "this API only lists");
  }
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch(kube::ApiCall) override {
    co_return fail(Errc::Unsupported, "this API only lists");
  }
  net::Task<Result<std::string>> get_text(std::string, std::string) override {
    co_return fail(Errc::Unsupported, "this API only lists");
  }
};

struct Bench {
  Result<Reading> read() {
    auto source = make_metrics_server_source(api);
    return loop.await_result<Reading>(source->read(nodes, WallTime{}));
  }

  Result<std::vector<PodUse>> read_pods() {
    auto source = make_metrics_server_source(api);
    return loop.await_result<std::vector<PodUse>>(source->read_pods());
  }

  NodeList nodes = std::make_shared<const std::vector<NodeIdentity>>(
      std::vector<NodeIdentity>{{.name = "a", .cpu = 4.0, .memory = 1024.0}, {.name = "bare"}});
  ListingApi api;
  net::EventLoop loop;
};

TEST(MetricsServerSource, UsageIsAShareOfAllocatableWithItsTimeAndWindow) {
  Bench bench;
  bench.api.objects.push_back(measured("a", "500000000n", "256"));
  const auto reading = bench.read();
  ASSERT_TRUE(reading) << reading.error().message;
  ASSERT_EQ(reading->samples.size(), 2u);
  const Sample& memory = reading->samples[0];
  EXPECT_EQ(memory.resource, cluster::kMemoryLoad);
  EXPECT_DOUBLE_EQ(memory.value, 0.25);
  EXPECT_EQ(memory.averaged, std::nullopt);
  const Sample& cpu = reading->samples[1];
  EXPECT_EQ(cpu.resource, cluster::kCpuLoad);
  EXPECT_EQ(cpu.node, "a");
  EXPECT_DOUBLE_EQ(cpu.value, 0.125);
  EXPECT_EQ(cpu.at, WallTime{std::chrono::seconds{1'800'000'000}});
  EXPECT_EQ(cpu.averaged, std::chrono::seconds{20});
}

TEST(MetricsServerSource, AnUnknownShareIsNotANumberAndNotZero) {
  Bench bench;
  bench.api.objects.push_back(measured("bare", "1", "1"));  // reports no allocatable
  bench.api.objects.push_back(measured("a", "", "much"));
  bench.api.objects.push_back(measured("stranger", "1", "1"));
  const auto reading = bench.read();
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->samples.size(), 4u);
  for (const Sample& one : reading->samples) EXPECT_TRUE(std::isnan(one.value)) << one.node;
  EXPECT_EQ(reading->dropped[Drop::NoNode], 1u);
}

TEST(MetricsServerSource, TheUsageOfAPodIsTheSumOverItsContainers) {
  Bench bench;
  bench.api.objects.push_back(measured_pod("a", {{"250m", "1Ki"}, {"500m", "2Ki"}}));
  bench.api.objects.push_back(measured_pod("b", {{"1", "1Ki"}, {"", "1Ki"}}));
  const auto pods = bench.read_pods();
  ASSERT_TRUE(pods) << pods.error().message;
  ASSERT_EQ(pods->size(), 2u);
  EXPECT_EQ(pods->at(0).ns, "shop");
  EXPECT_EQ(pods->at(0).name, "a");
  EXPECT_DOUBLE_EQ(pods->at(0).cpu, 0.75);
  EXPECT_DOUBLE_EQ(pods->at(0).memory, 3072);
  EXPECT_EQ(pods->at(0).at, WallTime{std::chrono::seconds{1'800'000'000}});
  EXPECT_TRUE(std::isnan(pods->at(1).cpu)) << "one container is not measured";
}

TEST(MetricsServerSource, AnErrorBeginsWithTheNameOfTheSource) {
  Bench bench;
  bench.api.error = Error{Errc::NotFound, "the server has no metrics.k8s.io"};
  const auto reading = bench.read();
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().message, "metrics-server: the server has no metrics.k8s.io");
}

}  // namespace
}  // namespace rescheduler::usage
