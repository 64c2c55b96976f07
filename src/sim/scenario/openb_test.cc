#include "sim/scenario/openb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::sim {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr std::string_view kNodes =
    "sn,cpu_milli,memory_mib,gpu,model\n"
    "n-0,64000,262144,2,P100\n"
    "n-1,32000,131072,0,\n"
    "n-2,64000,262144,2,P100\n";
constexpr std::string_view kPods =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
    "p-0,12000,16384,2,1000,,LS,Running,0,12537496,0\n"
    "p-1,6000,12288,1,460,P100|T4,BE,Running,199,12902960,427061\n"
    "p-2,1000,1024,0,0,,Burstable,Pending,200,300,\n";

Scenario loaded() {
  Scenario scenario;
  scenario.openb = OpenbSource{.arrive_within = 20s, .cpu_use = 0.5, .memory_use = 0.25};
  add_openb(scenario, *read_openb_nodes(kNodes, "nodes", 0), *read_openb_pods(kPods, "pods", 0));
  return scenario;
}

TEST(Openb, NodesOfOneShapeFormAGroupAndKeepTheirNames) {
  const Scenario scenario = loaded();
  ASSERT_EQ(scenario.node_groups.size(), 2U);
  EXPECT_EQ(scenario.nodes(), 3);
  const NodeGroup& with_gpu = scenario.node_groups[0];
  EXPECT_THAT(with_gpu.names, ElementsAre("n-0", "n-2"));
  EXPECT_THAT(with_gpu.resources, ElementsAre(Pair(kGpuMilliResource, "2000"), Pair(kGpuResource, "2")));
  EXPECT_THAT(with_gpu.labels, ElementsAre(Pair(kGpuModelLabel, "P100")));
  EXPECT_TRUE(scenario.node_groups[1].resources.empty());
}

TEST(Openb, WholeGpusAreRequestedAsBothResourcesAndSharesOnlyInThousandths) {
  const Scenario scenario = loaded();
  const Workload& whole = scenario.workloads.at(0);
  EXPECT_EQ(whole.requests.at(std::string(kGpuResource)), "2");
  EXPECT_EQ(whole.requests.at(std::string(kGpuMilliResource)), "2000");
  const Workload& shared = scenario.workloads.at(1);
  EXPECT_FALSE(shared.requests.contains(kGpuResource));
  EXPECT_EQ(shared.limits.at(std::string(kGpuMilliResource)), "460");
  EXPECT_THAT(shared.node_affinity, ElementsAre(Pair(kGpuModelLabel, ElementsAre("P100", "T4"))));
  EXPECT_FALSE(scenario.workloads.at(2).requests.contains(kGpuMilliResource));
}

TEST(Openb, PodsArriveInTraceOrderAtEqualIntervals) {
  const Scenario scenario = loaded();
  EXPECT_EQ(scenario.workloads.at(0).starts_at, 0s);
  EXPECT_EQ(scenario.workloads.at(1).starts_at, 10s);
  EXPECT_EQ(scenario.workloads.at(2).starts_at, 20s);
}

TEST(Openb, TheLimitIsANumberOfRows) { EXPECT_EQ(read_openb_nodes(kNodes, "nodes", 2)->size(), 2U); }

TEST(Openb, ErrorsNameTheInvalidLineAndField) {
  const std::string header(kNodes.substr(0, kNodes.find('\n') + 1));
  EXPECT_THAT(read_openb_nodes("a,b\n", "nodes", 0).error().message, HasSubstr("nodes: line 1: expected the columns"));
  EXPECT_THAT(read_openb_nodes(header + "n,1,2\n", "nodes", 0).error().message, HasSubstr("line 2: expected 5 fields"));
  EXPECT_THAT(read_openb_nodes(header + "n,1,x,0,\n", "nodes", 0).error().message, HasSubstr("field 3 is not a count"));
  EXPECT_THAT(read_openb_nodes(header + "N!,1,2,0,\n", "nodes", 0).error().message, HasSubstr("line 2: field 1"));
  EXPECT_THAT(read_openb_nodes(header + "n,1,-2,0,\n", "nodes", 0).error().message, HasSubstr("field 3"));
}

TEST(Openb, TheErrorForAMissingTraceNamesTheDataVariable) {
  Scenario scenario;
  scenario.openb = OpenbSource{.path = "/nowhere"};
  EXPECT_THAT(with_openb(scenario, {}).error().message, HasSubstr("RESCHEDULER_DATA"));
}

}  // namespace
}  // namespace rescheduler::sim
