// With many nodes, only some are listed, but all are counted.
#include "placement/explain.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
namespace json = boost::json;

// Sixty feasible nodes, thirty nodes that are too small, ten cordoned nodes.
struct ExplainTest : ::testing::Test {
  ExplainTest() {
    for (int i = 100; i < 200; ++i) {
      bench.add(node(fmt::format("n{}", i)).cpu(i % 10 < 3 ? "1" : "8").cordoned(i % 10 == 9));
    }
  }
  json::value listing(const NodeListing& some) {
    const api::Pod asked_pod = pod("p").requests("2", "1Gi");
    const auto compiled_spec = bench.model().compiled_spec_of(asked_pod);
    const auto context = make_pod_context(bench.model(), asked_pod, *compiled_spec);
    bench.framework().prepare(bench.model(), context);
    const NominatedPods no_nominated_pods;
    const Decision decision = decide(bench.framework(), context, no_nominated_pods, {.explain = true});
    whole = json::parse(to_json(decision, context, bench.framework()));
    return json::parse(to_json(decision, context, bench.framework(), some));
  }
  Bench bench;
  json::value whole;
};

TEST_F(ExplainTest, TheBestNodesAreListedAndRejectedNodesAreCountedByReason) {
  const json::value some = listing({.most = 5, .always = "n105"});
  EXPECT_EQ(whole.at("nodes").as_array().size(), 100u);
  ASSERT_EQ(some.at("nodes").as_array().size(), 5u) << json::serialize(some);
  EXPECT_EQ(some.at("best").as_array().size(), 5u);
  const json::value& counts = some.at("counts");
  EXPECT_EQ(counts.at("nodes").as_int64(), 100);
  EXPECT_EQ(counts.at("feasible").as_int64(), 60);
  EXPECT_EQ(counts.at("matching").as_int64(), 60);
  const json::array& refused = counts.at("refused").as_array();
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].at("plugin").as_string(), "NodeResourcesFit");
  EXPECT_EQ(refused[0].at("reason").as_string(), "Insufficient cpu");
  EXPECT_EQ(refused[0].at("nodes").as_int64(), 30);
  EXPECT_EQ(refused[0].at("names").as_array().size(), 20u);
  EXPECT_EQ(refused[1].at("nodes").as_int64(), 10);
}

TEST_F(ExplainTest, TheNodeNamedByAlwaysIsListedWhateverItsScore) {
  EXPECT_EQ(listing({.most = 5, .always = "n178"}).at("nodes").as_array().size(), 6u);
  const json::value refused = listing({.most = 0, .always = "n101"});
  ASSERT_EQ(refused.at("nodes").as_array().size(), 1u);
  EXPECT_FALSE(refused.at("nodes").at(0).at("feasible").as_bool());
}

TEST_F(ExplainTest, NodesWhoseNameContainsTheTextAreListedWithTheirReasons) {
  const json::value some = listing({.most = 50, .containing = "n10"});
  ASSERT_EQ(some.at("nodes").as_array().size(), 10u);
  EXPECT_EQ(some.at("counts").at("matching").as_int64(), 6);
  EXPECT_EQ(some.at("counts").at("nodes").as_int64(), 100);
  EXPECT_EQ(some.at("nodes").at(0).at("name").as_string(), "n100");
  EXPECT_EQ(some.at("nodes").at(0).at("reasons").at(0).as_string(), "Insufficient cpu");
}

}  // namespace
}  // namespace rescheduler::placement::testing
