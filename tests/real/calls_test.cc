// Behaviour that only the real API server shows: fields that our build does not know, and permissions.
#include <fstream>

#include <gtest/gtest.h>

#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/core.pb.h"
#include "support/live_api.h"
#include "support/rig.h"
#include "support/skip.h"

namespace rescheduler::test {
namespace {

class RealCalls : public testing::Test {
 protected:
  void SetUp() override {
    auto rig = Rig::shared();
    if (!rig) RESCHEDULER_SKIP("real") << rig.error().message;
    rig_.emplace(std::move(*rig));
    live_.emplace(rig_->kubeconfig());
    ns_.emplace(*live_);
  }
  const std::string& ns() const { return ns_->name(); }
  kube::Client client() { return live_->client(); }
  template <class T>
  Result<T> await(net::Task<Result<T>> task) {
    return live_->await(std::move(task));
  }

  std::optional<Rig> rig_;
  std::optional<LiveApi> live_;
  std::optional<TestNamespace> ns_;
};

TEST_F(RealCalls, AnUpdateKeepsFieldsThatThisBuildDoesNotKnow) {
  // Our trimmed messages lack the metrics of an autoscaler; a write must not delete them on the server.
  const std::string file = testing::TempDir() + "/" + ns() + "-hpa.json";
  std::ofstream(file)
      << R"({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "h"},
    "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}, "maxReplicas": 3,
             "metrics": [{"type": "Resource", "resource": {"name": "cpu",
                          "target": {"type": "Utilization", "averageUtilization": 73}}}]}})";
  const auto applied = rig_->command("kubectl", {"create", "-n", ns(), "-f", file});
  ASSERT_TRUE(applied) << applied.error().message;
  ASSERT_TRUE(eventually([&] {  // the autoscaler's controller writes too
    auto read = await(client().get<api::HorizontalPodAutoscaler>(ns(), "h"));
    if (!read) return false;
    (*read->mutable_metadata()->mutable_labels())["changed"] = "yes";
    return await(client().update(*read)).has_value();
  }));
  const auto after = rig_->command(
      "kubectl", {"get", "hpa", "-n", ns(), "h", "-o",
                  "jsonpath={.metadata.labels.changed} {.spec.metrics[0].resource.target.averageUtilization}"});
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(*after, "yes 73");
}

TEST_F(RealCalls, ADeniedRequestsErrorNamesTheUser) {
  const std::string out = testing::TempDir() + "/unprivileged-" + ns();
  auto minted = rig_->command("mint", {"--user", "unprivileged", "--out", out});
  ASSERT_TRUE(minted) << minted.error().message;
  LiveApi unprivileged(out + "/kubeconfig");
  auto forbidden = unprivileged.await(unprivileged.client().get<api::ConfigMap>(ns(), "a"));
  ASSERT_FALSE(forbidden);
  EXPECT_EQ(forbidden.error().code, Errc::Denied) << forbidden.error().message;
  EXPECT_NE(forbidden.error().message.find("unprivileged"), std::string::npos) << forbidden.error().message;
}

}  // namespace
}  // namespace rescheduler::test
