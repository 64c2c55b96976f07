#include "cluster/objects/workloads.h"

#include <gtest/gtest.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core.pb.h"

namespace rescheduler::cluster {
namespace {

template <class T>
void expect_replicas() {
  T workload;
  EXPECT_EQ(wanted_replicas(workload), 1) << "the field is unset";
  workload.mutable_spec()->set_replicas(0);
  EXPECT_EQ(wanted_replicas(workload), 0) << "zero is not the same as unset";
  workload.mutable_spec()->set_replicas(7);
  EXPECT_EQ(wanted_replicas(workload), 7);
}

TEST(WantedReplicas, AreTheReplicasFieldOrOneIfTheFieldIsUnset) {
  expect_replicas<api::Deployment>();
  expect_replicas<api::ReplicaSet>();
  expect_replicas<api::StatefulSet>();
  expect_replicas<api::ReplicationController>();
}

TEST(WantedReplicas, AreTheParallelismOfAJobOrOneIfTheFieldIsUnset) {
  api::Job job;
  EXPECT_EQ(wanted_replicas(job), 1);
  job.mutable_spec()->set_parallelism(3);
  EXPECT_EQ(wanted_replicas(job), 3);
}

TEST(WantedReplicas, AreUnknownForKindsWithoutSuchAField) {
  EXPECT_EQ(wanted_replicas(api::DaemonSet()), std::nullopt);
  EXPECT_EQ(wanted_replicas(api::CronJob()), std::nullopt);
}

}  // namespace
}  // namespace rescheduler::cluster
