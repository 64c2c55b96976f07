#include "cli/plan_command.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/plan_table.h"
#include "cli/world_reader.h"

namespace rescheduler::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNode = R"(
apiVersion: v1
kind: Node
metadata: {name: a, labels: {kubernetes.io/hostname: a}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
)";

TEST(ReadDump, TakesYamlDocumentsAndJsonLists) {
  ReadWorld read;
  ASSERT_TRUE(read_dump(std::string(kNode) + "---\n" + R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default}, spec: {nodeName: a, containers: [{name: c}]}}
- {apiVersion: example.com/v1, kind: Thing, metadata: {name: t}}
)",
                        "x.yaml", read));
  ASSERT_TRUE(read_dump(R"({"kind": "List", "items": [{"apiVersion": "metrics.k8s.io/v1beta1", "kind": "NodeMetrics",
      "metadata": {"name": "a"}, "usage": {"cpu": "2", "memory": "2Gi"}}]})",
                        "x.json", read));
  EXPECT_EQ(read.world.cluster().node_count(), 1U);
  EXPECT_EQ(read.world.cluster().pod_count(), 1U);
  EXPECT_EQ(read.skipped, 1U);
  ASSERT_EQ(read.measured.samples.size(), 2U);
  EXPECT_EQ(read.measured.samples[0].value, 2);
}

TEST(ReadDump, SaysWhatIsWrongAndWhere) {
  ReadWorld read;
  const auto broken = read_dump("{", "x.json", read);
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("x.json"));
  const auto no_list = read_dump("{}", "y.json", read);
  ASSERT_FALSE(no_list);
  EXPECT_THAT(no_list.error().message, HasSubstr("kubectl get"));
  EXPECT_FALSE(read_dump(R"({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": 7}})", "z.json", read));
}

TEST(PlanTable, ShowsMovesNodesAndWhoStays) {
  rescheduling::Plan plan;
  plan.judged_by = "test";
  plan.before.balance_score = 60;
  plan.after.balance_score = 90;
  plan.before.nodes = {{.name = "a", .cpu = 0.91, .memory = 0.4, .pods = 3}, {.name = "b", .cpu = 0.1, .memory = 0.4}};
  plan.after.nodes = {{.name = "a", .cpu = 0.6, .memory = 0.4, .pods = 2},
                      {.name = "b", .cpu = 0.41, .memory = 0.4, .pods = 1}};
  plan.moves.push_back({.ns = "default", .pod = "web", .source = "a", .target = "b", .reason = "because"});
  plan.refused.push_back({"default", "db", "a", "opt-out", "the pod asks not to be moved"});
  plan.refused.push_back({"default", "db2", "a", "opt-out", "the pod asks not to be moved"});
  const std::string text = plan_table(plan, {.colour = false, .unicode = false});
  EXPECT_THAT(text, HasSubstr("1 move in 1 step: balance 60 -> 90 of 100, judged by test"));
  EXPECT_THAT(text, HasSubstr("default/web"));
  EXPECT_THAT(text, HasSubstr("91% -> "));
  EXPECT_THAT(text, HasSubstr("   2  opt-out"));
}

}  // namespace
}  // namespace rescheduler::cli
