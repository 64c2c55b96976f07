#include "cluster/dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cluster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string list(const std::string& items) { return R"({"kind":"List","apiVersion":"v1","items":[)" + items + "]}"; }

constexpr const char* kNode = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},
  "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}})";

std::string pod_json(const std::string& name, const std::string& spec, const std::string& status = "{}") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"default","uid":")" + name
         + R"("},"spec":)" + spec + R"(,"status":)" + status + "}";
}

TEST(Dump, FillsTheModelAndReturnsTheWaitingPods) {
  Cluster cluster;
  const auto dump = read_dump(
      list(
          std::string(kNode) + ","
          + pod_json("placed", R"({"nodeName":"n","containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]})")
          + "," + pod_json("waits", "{}") + "," + pod_json("over", R"({"nodeName":"n"})", R"({"phase":"Succeeded"})")
          + "," + pod_json("failed", "{}", R"({"phase":"Failed"})")
          + R"(,{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}},)"
          + R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"default"},"spec":{"selector":{"a":"b"}}},)"
          + R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b","namespace":"default"}})"),
      cluster);
  ASSERT_TRUE(dump) << dump.error().message;
  EXPECT_EQ(cluster.node_count(), 1U);
  EXPECT_EQ(cluster.pod_count(), 1U);
  EXPECT_EQ(cluster.node(NodeIndex{0}).requested.cpu, 1000);
  EXPECT_EQ(cluster.budgets().all().size(), 1U);
  ASSERT_EQ(dump->waiting.size(), 1U);
  EXPECT_EQ(dump->waiting[0]->metadata().name(), "waits");
  EXPECT_THAT(dump->skipped, ElementsAre("ConfigMap"));
  EXPECT_EQ(dump->pod, "");
}

TEST(Dump, CanNameThePodThatTheDumpIsAbout) {
  Cluster cluster;
  const auto dump = read_dump(R"({"items":[],"pod":"default/p"})", cluster);
  ASSERT_TRUE(dump);
  EXPECT_EQ(dump->pod, "default/p");
}

TEST(Dump, PodsWithoutAUidStayDistinctPods) {
  Cluster cluster;
  const auto without_uid = [](const std::string& name, const std::string& node) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name
           + R"(","namespace":"default"},"spec":{"nodeName":")" + node + R"("}})";
  };
  const auto dump = read_dump(
      list(std::string(kNode) + "," + without_uid("p", "n") + "," + without_uid("q", "n") + "," + without_uid("r", "")),
      cluster);
  ASSERT_TRUE(dump);
  EXPECT_EQ(cluster.pod_count(), 2U);
  EXPECT_EQ(cluster.node(NodeIndex{0}).pods.size(), 2U);
  EXPECT_NE(dump->waiting.at(0)->metadata().uid(), "");
}

TEST(Dump, EveryErrorMessageIsOneLineThatNamesTheProblem) {
  for (const auto& [text, expected] : {
           std::pair<std::string, std::string>{"{", "not JSON: "},
           {"", "not JSON: "},
           {"[]", "no list of objects found; give the output of `kubectl get ... -o json`"},
           {R"({"items":{}})", "no list of objects found; give the output of `kubectl get ... -o json`"},
           {list("7"), "the list contains an item that is not an object"},
           {list(R"({"apiVersion":"v1","kind":"Node","metadata":"n"})"), "an object of kind Node: metadata: "},
           {list(pod_json("p", R"({"containers":[{"name":7}]})")), "an object of kind Pod: spec.containers[0].name: "},
       }) {
    Cluster cluster;
    const auto dump = read_dump(text, cluster);
    ASSERT_FALSE(dump) << text;
    EXPECT_EQ(dump.error().code, Errc::Invalid);
    EXPECT_THAT(dump.error().message, HasSubstr(expected)) << text;
    EXPECT_EQ(dump.error().message.find('\n'), std::string::npos) << dump.error().message;
  }
}

}  // namespace
}  // namespace rescheduler::cluster
