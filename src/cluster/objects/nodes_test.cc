#include "cluster/objects/nodes.h"

#include <gtest/gtest.h>

#include "kube/proto/core_node.pb.h"

namespace rescheduler::cluster {
namespace {

TEST(NodeProperties, ANodeIsReadyIfReadyIsTrueAndReportsNotReadyIfReadyHasAnotherValue) {
  api::Node node;
  EXPECT_FALSE(is_ready(node));
  EXPECT_FALSE(reports_not_ready(node)) << "the node has no condition Ready";
  auto& condition = *node.mutable_status()->add_conditions();
  condition.set_type("Ready");
  for (const char* status : {"True", "False", "Unknown"}) {
    condition.set_status(status);
    EXPECT_EQ(condition_of(node, "Ready"), status);
    EXPECT_EQ(is_ready(node), std::string_view(status) == "True");
    EXPECT_EQ(reports_not_ready(node), std::string_view(status) != "True");
  }
  EXPECT_EQ(condition_of(node, "MemoryPressure"), "");
}

TEST(NodeProperties, TheZoneIsReadFromTheStableLabelOtherwiseFromTheBetaLabel) {
  api::Node node;
  EXPECT_EQ(zone_of(node), "");
  auto& labels = *node.mutable_metadata()->mutable_labels();
  labels["failure-domain.beta.kubernetes.io/zone"] = "old";
  labels["failure-domain.beta.kubernetes.io/region"] = "north";
  EXPECT_EQ(zone_of(node), "old");
  EXPECT_EQ(region_of(node), "north");
  labels["topology.kubernetes.io/zone"] = "new";
  EXPECT_EQ(zone_of(node), "new");
}

}  // namespace
}  // namespace rescheduler::cluster
