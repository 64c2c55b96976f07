#include <gtest/gtest.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/autoscaling.pb.h"
#include "sim/server/test_objects.h"

namespace rescheduler::sim {
namespace {

class ScaleTest : public ::testing::Test {
 protected:
  testing::TestServer cluster;
  const Kind& deployments = cluster.server.kinds().of<api::Deployment>();

  ScaleTest() {
    api::Deployment deployment;
    deployment.mutable_metadata()->set_name("web");
    deployment.mutable_metadata()->set_namespace_("shop");
    deployment.mutable_spec()->set_replicas(3);
    auto& labels = *deployment.mutable_spec()->mutable_selector()->mutable_match_labels();
    labels["tier"] = "front";
    labels["app"] = "web";
    *deployment.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels() = labels;
    testing::fill_pod_spec(*deployment.mutable_spec()->mutable_template_()->mutable_spec());
    (void)cluster.server.create(deployment).value();
  }
  ApiResult<api::Scale> set(const api::Scale& scale, WriteContext context = {}) {
    return cluster.server.set_scale(deployments, "shop", "web", scale, std::move(context));
  }
  int replicas() { return cluster.server.find<api::Deployment>("shop", "web")->spec().replicas(); }
};

TEST_F(ScaleTest, TheScaleShowsTheWorkloadAndChangesOnlyItsReplicas) {
  api::Scale scale = cluster.server.scale_of(deployments, "shop", "web").value();
  const auto before = cluster.server.find<api::Deployment>("shop", "web");
  EXPECT_EQ(scale.spec().replicas(), 3);
  EXPECT_EQ(scale.status().selector(), "app=web,tier=front");
  EXPECT_EQ(scale.metadata().uid(), before->metadata().uid());
  EXPECT_EQ(scale.metadata().resource_version(), before->metadata().resource_version());
  scale.mutable_spec()->set_replicas(5);
  scale.mutable_status()->set_selector("nonsense");
  const auto after = set(scale);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->spec().replicas(), 5);
  EXPECT_EQ(after->status().selector(), "app=web,tier=front");
  EXPECT_EQ(replicas(), 5);
}

TEST_F(ScaleTest, RejectsOldVersionsOtherUidsAndNegativeReplicas) {
  const api::Scale old = cluster.server.scale_of(deployments, "shop", "web").value();
  api::Scale blind;
  blind.mutable_spec()->set_replicas(4);
  ASSERT_TRUE(set(blind)) << "without a version the current object is changed";
  EXPECT_EQ(set(old).error().code, 409);
  api::Scale other = blind;
  other.mutable_metadata()->set_uid("another");
  EXPECT_EQ(set(other).error().code, 409);
  api::Scale negative;
  negative.mutable_spec()->set_replicas(-1);
  const auto refused = set(negative);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 422);
  EXPECT_EQ(refused.error().message,
            "Scale.autoscaling \"web\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to "
            "0");
  EXPECT_EQ(replicas(), 4);
}

TEST_F(ScaleTest, ADryRunReturnsTheResultAndChangesNothing) {
  api::Scale more;
  more.mutable_spec()->set_replicas(9);
  const auto would = set(more, {.dry_run = true});
  ASSERT_TRUE(would);
  EXPECT_EQ(would->spec().replicas(), 9);
  EXPECT_EQ(replicas(), 3);
}

TEST_F(ScaleTest, AMissingObjectOrAKindWithoutScaleIsNotFound) {
  EXPECT_EQ(cluster.server.scale_of(deployments, "shop", "missing").error().message,
            "deployments.apps \"missing\" not found");
  EXPECT_EQ(cluster.server.scale_of(cluster.server.kinds().of<api::Pod>(), "shop", "web").error().code, 404);
}

}  // namespace
}  // namespace rescheduler::sim
