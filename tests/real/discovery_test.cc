// The version, resources and permissions of the real API server, and `rescheduler check` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/discovery/self_check.h"
#include "kube/discovery/server_info.h"
#include "support/command.h"
#include "support/live_api.h"
#include "support/rig.h"
#include "support/skip.h"

namespace rescheduler::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RealDiscovery : public testing::Test {
 protected:
  void SetUp() override {
    auto rig = Rig::shared();
    if (!rig) RESCHEDULER_SKIP("real") << rig.error().message;
    rig_.emplace(std::move(*rig));
    live_.emplace(rig_->kubeconfig());
  }
  // A client certificate for a user without permissions of its own.
  std::string kubeconfig_of(const std::string& user) {
    const std::string out = testing::TempDir() + "/" + user;
    auto minted = rig_->command("mint", {"--user", user, "--out", out});
    EXPECT_TRUE(minted) << minted.error().message;
    return out + "/kubeconfig";
  }

  std::optional<Rig> rig_;
  std::optional<LiveApi> live_;
};

TEST_F(RealDiscovery, ReadsTheVersionAndTheResourcesOfTheServer) {
  auto version = live_->await(kube::read_server_version(live_->api()));
  ASSERT_TRUE(version) << version.error().message;
  EXPECT_EQ(version->major, 1);
  EXPECT_GE(version->minor, kube::kOldestMinor);
  EXPECT_THAT(version->git_version, HasSubstr("v1."));

  auto resources = live_->await(kube::discover_resources(live_->api()));
  ASSERT_TRUE(resources) << resources.error().message;
  EXPECT_TRUE(resources->has("", "v1", "pods"));
  EXPECT_TRUE(resources->has("", "v1", "pods/eviction"));
  EXPECT_TRUE(resources->allows("apps", "v1", "deployments", "watch"));
  EXPECT_FALSE(resources->has("apps", "v1", "migrations"));
  EXPECT_TRUE(resources->uncertainties().empty());
}

TEST_F(RealDiscovery, FindsExactlyTheMissingPermissions) {
  const kube::Permission bind{"", "pods", "binding", "create", "", "to place a pod"};
  const kube::Permission watch{"", "nodes", "", "watch", "", "to know where pods can go"};
  auto nothing_missing = live_->await(kube::find_missing(live_->api(), {bind, watch}, live_->services()));
  ASSERT_TRUE(nothing_missing) << nothing_missing.error().message;
  EXPECT_TRUE(nothing_missing->empty());

  ASSERT_TRUE(rig_->command("kubectl", {"create", "clusterrole", "node-watcher", "--verb=watch", "--resource=nodes"}));
  ASSERT_TRUE(rig_->command(
      "kubectl", {"create", "clusterrolebinding", "watcher", "--clusterrole=node-watcher", "--user=watcher"}));
  LiveApi watcher(kubeconfig_of("watcher"));
  // The authorizer sees a new binding through its own watch, a moment later.
  Result<std::vector<kube::Permission>> missing;
  ASSERT_TRUE(eventually([&] {
    missing = watcher.await(kube::find_missing(watcher.api(), {bind, watch}, watcher.services()));
    return missing.has_value() && missing->size() == 1;
  }));
  EXPECT_THAT(*missing, ElementsAre(bind));
  EXPECT_THAT(kube::describe_missing(*missing), HasSubstr("pods/binding"));
}

TEST_F(RealDiscovery, TheCheckCommandReportsMissingPermissionsAndPrintsARoleForThem) {
  const CommandOutcome admin = run_command({RESCHEDULER_BINARY, "check", "--kubeconfig", rig_->kubeconfig()});
  EXPECT_EQ(admin.exit_code, 0) << admin.output;
  EXPECT_THAT(admin.output, HasSubstr("version      v1."));

  const std::string unprivileged = kubeconfig_of("unprivileged-user");
  const CommandOutcome refused = run_command({RESCHEDULER_BINARY, "check", "--kubeconfig", unprivileged});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output, HasSubstr("permissions  0 of "));
  EXPECT_THAT(refused.output, HasSubstr("pods/eviction"));

  // The command prints a role with the missing permissions.
  const CommandOutcome role = run_command({RESCHEDULER_BINARY, "check", "--role", "--kubeconfig", unprivileged});
  EXPECT_EQ(role.exit_code, 0);
  EXPECT_THAT(role.output, HasSubstr("kind: ClusterRole"));
  // It does not replace the existing role.
  EXPECT_THAT(role.output, HasSubstr("name: \"rescheduler-scheduler-addition-"));
}

}  // namespace
}  // namespace rescheduler::test
