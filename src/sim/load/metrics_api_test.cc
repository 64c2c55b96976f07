#include "sim/load/metrics_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/metrics.pb.h"
#include "sim/load/load_fixture.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

using namespace std::chrono_literals;

class MetricsApiTest : public testing::Test, protected LoadRig {
 protected:
  MetricsApiTest() {
    provide_metrics(server, load);
    api::Namespace ns;
    ns.mutable_metadata()->set_name("web");
    EXPECT_TRUE(server.create(ns));
    api::Node node;
    node.mutable_metadata()->set_name("n1");
    EXPECT_TRUE(server.create(node));
    load.node_on("n1", 4 * kCore, 16 * kGi);
  }
  LoadModel::PodId add(api::Pod pod, const std::string& app) {
    (*pod.mutable_metadata()->mutable_labels())["app"] = app;
    pod.mutable_spec()->mutable_containers(0)->set_image("app:1");
    const auto created = server.create(pod);
    EXPECT_TRUE(created) << created.error().message;
    return run(pod);
  }
  template <class T>
  std::vector<std::shared_ptr<const T>> list(const ListQuery& query = {}) {
    std::vector<std::shared_ptr<const T>> found;
    const auto listing = server.list(server.kinds().of<T>(), query);
    EXPECT_TRUE(listing);
    if (listing)
      for (const auto& version : listing->items) found.push_back(version->template as<T>());
    return found;
  }

  Server server{agenda, Rng(1)};
};

TEST_F(MetricsApiTest, NodesAndPodsHaveMetricsAfterAWholeWindow) {
  add(pod("a", "250m", "1536Mi"), "shop");
  EXPECT_TRUE(list<api::NodeMetrics>().empty());
  agenda.run_for(31s);
  const auto nodes = list<api::NodeMetrics>();
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0]->metadata().name(), "n1");
  EXPECT_EQ(nodes[0]->usage().at("cpu").string(), "250m");
  EXPECT_EQ(nodes[0]->usage().at("memory").string(), "1536Mi");
  EXPECT_EQ(nodes[0]->timestamp().seconds(), 1'704'067'230);
  EXPECT_EQ(nodes[0]->window().duration(), 15'000'000'000);
  const auto pods = list<api::PodMetrics>({.ns = "web"});
  ASSERT_EQ(pods.size(), 1u);
  ASSERT_EQ(pods[0]->containers_size(), 1);
  EXPECT_EQ(pods[0]->containers(0).name(), "main");
  EXPECT_EQ(pods[0]->containers(0).usage().at("cpu").string(), "250m");
}

TEST_F(MetricsApiTest, PodMetricsAreSelectedByTheLabelsOfThePod) {
  add(pod("a", "100m"), "shop");
  add(pod("b", "200m"), "bank");
  agenda.run_for(31s);
  const auto pods = list<api::PodMetrics>({.ns = "web", .label_selector = "app=bank"});
  ASSERT_EQ(pods.size(), 1u);
  EXPECT_EQ(pods[0]->metadata().name(), "b");
  EXPECT_TRUE(server.get(server.kinds().of<api::PodMetrics>(), "web", "a"));
  EXPECT_FALSE(server.get(server.kinds().of<api::PodMetrics>(), "web", "c"));
}

TEST_F(MetricsApiTest, ANonReportingNodeAndItsPodsHaveNoMetrics) {
  add(pod("a", "100m"), "shop");
  agenda.run_for(31s);
  load.set_reporting("n1", false);
  EXPECT_TRUE(list<api::NodeMetrics>().empty());
  EXPECT_TRUE(list<api::PodMetrics>().empty());
}

}  // namespace
}  // namespace rescheduler::sim
