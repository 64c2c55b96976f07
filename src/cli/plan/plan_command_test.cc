#include "cli/plan/plan_command.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/plan/plan_table.h"
#include "cli/plan/snapshot_input.h"

namespace rescheduler::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNode = R"(
apiVersion: v1
kind: Node
metadata: {name: a, labels: {kubernetes.io/hostname: a}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
)";

TEST(ReadDump, ReadsYamlDocumentsAndJsonLists) {
  SnapshotInput read;
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
  EXPECT_EQ(read.snapshot.cluster().node_count(), 1U);
  EXPECT_EQ(read.snapshot.cluster().pod_count(), 1U);
  EXPECT_EQ(read.skipped, 1U);
  ASSERT_EQ(read.measured.samples.size(), 2U);
  EXPECT_EQ(read.measured.samples[0].value, 2);
}

TEST(ReadDump, AnErrorNamesTheFileAndTheReason) {
  SnapshotInput read;
  const auto broken = read_dump("{", "x.json", read);
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("x.json"));
  const auto no_list = read_dump("{}", "y.json", read);
  ASSERT_FALSE(no_list);
  EXPECT_THAT(no_list.error().message, HasSubstr("kubectl get"));
  EXPECT_FALSE(read_dump(R"({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": 7}})", "z.json", read));
}

TEST(PlanTable, ShowsMovesNodesAndPodsThatStay) {
  rescheduling::Plan plan;
  plan.judged_by = "test";
  plan.before.balance.score = 60;
  plan.after.balance.score = 90;
  plan.before.nodes = {{.name = "a", .cpu = 0.91, .memory = 0.4, .pods = 3}, {.name = "b", .cpu = 0.1, .memory = 0.4}};
  plan.after.nodes = {{.name = "a", .cpu = 0.6, .memory = 0.4, .pods = 2},
                      {.name = "b", .cpu = 0.41, .memory = 0.4, .pods = 1}};
  plan.moves.push_back({.ns = "default", .pod = "web", .source = "a", .target = "b", .reason = "because"});
  plan.refused.push_back({"default", "db", "a", "opt-out", "the pod has opted out of moves"});
  plan.refused.push_back({"default", "db2", "a", "opt-out", "the pod has opted out of moves"});
  const std::string text = plan_table(plan, {.colour = false, .unicode = false});
  EXPECT_THAT(text, HasSubstr("1 move in 1 step: balance 60 -> 90 of 100, judged by test"));
  EXPECT_THAT(text, HasSubstr("default/web"));
  EXPECT_THAT(text, HasSubstr("91% -> "));
  EXPECT_THAT(text, HasSubstr("   2  opt-out"));
}

TEST(PlanTable, ShowsHowManyNodesHaveAnUnknownLoad) {
  rescheduling::Plan plan;
  plan.judged_by = "test";
  plan.before.balance.score = plan.after.balance.score = 80;
  plan.before.nodes = {{.name = "a", .cpu = 0.4, .memory = 0.4}, {.name = "b", .cpu = std::nan(""), .memory = 0.4}};
  plan.after = plan.before;
  const ViewStyle plain{.colour = false, .unicode = false};
  EXPECT_THAT(plan_table(plan, plain), HasSubstr("balance 80 of 100, judged by test; the load of 1 node is unknown"));
  plan.before.balance.score = std::nan("");
  EXPECT_THAT(plan_table(plan, plain), HasSubstr("Nothing to do: balance unknown, no node has a known load"));
}

// --- The command itself, on a dump. ---

constexpr const char* kCrowded = R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"},
   conditions: [{type: Ready, status: "True"}]}}
- {apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"},
   conditions: [{type: Ready, status: "True"}]}}
- {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web, namespace: default},
   spec: {scaleTargetRef: {apiVersion: apps/v1, kind: ReplicaSet, name: web}, maxReplicas: 9}}
)";

std::string crowded_dump() {
  std::string text = kCrowded;
  for (int i = 0; i < 4; ++i) {
    text += fmt::format(R"(
- {{apiVersion: v1, kind: Pod, metadata: {{name: web-{0}, namespace: default, uid: u{0}, labels: {{app: web}},
   creationTimestamp: "2026-01-01T00:00:00Z", ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: web,
   controller: true}}]}}, spec: {{nodeName: a, containers: [{{name: c, resources: {{requests: {{cpu: 900m, memory: 1Gi}}}}}}]}},
   status: {{phase: Running, conditions: [{{type: Ready, status: "True"}}], startTime: "2026-01-01T00:00:00Z"}}}})",
                        i);
  }
  return text + R"(
- {apiVersion: v1, kind: Pod, metadata: {name: young, namespace: default, creationTimestamp: "2026-01-02T00:00:00Z"}}
)";
}

class PlanCommand : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const auto path = std::filesystem::path(::testing::TempDir()) / name;
    std::ofstream(path) << text;
    return path.string();
  }
  int run(PlanOptions options) {
    ::testing::internal::CaptureStdout();
    const int code = run_plan(options);
    output_ = ::testing::internal::GetCapturedStdout();
    return code;
  }
  std::string output_;
};

TEST_F(PlanCommand, WithoutUsageThePlanIsMadeByRequestsAndNotesAutoscaledWorkloads) {
  PlanOptions options;
  options.files = {file("crowded.yaml", crowded_dump())};
  options.output = "json";
  EXPECT_EQ(run(options), 2) << output_;
  EXPECT_THAT(output_, HasSubstr(R"("judgedBy":"requests")"));
  EXPECT_THAT(output_, HasSubstr(R"("autoscaled":true)"));
  EXPECT_THAT(output_, HasSubstr("a HorizontalPodAutoscaler sets the replicas of ReplicaSet default/web"));
}

TEST_F(PlanCommand, WithoutAFreshSampleThePlanIsMadeByRequestsAndSaysSo) {
  PlanOptions options;
  options.files = {file("crowded.yaml", crowded_dump())};
  options.usage =
      file("loads.csv", R"({"at": "2026-01-02T00:00:00Z", "node": "elsewhere", "resource": "cpu", "value": 0.5})");
  options.output = "table";
  EXPECT_EQ(run(options), 2) << output_;
  EXPECT_THAT(output_, HasSubstr("has no fresh sample of any node: nodes are judged by requests"));
  EXPECT_THAT(output_, ::testing::Not(HasSubstr("balance 100")));
}

// Settings of the plugin apply even if the profile does not enable it: here, default/web stays.
TEST_F(PlanCommand, UsesTheSettingsOfAPluginThatTheProfileDoesNotEnableAndSaysSo) {
  constexpr const char* kSettings = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: another
- schedulerName: rescheduler-scheduler
  {}
  pluginConfig: [{{name: Rescheduler, args: {{excludedNamespaces: [default]}}}}]
)";
  PlanOptions options;
  options.files = {file("crowded.yaml", crowded_dump())};
  options.config = file("not-enabled.yaml", fmt::format(kSettings, ""));
  EXPECT_EQ(run(options), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("namespace default is excluded"));
  EXPECT_THAT(output_, HasSubstr("as if rescheduler-scheduler enabled the plugin"));
  options.config = file("enabled.yaml", fmt::format(kSettings, "plugins: {reserve: {enabled: [{name: Rescheduler}]}}"));
  EXPECT_EQ(run(options), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("namespace default is excluded"));
  EXPECT_THAT(output_, ::testing::Not(HasSubstr("enables the plugin")));
  options.config =
      file("silent.yaml", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n");
  EXPECT_EQ(run(options), 2) << output_;
  EXPECT_THAT(output_, HasSubstr("this plan is made with the default settings of the plugin"));
}

}  // namespace
}  // namespace rescheduler::cli
