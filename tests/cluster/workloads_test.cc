// The behaviour of Kubernetes' own controllers that moving pods depends on. The template sets nodeName, so that no
// scheduler is needed.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "support/cluster.h"
#include "support/objects.h"

namespace rescheduler::test {
namespace {

constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";

class Workloads : public ClusterTest {
 protected:
  void SetUp() override {
    ClusterTest::SetUp();
    if (!IsSkipped()) node_ = add_node("n");
  }

  void place(api::PodTemplateSpec& pods) const {
    pods.mutable_spec()->set_node_name(node_);
    pods.mutable_spec()->set_termination_grace_period_seconds(1);
  }
  api::Deployment deployment(const std::string& name, int replicas) const {
    auto made = deployment_of(ns(), name, replicas);
    place(*made.mutable_spec()->mutable_template_());
    return made;
  }
  std::vector<std::shared_ptr<const api::Pod>> pods() {
    auto listed = await(client().list<api::Pod>(ns()));
    EXPECT_TRUE(listed) << listed.error().message;
    return listed.value_or(std::vector<std::shared_ptr<const api::Pod>>{});
  }
  std::set<std::string> live_pods() {
    std::set<std::string> names;
    for (const auto& pod : pods()) {
      if (!pod->metadata().has_deletion_timestamp()) names.insert(pod->metadata().name());
    }
    return names;
  }
  template <class T>
  bool becomes(const std::string& name, const std::function<bool(const T&)>& condition) {
    return eventually([&] {
      auto read = await(client().get<T>(ns(), name));
      return read && condition(*read);
    });
  }
  bool available(const std::string& name, int replicas) {
    return becomes<api::Deployment>(name, [&](const api::Deployment& d) {
      return d.status().observed_generation() == d.metadata().generation()
             && d.status().available_replicas() == replicas && d.status().updated_replicas() == replicas
             && d.status().replicas() == replicas;
    });
  }
  std::string revision(const std::string& name) {
    auto read = await(client().get<api::Deployment>(ns(), name));
    if (!read) return "?";
    const auto found = read->metadata().annotations().find(std::string(kRevision));
    return found == read->metadata().annotations().end() ? "" : found->second;
  }
  std::size_t replica_sets() { return await(client().list<api::ReplicaSet>(ns()))->size(); }
  template <class T>
  void patch(const std::string& name, const std::string& text) {
    auto done = await(client().patch<T>(ns(), name, text));
    ASSERT_TRUE(done) << done.error().message;
  }

  std::string node_;
};
RESCHEDULER_ON_EVERY_CLUSTER(Workloads);

TEST_P(Workloads, ADeploymentStartsItsPodsAndOnlyATemplateChangeIsARollout) {
  ASSERT_TRUE(await(client().create(deployment("d", 3))));
  ASSERT_TRUE(available("d", 3));
  EXPECT_EQ(revision("d"), "1");
  const auto first = live_pods();
  for (const auto& pod : pods()) {
    EXPECT_EQ(pod->status().phase(), "Running");
    EXPECT_EQ(pod->spec().node_name(), node_);
    EXPECT_EQ(pod->metadata().owner_references(0).kind(), "ReplicaSet");
    EXPECT_TRUE(pod->metadata().labels().contains("pod-template-hash"));
  }

  patch<api::Deployment>("d", R"({"metadata":{"annotations":{"scheduler.alpha.kubernetes.io/x":"1"}}})");
  patch<api::Deployment>("d", R"({"spec":{"replicas":4}})");
  ASSERT_TRUE(available("d", 4));
  EXPECT_EQ(revision("d"), "1") << "a change of metadata or scale is not a rollout";
  EXPECT_EQ(replica_sets(), 1U);
  EXPECT_TRUE(std::ranges::includes(live_pods(), first));

  patch<api::Deployment>("d", R"({"spec":{"template":{"metadata":{"annotations":{"touched":"yes"}}}}})");
  ASSERT_TRUE(eventually([&] { return revision("d") == "2"; }));
  ASSERT_TRUE(available("d", 4));
  EXPECT_EQ(replica_sets(), 2U);
  for (const std::string& name : live_pods()) EXPECT_FALSE(first.contains(name)) << name << " has the old template";
}

TEST_P(Workloads, ThePodWithTheLowestDeletionCostIsDeletedFirst) {
  ASSERT_TRUE(await(client().create(deployment("d", 4))));
  ASSERT_TRUE(available("d", 4));
  const std::string marked = *std::next(live_pods().begin(), 2);
  patch<api::Pod>(marked, R"({"metadata":{"annotations":{"controller.kubernetes.io/pod-deletion-cost":"-100"}}})");
  patch<api::Deployment>("d", R"({"spec":{"replicas":3}})");
  ASSERT_TRUE(eventually([&] { return live_pods().size() == 3; }));
  EXPECT_FALSE(live_pods().contains(marked));
}

TEST_P(Workloads, AReplacementIsCreatedWhileTheDeletedPodStillTerminates) {
  ASSERT_TRUE(await(client().create(deployment("d", 2))));
  ASSERT_TRUE(available("d", 2));
  const std::string victim = *live_pods().begin();
  patch<api::Pod>(victim, R"({"metadata":{"finalizers":["example.com/hold"]}})");
  ASSERT_TRUE(await(client().remove<api::Pod>(ns(), victim)));
  ASSERT_TRUE(eventually([&] { return live_pods().size() == 2 && !live_pods().contains(victim); }));
  EXPECT_EQ(pods().size(), 3U) << "the deleted pod still exists";
  patch<api::Pod>(victim, R"({"metadata":{"finalizers":null}})");
  EXPECT_TRUE(eventually([&] { return pods().size() == 2; }));
}

TEST_P(Workloads, APodDisruptionBudgetAllowsTheNextEvictionWhenTheReplacementIsReady) {
  ASSERT_TRUE(await(client().create(deployment("d", 2))));
  api::PodDisruptionBudget budget;
  budget.mutable_metadata()->set_namespace_(ns());
  budget.mutable_metadata()->set_name("b");
  budget.mutable_spec()->mutable_max_unavailable()->set_int_val(1);
  (*budget.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "web";
  ASSERT_TRUE(await(client().create(budget)));
  ASSERT_TRUE(available("d", 2));
  ASSERT_TRUE(becomes<api::PodDisruptionBudget>("b", [](const auto& b) {
    return b.status().disruptions_allowed() == 1 && b.status().current_healthy() == 2
           && b.status().desired_healthy() == 1 && b.status().expected_pods() == 2;
  }));

  const auto evict = [&](const std::string& pod, bool dry_run) {
    api::Eviction eviction;
    eviction.mutable_metadata()->set_namespace_(ns());
    eviction.mutable_metadata()->set_name(pod);
    kube::WriteOptions once;
    once.repeat = kube::Repeat::Never;
    once.dry_run = dry_run;
    return await(client().create_sub<api::Pod>(ns(), pod, "eviction", eviction, once));
  };
  const auto before = live_pods();
  const std::string first = *before.begin();
  const std::string second = *before.rbegin();
  ASSERT_TRUE(evict(first, true)) << "the dry run is accepted and changes nothing";
  EXPECT_EQ(live_pods(), before);
  ASSERT_TRUE(evict(first, false));
  auto refused = evict(second, false);
  if (refused) {
    // Pods of the real cluster have no start-up time: the replacement can be ready before the second eviction.
    ASSERT_EQ(GetParam(), Tier::Real) << "one pod is away already";
    const auto now = live_pods();
    EXPECT_TRUE(std::ranges::any_of(now, [&](const std::string& pod) { return !before.contains(pod); }))
        << "the second pod was evicted before the first one had a replacement";
    return;
  }
  EXPECT_EQ(refused.error().code, Errc::Throttled) << refused.error().message;
  EXPECT_NE(refused.error().message.find("disruption budget"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(eventually([&] { return live_pods().size() == 2 && !live_pods().contains(first); }));
  EXPECT_TRUE(eventually([&] { return evict(second, true).has_value() || !live_pods().contains(second); }));
}

TEST_P(Workloads, AnEvictionOfAPodWithTwoPodDisruptionBudgetsIsRejected) {
  ASSERT_TRUE(await(client().create(deployment("d", 1))));
  ASSERT_TRUE(available("d", 1));
  for (const char* name : {"b1", "b2"}) {
    api::PodDisruptionBudget budget;
    budget.mutable_metadata()->set_namespace_(ns());
    budget.mutable_metadata()->set_name(name);
    budget.mutable_spec()->mutable_max_unavailable()->set_int_val(1);
    (*budget.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "web";
    ASSERT_TRUE(await(client().create(budget)));
  }
  const std::string pod = *live_pods().begin();
  api::Eviction eviction;
  eviction.mutable_metadata()->set_namespace_(ns());
  eviction.mutable_metadata()->set_name(pod);
  kube::WriteOptions once;
  once.repeat = kube::Repeat::Never;
  // The API server sees the second budget through its own cache, a moment later.
  Result<void> answer;
  ASSERT_TRUE(eventually([&] {
    kube::WriteOptions dry = once;
    dry.dry_run = true;
    answer = await(client().create_sub<api::Pod>(ns(), pod, "eviction", eviction, dry));
    return !answer && answer.error().http_status == 500;
  }));
  EXPECT_NE(answer.error().message.find("more than one PodDisruptionBudget"), std::string::npos)
      << answer.error().message;
}

TEST_P(Workloads, AStatefulSetKeepsPodNamesAndScalesDownFromTheHighestOrdinal) {
  api::StatefulSet set;
  set.mutable_metadata()->set_namespace_(ns());
  set.mutable_metadata()->set_name("s");
  auto& spec = *set.mutable_spec();
  spec.set_replicas(3);
  spec.set_service_name("s");
  (*spec.mutable_selector()->mutable_match_labels())["app"] = "db";
  (*spec.mutable_template_()->mutable_metadata()->mutable_labels())["app"] = "db";
  auto& container = *spec.mutable_template_()->mutable_spec()->add_containers();
  container.set_name("main");
  container.set_image("registry.example/db:1");
  place(*spec.mutable_template_());
  auto created = await(client().create(set));
  ASSERT_TRUE(created) << created.error().message;
  const std::set<std::string> names{"s-0", "s-1", "s-2"};
  ASSERT_TRUE(becomes<api::StatefulSet>("s", [](const auto& s) { return s.status().ready_replicas() == 3; }));
  EXPECT_EQ(live_pods(), names);

  const auto uid_of = [&](const std::string& pod) {
    auto read = await(client().get<api::Pod>(ns(), pod));
    return read ? read->metadata().uid() : std::string();
  };
  const std::string uid = uid_of("s-1");
  ASSERT_TRUE(await(client().remove<api::Pod>(ns(), "s-1")));
  ASSERT_TRUE(eventually([&] {
    const std::string now = uid_of("s-1");  // one read: between two reads the old pod may disappear
    return !now.empty() && now != uid;
  }));
  // KWOK deletes a terminating pod by its name alone and can hit the replacement too; the set then makes another one.
  EXPECT_TRUE(eventually([&] { return live_pods() == names; })) << testing::PrintToString(live_pods());

  patch<api::StatefulSet>("s", R"({"spec":{"replicas":1}})");
  EXPECT_TRUE(eventually([&] { return pods().size() == 1; }));
  EXPECT_EQ(live_pods(), std::set<std::string>{"s-0"}) << "the highest ordinals are deleted first";
}

TEST_P(Workloads, DeletingAnOwnerDeletesOrOrphansItsPodsAsThePropagationPolicySays) {
  ASSERT_TRUE(await(client().create(deployment("d", 2))));
  ASSERT_TRUE(available("d", 2));
  kube::DeleteSettings orphan;
  orphan.propagation = "Orphan";
  ASSERT_TRUE(await(client().remove<api::Deployment>(ns(), "d", orphan)));
  ASSERT_TRUE(eventually([&] { return !await(client().get<api::Deployment>(ns(), "d")).has_value(); }));
  EXPECT_EQ(live_pods().size(), 2U);
  auto sets = await(client().list<api::ReplicaSet>(ns()));
  ASSERT_TRUE(sets);
  ASSERT_EQ(sets->size(), 1U);
  EXPECT_EQ(sets->front()->metadata().owner_references_size(), 0);

  kube::DeleteSettings foreground;
  foreground.propagation = "Foreground";
  ASSERT_TRUE(await(client().remove<api::ReplicaSet>(ns(), sets->front()->metadata().name(), foreground)));
  EXPECT_TRUE(eventually([&] { return replica_sets() == 0; }));
  EXPECT_TRUE(pods().empty()) << "foreground deletion deletes the dependents first";
}

TEST_P(Workloads, AJobCompletesWhenItsPodsHaveSucceeded) {
  api::Job job;
  job.mutable_metadata()->set_namespace_(ns());
  job.mutable_metadata()->set_name("j");
  job.mutable_spec()->set_completions(2);
  job.mutable_spec()->set_parallelism(2);
  auto& pods = *job.mutable_spec()->mutable_template_();
  // For the embedded kubelet. KWOK completes the pods of a Job by itself.
  (*pods.mutable_metadata()->mutable_annotations())["sim.rescheduler.io/run-for"] = "100ms";
  pods.mutable_spec()->set_restart_policy("Never");
  auto& container = *pods.mutable_spec()->add_containers();
  container.set_name("main");
  container.set_image("registry.example/job:1");
  place(pods);
  auto created = await(client().create(job));
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_TRUE(becomes<api::Job>("j", [](const api::Job& j) {
    return j.status().succeeded() == 2 && std::ranges::any_of(j.status().conditions(), [](const auto& condition) {
             return condition.type() == "Complete" && condition.status() == "True";
           });
  }));
}

TEST_P(Workloads, DeletingANamespaceDeletesItsObjects) {
  ASSERT_TRUE(await(client().create(deployment("d", 2))));
  ASSERT_TRUE(await(client().create(config_map(ns(), "m", {}))));
  ASSERT_TRUE(available("d", 2));
  ASSERT_TRUE(await(client().remove<api::Namespace>("", ns())));
  EXPECT_TRUE(eventually([&] { return !await(client().get<api::Namespace>("", ns())).has_value(); }));
  EXPECT_TRUE(pods().empty());
}

}  // namespace
}  // namespace rescheduler::test
