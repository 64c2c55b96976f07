#include "migration/patches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"

namespace rescheduler::migration {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

// A budget that selects only some pods of a workload allows no disruption: Kubernetes compares with all replicas.
TEST(TemporaryBudget, SelectsTheWholeWorkloadAndNotOneReplicaRevisionOrZone) {
  api::Pod pod;
  auto& labels = *pod.mutable_metadata()->mutable_labels();
  for (const char* key :
       {"pod-template-hash", "controller-revision-hash", "statefulset.kubernetes.io/pod-name",
        "apps.kubernetes.io/pod-index", "topology.kubernetes.io/zone", "topology.kubernetes.io/region"}) {
    labels[key] = "x";
  }
  labels["app"] = "web";
  const api::PodDisruptionBudget budget = budget_for({}, {}, pod);
  EXPECT_THAT(budget.spec().selector().match_labels(), UnorderedElementsAre(Pair("app", "web")));
}

TEST(TemporaryBudget, HasTheMinAvailableOfTheSettings) {
  MigrationSettings settings;
  settings.min_available = "3";
  settings.max_unavailable_budget = "2";
  const api::PodDisruptionBudget number = budget_for({}, settings, {});
  EXPECT_EQ(number.spec().min_available().int_val(), 3);
  EXPECT_EQ(number.spec().min_available().type(), 0);
  EXPECT_FALSE(number.spec().has_max_unavailable()) << "Kubernetes accepts only one of the two fields";
  settings.min_available = "75%";
  const api::PodDisruptionBudget share = budget_for({}, settings, {});
  EXPECT_EQ(share.spec().min_available().str_val(), "75%");
  EXPECT_EQ(share.spec().min_available().type(), 1);
}

TEST(TemporaryBudget, AllowsOneUnavailablePodUnlessTheSettingsSetAnotherLimit) {
  MigrationSettings settings;
  const api::PodDisruptionBudget usual = budget_for({}, settings, {});
  EXPECT_EQ(usual.spec().max_unavailable().int_val(), 1);
  EXPECT_FALSE(usual.spec().has_min_available());
  settings.max_unavailable_budget = "25%";
  EXPECT_EQ(budget_for({}, settings, {}).spec().max_unavailable().str_val(), "25%");
}

// The garbage collector deletes the budget with its Migration if everything else fails.
TEST(TemporaryBudget, IsOwnedByItsMigration) {
  MoveRequest request;
  request.ns = "web";
  request.pod = "p";
  api::Migration migration = to_migration(request, "m");
  migration.mutable_metadata()->set_uid("m1");
  migration.mutable_status()->set_budget("api-rescheduler-pdb");
  const api::PodDisruptionBudget budget = budget_for(migration, {}, {});
  EXPECT_EQ(budget.metadata().name(), "api-rescheduler-pdb");
  ASSERT_EQ(budget.metadata().owner_references_size(), 1);
  EXPECT_EQ(budget.metadata().owner_references(0).uid(), "m1");
  EXPECT_EQ(budget.spec().unhealthy_pod_eviction_policy(), "AlwaysAllow");
}

}  // namespace
}  // namespace rescheduler::migration
