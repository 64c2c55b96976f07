#include "cli/explain/explanation.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/explain/explain_command.h"
#include "config/read.h"

namespace rescheduler::cli {
namespace {

using testing::HasSubstr;

// Two nodes and a third one that is cordoned; one pod is pending, another is bound.
constexpr const char* kCluster = R"({"kind":"List","items":[
  {"apiVersion":"v1","kind":"Node","metadata":{"name":"free"},"status":{"allocatable":{"cpu":"4","memory":"32Gi","pods":"110"}}},
  {"apiVersion":"v1","kind":"Node","metadata":{"name":"busy"},"status":{"allocatable":{"cpu":"4","memory":"32Gi","pods":"110"}}},
  {"apiVersion":"v1","kind":"Node","metadata":{"name":"cordoned"},"spec":{"unschedulable":true},
   "status":{"allocatable":{"cpu":"4","memory":"32Gi","pods":"110"}}},
  {"apiVersion":"v1","kind":"Pod","metadata":{"name":"there","namespace":"shop","uid":"1"},"spec":{"nodeName":"busy",
   "containers":[{"name":"c","resources":{"requests":{"cpu":"3","memory":"1Gi"}}}]}},
  {"apiVersion":"v1","kind":"Pod","metadata":{"name":"waits","namespace":"shop","uid":"2"},"spec":{
   "containers":[{"name":"c","resources":{"requests":{"cpu":"100m","memory":"500Mi"}}}]}},
  {"apiVersion":"v1","kind":"Pod","metadata":{"name":"big","namespace":"shop","uid":"3"},"spec":{"priority":5,
   "containers":[{"name":"c","resources":{"requests":{"cpu":"4","memory":"500Mi"}}}],"nodeSelector":{"kubernetes.io/hostname":"x"}}},
  {"apiVersion":"v1","kind":"Pod","metadata":{"name":"gated","namespace":"shop","uid":"4"},"spec":{
   "schedulingGates":[{"name":"quota"}]}}]})";

Result<std::string> explained(const std::string& pod, ExplanationForm form, const std::string& text = kCluster) {
  cluster::Cluster cluster;
  const auto dump = cluster::read_dump(text, cluster);
  EXPECT_TRUE(dump);
  return explain(cluster, *dump, pod, config::default_configuration(config::default_catalog()), form);
}

TEST(Explanation, TheTableShowsScoresAndRefusals) {
  const auto text = explained("shop/waits", ExplanationForm::Table);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "shop/waits goes to free\n"
            "by profile rescheduler-scheduler\n"
            "\n"
            "Feasible nodes\n"
            "NODE  TOTAL  TaintToleration x3  NodeResourcesFit x1  DynamicResources x2  "
            "NodeResourcesBalancedAllocation x1  ImageLocality x1\n"
            "free  471    100                 97                   0                    "
            "74                                  0\n"
            "busy  432    100                 58                   0                    "
            "74                                  0\n"
            "\n"
            "Infeasible nodes\n"
            "NODE      REFUSED BY         PREEMPTION HELPS  WHY\n"
            "cordoned  NodeUnschedulable  no                node(s) were unschedulable\n");
}

TEST(Explanation, AnUnschedulablePodIsExplainedWithTheTextOfItsEvent) {
  const auto text = explained("shop/big", ExplanationForm::Table);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, HasSubstr("shop/big is unschedulable\n"));
  EXPECT_THAT(*text, HasSubstr("busy      NodeAffinity       no                "
                               "node(s) didn't match Pod's node affinity/selector\n"));
  EXPECT_THAT(*text, HasSubstr("\n0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match Pod's "
                               "node affinity/selector."));
}

TEST(Explanation, TheTableShowsTheCandidatesForPreemption) {
  std::string text = kCluster;
  const std::string selector = R"(,"nodeSelector":{"kubernetes.io/hostname":"x"})";
  text.replace(text.find(selector), selector.size(), R"(,"nodeName":"")");
  const std::string free = R"("metadata":{"name":"free"})";
  text.replace(text.find(free), free.size(), free + R"(,"spec":{"unschedulable":true})");
  const auto table = explained("shop/big", ExplanationForm::Table, text);
  ASSERT_TRUE(table);
  EXPECT_THAT(*table, HasSubstr("shop/big goes to busy after preemption\n"));
  EXPECT_THAT(*table, HasSubstr("busy *  0              shop/there (priority 0)\n"));
}

TEST(Explanation, AGatedPodIsReportedWithItsGates) {
  const auto text = explained("shop/gated", ExplanationForm::Table);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, testing::StartsWith("shop/gated is gated: waiting for scheduling gates: [quota]\n"));
}

TEST(Explanation, JsonShowsTheSameDecision) {
  const auto text = explained("shop/waits", ExplanationForm::Json);
  ASSERT_TRUE(text);
  const auto json = boost::json::parse(*text);
  EXPECT_EQ(json.at("outcome").as_string(), "scheduled");
  EXPECT_EQ(json.at("node").as_string(), "free");
  ASSERT_EQ(json.at("nodes").as_array().size(), 3U);
  const auto& busy = json.at("nodes").at(0);
  EXPECT_EQ(busy.at("name").as_string(), "busy");
  EXPECT_EQ(busy.at("total").as_int64(), 432);
  EXPECT_EQ(busy.at("scores").at("TaintToleration").at("weighted").as_int64(), 300);
  const auto& cordoned = json.at("nodes").at(1);
  EXPECT_FALSE(cordoned.at("feasible").as_bool());
  EXPECT_EQ(cordoned.at("code").as_string(), "UnschedulableAndUnresolvable");
  EXPECT_EQ(cordoned.at("reasons").at(0).as_string(), "node(s) were unschedulable");
}

// Nodes 1000 to 1149 in two zones, 75 each; 1007 and 1008 are cordoned.
std::string large_cluster(const std::string& more) {
  std::string text = R"({"kind":"List",)" + more + R"("items":[{"apiVersion":"v1","kind":"Pod","metadata":{)"
                     + R"("name":"p","namespace":"shop"}})";
  for (int i = 0; i < 150; ++i) {
    text += R"(,{"apiVersion":"v1","kind":"Node","metadata":{"name":")" + std::to_string(1000 + i)
            + R"(","labels":{"topology.kubernetes.io/zone":")" + (i < 75 ? "a" : "b")
            + R"("}},"spec":{"unschedulable":)" + (i == 7 || i == 8 ? "true" : "false")
            + R"(},"status":{"allocatable":{"pods":"9"}}})";
  }
  return text + "]}";
}

// If the dump has the start index of the search, the search stops as percentageOfNodesToScore demands.
TEST(Explanation, ASearchThatStopsEarlyShowsOnlyTheNodesThatItChecked) {
  auto configuration = config::default_configuration(config::default_catalog());
  configuration.percentage_of_nodes_to_score = 1;  // the minimum is 100 nodes
  const auto nodes_of = [&](const std::string& text) {
    cluster::Cluster cluster;
    const auto dump = cluster::read_dump(text, cluster);
    EXPECT_TRUE(dump);
    const auto json = explain(cluster, *dump, "shop/p", configuration, ExplanationForm::Json);
    EXPECT_TRUE(json);
    std::vector<std::string> names;
    const auto parsed = boost::json::parse(*json);
    for (const auto& node : parsed.at("nodes").as_array()) {
      names.emplace_back(node.at("name").as_string());
    }
    return names;
  };
  EXPECT_EQ(nodes_of(large_cluster("")).size(), 150U);
  // Zone a from 1002 on and zone b from 1077 on, alternating, until 100 nodes are feasible. The two rejected nodes are
  // listed too.
  const auto some = nodes_of(large_cluster(R"("nextStartNodeIndex":4,)"));
  ASSERT_EQ(some.size(), 102U);
  EXPECT_EQ(some.front(), "1002");
  EXPECT_EQ(some[50], "1052");
  EXPECT_EQ(some[51], "1077");
  EXPECT_EQ(some.back(), "1127");
}

// The load of a node counts in the decision.
TEST(Explanation, TheLoadOfNodesCountsInTheFilterAndInTheScore) {
  const auto reading = config::read_configuration(
      "schedulerName: rescheduler-scheduler\nplugins: {multiPoint: {enabled: [name: Rescheduler]}}\n", "f",
      config::default_catalog());
  ASSERT_TRUE(reading.problems.empty());
  cluster::Cluster cluster;
  const auto dump = cluster::read_dump(kCluster, cluster);
  ASSERT_TRUE(dump);
  const auto uses = [&](const char* node, double cpu) {
    cluster::NodeLoad load;
    load.used[cluster::kCpuLoad] = load.used[cluster::kMemoryLoad] = cpu;
    cluster.set_load(*cluster.find_node(node), load);
  };
  uses("free", 0.9);
  uses("busy", 0.1);
  cluster::LoadSummary load_summary;
  load_summary.basis = cluster::LoadBasis::Usage;
  load_summary.mean = cluster::loads_of(0.5);
  cluster.set_load_summary(load_summary);
  const auto text = explain(cluster, *dump, "shop/waits", reading.configuration, ExplanationForm::Table);
  ASSERT_TRUE(text);
  EXPECT_THAT(*text, testing::StartsWith("shop/waits goes to busy\n"));
  EXPECT_THAT(*text, HasSubstr("Rescheduler x5"));
  EXPECT_THAT(*text, HasSubstr("free      Rescheduler        no                node(s) were above the cpu load "
                               "threshold, node(s) were above the memory load threshold\n"));
  const auto json = explain(cluster, *dump, "shop/waits", reading.configuration, ExplanationForm::Json);
  ASSERT_TRUE(json);
  const auto parsed = boost::json::parse(*json);
  EXPECT_EQ(parsed.at("nodes").at(0).at("scores").at("Rescheduler").at("normalized").as_int64(), 87);
}

TEST(Explanation, OnlyAPendingPodIsExplained) {
  for (const char* pod : {"shop/there", "shop/missing", "default/waits"}) {
    const auto text = explained(pod, ExplanationForm::Table);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().message,
              std::string("there is no pending pod ") + pod + "; a pod that has a node is not scheduled again");
  }
}

// --- The command ---

struct CommandResult {
  int exit_code = 0;
  std::string output{};
  std::string complaints{};
};

CommandResult run(const ExplainOptions& options) {
  CommandResult done;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  done.exit_code = run_explain(options);
  done.output = testing::internal::GetCapturedStdout();
  done.complaints = testing::internal::GetCapturedStderr();
  return done;
}

struct ExplainCommand : testing::Test {
  ExplainCommand() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::path(testing::TempDir()) / (std::string("explain-") + test->name());
    std::filesystem::create_directories(folder);
  }
  ~ExplainCommand() override { std::filesystem::remove_all(folder); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  std::filesystem::path folder;
};

TEST_F(ExplainCommand, ReadsADump) {
  const CommandResult done = run({.pod = "waits", .ns = "shop", .dump = file("c.json", kCluster)});
  EXPECT_EQ(done.exit_code, 0) << done.complaints;
  EXPECT_THAT(done.output, testing::StartsWith("shop/waits goes to free\n"));
  EXPECT_EQ(done.complaints, "");
}

TEST_F(ExplainCommand, EveryErrorIsOneLine) {
  const std::string good = file("good.json", kCluster);
  const std::string broken = file("broken.json", "{");
  const std::string misfit = file("misfit.json", R"({"items":[{"apiVersion":"v1","kind":"Pod","spec":7}]})");
  const std::string nowhere = (folder / "nowhere.json").string();
  const std::pair<ExplainOptions, std::string> rows[] = {
      {{.pod = "missing", .dump = good}, "there is no pending pod default/missing"},
      {{.pod = "p", .dump = broken}, broken + ": not JSON: "},
      {{.pod = "p", .dump = misfit}, misfit + ": an object of kind Pod: spec: "},
      {{.pod = "p", .dump = nowhere}, nowhere},
      {{.dump = good}, "name the pod: NAME or NAMESPACE/NAME"},
      {{.pod = "p", .dump = good, .config = nowhere}, nowhere},
      {{.batch = nowhere}, nowhere},
  };
  for (const auto& [options, expected] : rows) {
    const CommandResult done = run(options);
    EXPECT_EQ(done.exit_code, 1) << expected;
    EXPECT_EQ(done.output, "");
    EXPECT_THAT(done.complaints, testing::StartsWith("rescheduler explain: "));
    EXPECT_THAT(done.complaints, HasSubstr(expected));
    EXPECT_EQ(std::ranges::count(done.complaints, '\n'), 1) << done.complaints;
  }
}

TEST_F(ExplainCommand, ExplainsAFolderOfDumps) {
  std::string about = kCluster;
  about.insert(1, R"("pod":"shop/waits",)");
  file("a.dump.json", about);
  file("unrelated.json", "{");
  EXPECT_EQ(run({.batch = folder.string()}).exit_code, 0);
  std::ifstream in(folder / "a.ours.json");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(boost::json::parse(text).at("node").as_string(), "free");
}

}  // namespace
}  // namespace rescheduler::cli
