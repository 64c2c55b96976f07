#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "sim/controllers/pods/workload_rig.h"

namespace rescheduler::sim {
namespace {

using std::chrono::seconds;

bool all_ready(WorkloadRig& rig, std::string_view name, int count) {
  const auto set = rig.get<api::ReplicaSet>(name);
  return set && set->status().ready_replicas() == count && set->status().replicas() == count
         && set->status().observed_generation() == set->metadata().generation();
}

TEST(ReplicaSetController, CreatesMissingPodsAndCountsReadyPods) {
  WorkloadRig rig;
  rig.run_replica_sets();
  auto set = replica_set("web", 3);
  (*set.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_annotations())["note"] = "x";
  rig.apply(set);
  ASSERT_TRUE(rig.eventually([&] { return all_ready(rig, "web", 3); }));
  const auto stored = rig.get<api::ReplicaSet>("web");
  EXPECT_EQ(stored->status().available_replicas(), 3);
  EXPECT_EQ(stored->status().fully_labeled_replicas(), 3);
  const auto owned = rig.pods.of_owner(stored->metadata().uid());
  ASSERT_EQ(owned.size(), 3);
  const auto pod = rig.get<api::Pod>(owned[0]->name());
  EXPECT_TRUE(pod->metadata().name().starts_with("web-"));
  EXPECT_EQ(pod->metadata().annotations().at("note"), "x");
  ASSERT_EQ(pod->metadata().owner_references_size(), 1);
  EXPECT_TRUE(pod->metadata().owner_references(0).controller());
  EXPECT_TRUE(pod->metadata().owner_references(0).block_owner_deletion());
  EXPECT_EQ(rig.events("SuccessfulCreate").size(), 3);
}

TEST(ReplicaSetController, AReplacementStartsWhileTheDeletedPodIsStillTerminating) {
  WorkloadRig rig;
  rig.run_replica_sets();
  rig.stop_delay = seconds{60};
  rig.apply(replica_set("web", 2));
  ASSERT_TRUE(rig.eventually([&] { return all_ready(rig, "web", 2); }));
  rig.delete_pod(rig.pods.of_owner(rig.get<api::ReplicaSet>("web")->metadata().uid())[0]->name());
  rig.pass(seconds{5});
  EXPECT_TRUE(all_ready(rig, "web", 2));
  EXPECT_EQ(rig.get<api::ReplicaSet>("web")->status().terminating_replicas(), 1);
  EXPECT_EQ(rig.pods.size(), 3);
}

TEST(ReplicaSetController, AdoptsMatchingOrphansAndReleasesPodsThatNoLongerMatch) {
  WorkloadRig rig;
  rig.run_replica_sets();
  api::Pod orphan;
  orphan.mutable_metadata()->set_name("orphan");
  orphan.mutable_metadata()->set_namespace_("default");
  *orphan.mutable_metadata()->mutable_labels() = template_of("web").metadata().labels();
  *orphan.mutable_spec() = template_of("web").spec();
  rig.apply(orphan);
  rig.apply(replica_set("web", 2));
  ASSERT_TRUE(rig.eventually([&] { return all_ready(rig, "web", 2); }));
  const std::string uid = rig.get<api::ReplicaSet>("web")->metadata().uid();
  EXPECT_EQ(rig.pods.find("default", "orphan")->owner_uid(), uid);
  EXPECT_EQ(rig.pods.size(), 2);

  rig.change<api::Pod>("orphan", [](api::Pod& pod) { (*pod.mutable_metadata()->mutable_labels())["app"] = "other"; });
  rig.pass(seconds{10});
  EXPECT_EQ(rig.pods.find("default", "orphan")->owner(), nullptr);
  EXPECT_EQ(rig.pods.of_owner(uid).size(), 2) << "the released pod is replaced";
}

TEST(ReplicaSetController, APodIsAvailableOnlyAfterMinReadySeconds) {
  WorkloadRig rig;
  rig.run_replica_sets();
  auto set = replica_set("web", 1);
  set.mutable_spec()->set_min_ready_seconds(30);
  rig.apply(set);
  ASSERT_TRUE(rig.eventually([&] { return all_ready(rig, "web", 1); }));
  EXPECT_EQ(rig.get<api::ReplicaSet>("web")->status().available_replicas(), 0);
  rig.pass(seconds{25});
  EXPECT_EQ(rig.get<api::ReplicaSet>("web")->status().available_replicas(), 0);
  rig.pass(seconds{6});
  EXPECT_EQ(rig.get<api::ReplicaSet>("web")->status().available_replicas(), 1);
}

TEST(ReplicaSetController, ScaleDownDeletesTheReadyPodWithTheLowestDeletionCost) {
  WorkloadRig rig;
  rig.run_replica_sets();
  rig.apply(replica_set("web", 4));
  ASSERT_TRUE(rig.eventually([&] { return all_ready(rig, "web", 4); }));
  const std::string cheap(rig.pods.of_owner(rig.get<api::ReplicaSet>("web")->metadata().uid())[2]->name());
  rig.change<api::Pod>(cheap, [](api::Pod& pod) {
    (*pod.mutable_metadata()->mutable_annotations())["controller.kubernetes.io/pod-deletion-cost"] = "-5";
  });
  rig.change<api::ReplicaSet>("web", [](api::ReplicaSet& set) { set.mutable_spec()->set_replicas(3); });
  ASSERT_TRUE(rig.eventually([&] { return all_ready(rig, "web", 3); }));
  rig.pass(seconds{5});
  EXPECT_EQ(rig.pods.find("default", cheap), nullptr);
}

TEST(ReplicaSetController, AtMost500PodsAreCreatedPerReconcile) {
  WorkloadRig rig;
  rig.run_replica_sets();
  rig.apply(replica_set("web", 1200));
  std::set<std::size_t> sizes;
  rig.agenda.run_until(
      [&] {
        sizes.insert(rig.pods.size());
        return rig.pods.size() == 1200;
      },
      seconds{10});
  EXPECT_EQ(sizes, (std::set<std::size_t>{0, 500, 1000, 1200}));
}

// Answers for each pod after a delay: rejects the pod, or admits it if `rejects` is false.
class SlowPodAdmission final : public Admission {
 public:
  explicit SlowPodAdmission(Agenda& agenda) : agenda_(agenda) {}
  bool concerns(const PendingWrite& pending_write) override { return pending_write.kind->plural == "pods"; }
  void review(PendingWrite pending_write, Done done) override {
    ++reviews;
    auto held = std::make_shared<PendingWrite>(std::move(pending_write));
    agenda_.after(std::chrono::milliseconds{200}, [this, held, done = std::move(done)] {
      if (rejects) return done(refuse(forbidden(*held->kind, "x", "no")));
      done(std::move(*held));
    });
  }
  bool rejects = true;
  int reviews = 0;

 private:
  Agenda& agenda_;
};

TEST(ReplicaSetController, PodsThatAdmissionRejectsAreReportedAndRetriedWithBackoff) {
  WorkloadRig rig;
  rig.run_replica_sets();
  SlowPodAdmission admission(rig.agenda);
  rig.server.set_admission(&admission);
  rig.apply(replica_set("web", 2));
  rig.pass(seconds{60});
  const auto set = rig.get<api::ReplicaSet>("web");
  ASSERT_EQ(set->status().conditions_size(), 1);
  EXPECT_EQ(set->status().conditions(0).type(), "ReplicaFailure");
  EXPECT_EQ(set->status().conditions(0).reason(), "FailedCreate");
  EXPECT_FALSE(rig.events("FailedCreate").empty());
  EXPECT_LT(admission.reviews, 60) << "failures must back off";
  admission.rejects = false;
  ASSERT_TRUE(rig.eventually([&] { return all_ready(rig, "web", 2); }));
  EXPECT_EQ(rig.get<api::ReplicaSet>("web")->status().conditions_size(), 0);
}

TEST(ReplicaSetController, PodsStillInAdmissionAreNotCreatedTwice) {
  WorkloadRig rig;
  rig.run_replica_sets();
  SlowPodAdmission admission(rig.agenda);
  admission.rejects = false;
  rig.server.set_admission(&admission);
  rig.apply(replica_set("web", 5));
  rig.pass(std::chrono::milliseconds{50});
  rig.change<api::ReplicaSet>("web",
                              [](api::ReplicaSet& set) { (*set.mutable_metadata()->mutable_labels())["a"] = "b"; });
  rig.pass(seconds{10});
  EXPECT_EQ(rig.pods.size(), 5);
  EXPECT_EQ(admission.reviews, 5);
}

}  // namespace
}  // namespace rescheduler::sim
