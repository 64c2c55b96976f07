// Load from metrics.k8s.io. The real control plane of the tests has no metrics-server; the client must report that.
#include <cmath>

#include <gmock/gmock.h>

#include "kube/proto/core_node.pb.h"
#include "support/cluster.h"
#include "usage/metrics_server_source.h"

namespace rescheduler::test {
namespace {

class Load : public ClusterTest {};
RESCHEDULER_ON_EVERY_CLUSTER(Load);

TEST_P(Load, TheMetricsServerSourceReadsNodeUtilizationOrReportsNotFound) {
  const std::string name = add_node("loaded");
  auto object = await(client().get<api::Node>("", name));
  ASSERT_TRUE(object) << object.error().message;
  const auto nodes = std::make_shared<const std::vector<usage::NodeIdentity>>(
      std::vector<usage::NodeIdentity>{usage::node_identity_of(*object)});
  const auto source = usage::make_metrics_server_source(live().api());
  if (GetParam() == Tier::Real) {
    const auto reading = await(source->read(nodes, WallTime()));
    ASSERT_FALSE(reading);
    EXPECT_THAT(reading.error().message, testing::StartsWith("metrics-server: "));
    EXPECT_EQ(reading.error().code, Errc::NotFound);
    return;
  }
  Result<usage::Reading> reading;
  ASSERT_TRUE(eventually([&] {
    reading = await(source->read(nodes, WallTime()));
    return reading && reading->samples.size() == 2;
  })) << (reading ? "no samples" : reading.error().message);
  for (const usage::Sample& one : reading->samples) {
    EXPECT_EQ(one.node, name);
    EXPECT_GT(one.value, 0.0);  // the system uses some CPU and memory itself
    EXPECT_LT(one.value, 0.2);
    EXPECT_GT(one.at, WallTime());
  }
  ASSERT_TRUE(reading->samples[1].averaged);
  EXPECT_GT(*reading->samples[1].averaged, std::chrono::seconds{0});
  EXPECT_LE(*reading->samples[1].averaged, std::chrono::seconds{30});  // the first window of a new node is short
}

}  // namespace
}  // namespace rescheduler::test
