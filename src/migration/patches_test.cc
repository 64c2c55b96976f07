#include "migration/patches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"

namespace rescheduler::migration {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

// A budget of fewer pods than the workload has never allows anything: Kubernetes compares with all its replicas.
TEST(TemporaryBudget, CoversTheWholeWorkloadAndNotOneReplicaRevisionOrZone) {
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

}  // namespace
}  // namespace rescheduler::migration
