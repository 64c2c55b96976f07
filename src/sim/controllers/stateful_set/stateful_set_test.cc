#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "kube/proto/core_storage.pb.h"
#include "sim/controllers/pods/revision_history.h"
#include "sim/controllers/pods/workload_rig.h"
#include "sim/controllers/stateful_set/stateful_set_reconcile_state.h"

namespace rescheduler::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::shared_ptr<const api::StatefulSet> db(WorkloadRig& rig) { return rig.get<api::StatefulSet>("db"); }

bool settled(WorkloadRig& rig, int replicas) {
  const auto set = db(rig);
  return set && set->status().ready_replicas() == replicas && set->status().replicas() == replicas
         && set->status().updated_replicas() == replicas
         && set->status().current_revision() == set->status().update_revision();
}

void set_image(WorkloadRig& rig, const std::string& image) {
  rig.change<api::StatefulSet>("db", [&image](api::StatefulSet& set) {
    set.mutable_spec()->mutable_template_()->mutable_spec()->mutable_containers(0)->set_image(image);
  });
}

void resize(WorkloadRig& rig, int replicas) {
  rig.change<api::StatefulSet>("db", [replicas](api::StatefulSet& set) { set.mutable_spec()->set_replicas(replicas); });
}

std::map<std::string, std::string> images(WorkloadRig& rig) {
  std::map<std::string, std::string> by_name;
  for (const PodView* pod : rig.pods.select("default", kube::LabelSelector::everything())) {
    const auto object = rig.get<api::Pod>(pod->name());
    if (!pod->terminating()) by_name.emplace(pod->name(), object->spec().containers(0).image());
  }
  return by_name;
}

std::vector<std::int64_t> revision_numbers(WorkloadRig& rig) {
  std::vector<std::int64_t> numbers;
  rig.server.store().for_each(rig.server.kinds().of<api::ControllerRevision>(), "default", "",
                              [&](const VersionPtr& version) {
                                numbers.push_back(version->as<api::ControllerRevision>()->revision());
                                return true;
                              });
  std::ranges::sort(numbers);
  return numbers;
}

// The changes of pods in order: "+db-0", "-db-1" (deletion requested), "x db-1" (removed).
struct PodChangeLog {
  explicit PodChangeLog(WorkloadRig& rig)
      : subscription(rig.pods.subscribe([this](const PodView* before, const PodView* after) {
          if (before == nullptr) entries.push_back("+" + std::string(after->name()));
          if (after == nullptr) entries.push_back("x " + std::string(before->name()));
          if (before != nullptr && after != nullptr && after->terminating() && !before->terminating()) {
            entries.push_back("-" + std::string(after->name()));
          }
        })) {}
  std::vector<std::string> entries;
  PodIndex::Subscription subscription;
};

TEST(StatefulSetNames, AnOrdinalIsTheNumberAfterTheNameOfTheSet) {
  EXPECT_EQ(ordinal_of("db", "db-0"), 0);
  EXPECT_EQ(ordinal_of("db", "db-12"), 12);
  EXPECT_EQ(ordinal_of("db", "db-x"), -1);
  EXPECT_EQ(ordinal_of("db", "db"), -1);
  EXPECT_EQ(ordinal_of("db", "db-"), -1);
  EXPECT_EQ(ordinal_of("db", "db--1"), -1);
  EXPECT_EQ(ordinal_of("db", "dbx-1"), -1);
  EXPECT_EQ(ordinal_of("db", "db-replica-1"), -1);
}

TEST(StatefulSetController, PodsAreCreatedOneByOneWithTheirOwnNamesAndClaims) {
  WorkloadRig rig;
  rig.run_stateful_sets();
  PodChangeLog changes(rig);
  std::vector<std::size_t> ready_at_creation;
  const auto watch = rig.pods.subscribe([&](const PodView* before, const PodView*) {
    if (before != nullptr) return;
    const auto pods = rig.pods.select("default", kube::LabelSelector::everything());
    ready_at_creation.push_back(
        static_cast<std::size_t>(std::ranges::count_if(pods, [](const PodView* pod) { return pod->ready(); })));
  });
  auto set = stateful_set("db", 3);
  auto& claim = *set.mutable_spec()->add_volume_claim_templates();
  claim.mutable_metadata()->set_name("data");
  claim.mutable_spec()->add_access_modes("ReadWriteOnce");
  (*claim.mutable_spec()->mutable_resources()->mutable_requests())["storage"].set_string("1Gi");
  set.mutable_spec()->mutable_ordinals()->set_start(5);
  rig.apply(set);
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 3); }));
  EXPECT_EQ(changes.entries, (std::vector<std::string>{"+db-5", "+db-6", "+db-7"}));
  EXPECT_EQ(ready_at_creation, (std::vector<std::size_t>{0, 1, 2}));
  const auto pod = rig.get<api::Pod>("db-6");
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->metadata().labels().at("statefulset.kubernetes.io/pod-name"), "db-6");
  EXPECT_EQ(pod->metadata().labels().at("apps.kubernetes.io/pod-index"), "6");
  EXPECT_EQ(pod->metadata().labels().at("controller-revision-hash"), db(rig)->status().update_revision());
  EXPECT_EQ(pod->spec().hostname(), "db-6");
  EXPECT_EQ(pod->spec().subdomain(), "db");
  ASSERT_EQ(pod->spec().volumes_size(), 1);
  EXPECT_EQ(pod->spec().volumes(0).volume_source().persistent_volume_claim().claim_name(), "data-db-6");
  const auto made = rig.get<api::PersistentVolumeClaim>("data-db-6");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->metadata().owner_references_size(), 0) << "claims are retained by default";
  EXPECT_EQ(made->metadata().labels().at("app"), "db");
}

TEST(StatefulSetController, ScalingDownDeletesTheHighestOrdinalFirst) {
  WorkloadRig rig;
  rig.run_stateful_sets();
  rig.apply(stateful_set("db", 4));
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 4); }));
  PodChangeLog changes(rig);
  resize(rig, 1);
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 1); }));
  EXPECT_EQ(changes.entries, (std::vector<std::string>{"-db-3", "x db-3", "-db-2", "x db-2", "-db-1", "x db-1"}));
}

TEST(StatefulSetController, ARollingUpdateReplacesPodsOneByOneFromTheHighestOrdinal) {
  WorkloadRig rig;
  rig.run_stateful_sets();
  rig.apply(stateful_set("db", 3));
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 3); }));
  PodChangeLog changes(rig);
  set_image(rig, "app:2");
  rig.pass(seconds{1});
  EXPECT_NE(db(rig)->status().current_revision(), db(rig)->status().update_revision());
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 3); }));
  EXPECT_EQ(changes.entries, (std::vector<std::string>{"-db-2", "x db-2", "+db-2", "-db-1", "x db-1", "+db-1", "-db-0",
                                                       "x db-0", "+db-0"}));
  EXPECT_EQ(images(rig), (std::map<std::string, std::string>{{"db-0", "app:2"}, {"db-1", "app:2"}, {"db-2", "app:2"}}));
  EXPECT_EQ(revision_numbers(rig), (std::vector<std::int64_t>{1, 2}));
  set_image(rig, "app:1");
  rig.pass(minutes{1});
  ASSERT_TRUE(settled(rig, 3));
  EXPECT_EQ(revision_numbers(rig), (std::vector<std::int64_t>{2, 3})) << "the old revision gets the newest number";
}

TEST(StatefulSetController, PodsBelowThePartitionKeepTheOldTemplateAlsoWhenTheyAreRecreated) {
  WorkloadRig rig;
  rig.run_stateful_sets();
  auto set = stateful_set("db", 3);
  set.mutable_spec()->mutable_update_strategy()->mutable_rolling_update()->set_partition(2);
  rig.apply(set);
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 3); }));
  set_image(rig, "app:2");
  rig.pass(minutes{1});
  const std::map<std::string, std::string> mixed{{"db-0", "app:1"}, {"db-1", "app:1"}, {"db-2", "app:2"}};
  EXPECT_EQ(images(rig), mixed);
  EXPECT_EQ(db(rig)->status().current_replicas(), 2);
  EXPECT_EQ(db(rig)->status().updated_replicas(), 1);
  rig.delete_pod("db-1");
  rig.pass(minutes{1});
  EXPECT_EQ(images(rig), mixed);
}

TEST(StatefulSetController, OnDeleteUpdatesOnlyPodsThatAUserDeletes) {
  WorkloadRig rig;
  rig.run_stateful_sets();
  auto set = stateful_set("db", 2);
  set.mutable_spec()->mutable_update_strategy()->set_type("OnDelete");
  set.mutable_spec()->mutable_update_strategy()->clear_rolling_update();
  rig.apply(set);
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 2); }));
  set_image(rig, "app:2");
  rig.pass(minutes{1});
  EXPECT_EQ(images(rig), (std::map<std::string, std::string>{{"db-0", "app:1"}, {"db-1", "app:1"}}));
  rig.delete_pod("db-0");
  rig.pass(minutes{1});
  EXPECT_EQ(images(rig), (std::map<std::string, std::string>{{"db-0", "app:2"}, {"db-1", "app:1"}}));
}

TEST(StatefulSetController, ParallelPodManagementDoesNotWaitForReadiness) {
  WorkloadRig rig;
  rig.run_stateful_sets();
  auto set = stateful_set("db", 5);
  set.mutable_spec()->set_pod_management_policy("Parallel");
  rig.apply(set);
  rig.pass(seconds{1});
  EXPECT_EQ(rig.pods.size(), 5);
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 5); }));
  resize(rig, 1);
  rig.pass(std::chrono::milliseconds{500});
  EXPECT_EQ(images(rig).size(), 1) << "all surplus pods are deleted at the same time";
}

TEST(StatefulSetController, AFailedPodIsReplacedByAPodOfTheSameName) {
  WorkloadRig rig;
  rig.run_stateful_sets();
  rig.apply(stateful_set("db", 2));
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 2); }));
  const std::string uid = rig.get<api::Pod>("db-0")->metadata().uid();
  ASSERT_TRUE(rig.server.modify_status<api::Pod>("default", "db-0",
                                                 [](api::Pod& pod) { pod.mutable_status()->set_phase("Failed"); }));
  rig.pass(minutes{1});
  EXPECT_TRUE(settled(rig, 2));
  EXPECT_NE(rig.get<api::Pod>("db-0")->metadata().uid(), uid);
}

TEST(StatefulSetController, WithWhenScaledDeleteASurplusPodOwnsItsClaim) {
  WorkloadRig rig;
  rig.run_stateful_sets();
  auto set = stateful_set("db", 2);
  auto& claim = *set.mutable_spec()->add_volume_claim_templates();
  claim.mutable_metadata()->set_name("data");
  claim.mutable_spec()->add_access_modes("ReadWriteOnce");
  (*claim.mutable_spec()->mutable_resources()->mutable_requests())["storage"].set_string("1Gi");
  set.mutable_spec()->mutable_persistent_volume_claim_retention_policy()->set_when_scaled("Delete");
  set.mutable_spec()->mutable_persistent_volume_claim_retention_policy()->set_when_deleted("Delete");
  rig.apply(set);
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 2); }));
  rig.pass(seconds{5});
  const auto kept = rig.get<api::PersistentVolumeClaim>("data-db-0");
  ASSERT_EQ(kept->metadata().owner_references_size(), 1);
  EXPECT_EQ(kept->metadata().owner_references(0).kind(), "StatefulSet");
  const std::string uid = rig.get<api::Pod>("db-1")->metadata().uid();
  resize(rig, 1);
  rig.pass(seconds{10});
  const auto surplus = rig.get<api::PersistentVolumeClaim>("data-db-1");
  ASSERT_EQ(surplus->metadata().owner_references_size(), 1);
  EXPECT_EQ(surplus->metadata().owner_references(0).uid(), uid);
}

TEST(StatefulSetController, RevisionsBeyondRevisionHistoryLimitAreDeleted) {
  WorkloadRig rig;
  rig.run_stateful_sets();
  auto set = stateful_set("db", 1);
  set.mutable_spec()->set_revision_history_limit(1);
  rig.apply(set);
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 1); }));
  for (int i = 2; i <= 5; ++i) {
    set_image(rig, "app:" + std::to_string(i));
    rig.pass(seconds{20});
    ASSERT_TRUE(settled(rig, 1));
  }
  rig.pass(seconds{1});
  EXPECT_EQ(revision_numbers(rig), (std::vector<std::int64_t>{4, 5}));
}

// Pods are deleted at random while the set is scaled and updated. An ordinal never has two pods, the order holds, and
// in the end the set has the desired state.
TEST(StatefulSetController, AnOrdinalNeverHasTwoPodsDuringRandomChanges) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    WorkloadRig rig(seed);
    rig.run_stateful_sets();
    const bool ordered = rig.rng.below(2) == 0;
    auto set = stateful_set("db", 3);
    if (!ordered) set.mutable_spec()->set_pod_management_policy("Parallel");
    std::map<std::string, std::string> living;  // ordinal -> uid
    const auto watch = rig.pods.subscribe([&](const PodView* before, const PodView* after) {
      const PodView& pod = after == nullptr ? *before : *after;
      const std::string number(pod.label("apps.kubernetes.io/pod-index"));
      if (before == nullptr) {
        EXPECT_TRUE(living.emplace(number, pod.uid()).second)
            << "two pods with ordinal " << number << ", seed " << seed;
        if (!ordered) return;
        for (int lower = 0; lower < std::stoi(number); ++lower) {
          const PodView* other = rig.pods.find("default", "db-" + std::to_string(lower));
          EXPECT_TRUE(other != nullptr && other->ready())
              << "db-" << number << " was created before db-" << lower << " was ready";
        }
      } else if (after == nullptr) {
        living.erase(number);
      }
    });
    rig.apply(set);
    int replicas = 3;
    for (int round = 0; round < 40; ++round) {
      rig.pass(std::chrono::milliseconds{rig.rng.below(6000)});
      const std::uint64_t what = rig.rng.below(4);
      if (what == 0) resize(rig, replicas = static_cast<int>(rig.rng.below(6)));
      if (what == 1) set_image(rig, "app:" + std::to_string(rig.rng.below(4)));
      std::vector<const PodView*> pods = rig.pods.select("default", kube::LabelSelector::everything());
      if (what >= 2 && !pods.empty()) {
        rig.delete_pod(std::string(pods[rig.rng.below(pods.size())]->name()), rig.rng.below(3) == 0);
      }
    }
    EXPECT_TRUE(rig.eventually([&] { return settled(rig, replicas); })) << "seed " << seed;
  }
}

}  // namespace
}  // namespace rescheduler::sim
