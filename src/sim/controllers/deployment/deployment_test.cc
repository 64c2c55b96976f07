#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "sim/controllers/deployment/deployment_math.h"
#include "sim/controllers/pods/workload_rig.h"

namespace rescheduler::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::shared_ptr<const api::Deployment> web(WorkloadRig& rig) { return rig.get<api::Deployment>("web"); }

bool rolled_out(WorkloadRig& rig) {
  const auto stored = web(rig);
  return stored && is_complete(*stored, stored->status()) && find_condition(stored->status(), "Progressing") != nullptr
         && find_condition(stored->status(), "Progressing")->reason() == "NewReplicaSetAvailable";
}

void set_image(WorkloadRig& rig, const std::string& image) {
  rig.change<api::Deployment>("web", [&image](api::Deployment& object) {
    object.mutable_spec()->mutable_template_()->mutable_spec()->mutable_containers(0)->set_image(image);
  });
}

void set_bounds(api::Deployment& object, const std::string& surge, const std::string& unavailable) {
  auto& strategy = *object.mutable_spec()->mutable_strategy();
  strategy.set_type("RollingUpdate");
  const auto put = [](api::IntOrString& into, const std::string& text) {
    into.set_type(text.ends_with('%') ? 1 : 0);
    if (text.ends_with('%')) {
      into.set_str_val(text);
    } else {
      into.set_int_val(std::stoi(text));
    }
  };
  put(*strategy.mutable_rolling_update()->mutable_max_surge(), surge);
  put(*strategy.mutable_rolling_update()->mutable_max_unavailable(), unavailable);
}

ReplicaSets sets_of(WorkloadRig& rig) {
  ReplicaSets sets;
  rig.server.store().for_each(rig.server.kinds().of<api::ReplicaSet>(), "default", "", [&](const VersionPtr& version) {
    sets.push_back(version->as<api::ReplicaSet>());
    return true;
  });
  sort_by_creation(sets);
  return sets;
}

// By the image of the first container.
std::map<std::string, int> live_pods_by_image(WorkloadRig& rig) {
  std::map<std::string, int> counts;
  for (const ReplicaSetPtr& set : sets_of(rig)) {
    for (const PodView* pod : rig.pods.of_owner(set->metadata().uid())) {
      if (pod->active()) ++counts[set->spec().template_().spec().containers(0).image()];
    }
  }
  return counts;
}

int ready_pods(WorkloadRig& rig) {
  int ready = 0;
  for (const PodView* pod : rig.pods.select("default", kube::LabelSelector::everything())) {
    ready += pod->ready() && pod->active();
  }
  return ready;
}

TEST(DeploymentMath, MaxSurgeRoundsUpAndMaxUnavailableRoundsDownButNotBothToZero) {
  struct Case {
    int replicas;
    std::string surge, unavailable;
    int most_surge, most_unavailable;
  };
  for (const Case& c : {Case{10, "25%", "25%", 3, 2}, Case{4, "25%", "25%", 1, 1}, Case{1, "25%", "25%", 1, 0},
                        Case{2, "0", "1%", 0, 1}, Case{1, "0", "1%", 0, 1}, Case{3, "0", "100%", 0, 3},
                        Case{2, "1", "5", 1, 2}, Case{0, "25%", "25%", 0, 0}}) {
    api::Deployment object = deployment("x", c.replicas);
    set_bounds(object, c.surge, c.unavailable);
    EXPECT_EQ(max_surge(object), c.most_surge) << c.replicas << " " << c.surge << " " << c.unavailable;
    EXPECT_EQ(max_unavailable(object), c.most_unavailable) << c.replicas << " " << c.surge << " " << c.unavailable;
  }
}

TEST(DeploymentController, ANewDeploymentCreatesOneReplicaSetAndReportsItsAvailability) {
  WorkloadRig rig;
  rig.run_deployments();
  rig.apply(deployment("web", 3));
  ASSERT_TRUE(rig.eventually([&] { return rolled_out(rig); }));
  const auto stored = web(rig);
  EXPECT_EQ(stored->metadata().annotations().at(std::string(kRevisionAnnotation)), "1");
  EXPECT_EQ(stored->status().observed_generation(), stored->metadata().generation());
  EXPECT_EQ(stored->status().updated_replicas(), 3);
  EXPECT_EQ(stored->status().ready_replicas(), 3);
  EXPECT_EQ(find_condition(stored->status(), "Available")->reason(), "MinimumReplicasAvailable");
  const ReplicaSets sets = sets_of(rig);
  ASSERT_EQ(sets.size(), 1);
  const std::string hash = sets[0]->metadata().labels().at("pod-template-hash");
  EXPECT_EQ(sets[0]->metadata().name(), "web-" + hash);
  EXPECT_EQ(sets[0]->spec().selector().match_labels().at("pod-template-hash"), hash);
  EXPECT_EQ(sets[0]->metadata().annotations().at(std::string(kDesiredReplicasAnnotation)), "3");
  EXPECT_EQ(sets[0]->metadata().annotations().at(std::string(kMaxReplicasAnnotation)), "4");
  EXPECT_EQ(rig.events("ScalingReplicaSet"),
            std::vector<std::string>{"Scaled up replica set " + sets[0]->metadata().name() + " from 0 to 3"});
}

TEST(DeploymentController, AChangedTemplateStartsARolloutWithinSurgeAndUnavailabilityBounds) {
  WorkloadRig rig;
  rig.run_deployments();
  auto object = deployment("web", 10);
  set_bounds(object, "25%", "25%");
  rig.apply(object);
  ASSERT_TRUE(rig.eventually([&] { return rolled_out(rig); }));
  set_image(rig, "app:2");
  bool mixed = false;
  std::size_t most = 0;
  int fewest_ready = 10;
  const bool done = rig.eventually([&] {
    const auto counts = live_pods_by_image(rig);
    mixed |= counts.size() == 2;
    std::size_t all = 0;
    for (const auto& [image, count] : counts) all += static_cast<std::size_t>(count);
    most = std::max(most, all);
    fewest_ready = std::min(fewest_ready, ready_pods(rig));
    return rolled_out(rig) && web(rig)->status().observed_generation() == 2;
  });
  ASSERT_TRUE(done);
  EXPECT_TRUE(mixed);
  EXPECT_LE(most, 13);
  EXPECT_GE(fewest_ready, 8);
  EXPECT_EQ(live_pods_by_image(rig), (std::map<std::string, int>{{"app:2", 10}}));
  EXPECT_EQ(web(rig)->metadata().annotations().at(std::string(kRevisionAnnotation)), "2");
}

TEST(DeploymentController, ChangedMetadataChangesNeitherTheRevisionNorThePods) {
  WorkloadRig rig;
  rig.run_deployments();
  rig.apply(deployment("web", 2));
  ASSERT_TRUE(rig.eventually([&] { return rolled_out(rig); }));
  const auto pods_before = rig.pods.of_owner(sets_of(rig)[0]->metadata().uid());
  std::set<std::string> names;
  for (const PodView* pod : pods_before) names.emplace(pod->name());
  rig.change<api::Deployment>("web", [](api::Deployment& object) {
    (*object.mutable_metadata()->mutable_labels())["team"] = "a";
    (*object.mutable_metadata()->mutable_annotations())["why"] = "because";
  });
  rig.pass(minutes{2});
  const ReplicaSets sets = sets_of(rig);
  ASSERT_EQ(sets.size(), 1);
  EXPECT_EQ(sets[0]->metadata().annotations().at("why"), "because") << "annotations are copied to the ReplicaSet";
  EXPECT_EQ(web(rig)->metadata().annotations().at(std::string(kRevisionAnnotation)), "1");
  // A user's annotation increments the generation, as on a real server; the revision that the controller writes does
  // not.
  EXPECT_EQ(web(rig)->metadata().generation(), 2);
  std::set<std::string> after;
  for (const PodView* pod : rig.pods.of_owner(sets[0]->metadata().uid())) after.emplace(pod->name());
  EXPECT_EQ(after, names);
}

TEST(DeploymentController, ARollbackReusesTheOldReplicaSetUnderANewRevision) {
  WorkloadRig rig;
  rig.run_deployments();
  rig.apply(deployment("web", 2));
  ASSERT_TRUE(rig.eventually([&] { return rolled_out(rig); }));
  for (const char* image : {"app:2", "app:1"}) {
    set_image(rig, image);
    rig.pass(seconds{1});
    ASSERT_TRUE(rig.eventually([&] { return rolled_out(rig); }));
  }
  const ReplicaSets sets = sets_of(rig);
  ASSERT_EQ(sets.size(), 2);
  EXPECT_EQ(revision_of(sets[0]->metadata()), 3);
  EXPECT_EQ(sets[0]->metadata().annotations().at(std::string(kRevisionHistoryAnnotation)), "1");
  EXPECT_EQ(revision_of(sets[1]->metadata()), 2);
  EXPECT_EQ(web(rig)->metadata().annotations().at(std::string(kRevisionAnnotation)), "3");
  EXPECT_EQ(live_pods_by_image(rig), (std::map<std::string, int>{{"app:1", 2}}));
}

TEST(DeploymentController, OldReplicaSetsBeyondRevisionHistoryLimitAreDeleted) {
  WorkloadRig rig;
  rig.run_deployments();
  auto object = deployment("web", 1);
  object.mutable_spec()->set_revision_history_limit(2);
  rig.apply(object);
  ASSERT_TRUE(rig.eventually([&] { return rolled_out(rig); }));
  for (int i = 2; i <= 6; ++i) {
    set_image(rig, "app:" + std::to_string(i));
    rig.pass(seconds{30});
    ASSERT_TRUE(rolled_out(rig));
  }
  const ReplicaSets sets = sets_of(rig);
  ASSERT_EQ(sets.size(), 3);
  EXPECT_EQ(revision_of(sets[0]->metadata()), 4);
}

TEST(DeploymentController, RecreateCreatesNewPodsOnlyAfterAllOldPodsAreRemoved) {
  WorkloadRig rig;
  rig.run_deployments();
  rig.stop_delay = seconds{20};
  auto object = deployment("web", 3);
  object.mutable_spec()->mutable_strategy()->set_type("Recreate");
  object.mutable_spec()->mutable_strategy()->clear_rolling_update();
  rig.apply(object);
  ASSERT_TRUE(rig.eventually([&] { return rolled_out(rig); }));
  set_image(rig, "app:2");
  bool overlap = false;
  const bool done = rig.eventually([&] {
    std::set<std::string_view> hashes;
    for (const PodView* pod : rig.pods.select("default", kube::LabelSelector::everything())) {
      hashes.insert(pod->template_hash());
    }
    overlap |= hashes.size() > 1;
    return rolled_out(rig) && web(rig)->status().observed_generation() == 2;
  });
  EXPECT_TRUE(done);
  EXPECT_FALSE(overlap);
}

TEST(DeploymentController, APausedDeploymentKeepsTheOldTemplateUntilItIsResumed) {
  WorkloadRig rig;
  rig.run_deployments();
  rig.apply(deployment("web", 2));
  ASSERT_TRUE(rig.eventually([&] { return rolled_out(rig); }));
  rig.change<api::Deployment>("web", [](api::Deployment& object) { object.mutable_spec()->set_paused(true); });
  set_image(rig, "app:2");
  rig.pass(minutes{1});
  EXPECT_EQ(live_pods_by_image(rig), (std::map<std::string, int>{{"app:1", 2}}));
  EXPECT_EQ(find_condition(web(rig)->status(), "Progressing")->reason(), "DeploymentPaused");
  rig.change<api::Deployment>("web", [](api::Deployment& object) { object.mutable_spec()->set_replicas(4); });
  rig.pass(minutes{1});
  EXPECT_EQ(live_pods_by_image(rig), (std::map<std::string, int>{{"app:1", 4}})) << "scaling works while paused";
  rig.change<api::Deployment>("web", [](api::Deployment& object) { object.mutable_spec()->clear_paused(); });
  rig.pass(minutes{1});
  EXPECT_TRUE(rolled_out(rig));
  EXPECT_EQ(live_pods_by_image(rig), (std::map<std::string, int>{{"app:2", 4}}));
}

TEST(DeploymentController, ARolloutThatDoesNotProgressIsReportedAfterItsProgressDeadline) {
  WorkloadRig rig;
  rig.run_deployments();
  auto object = deployment("web", 4);
  object.mutable_spec()->set_progress_deadline_seconds(60);
  rig.apply(object);
  ASSERT_TRUE(rig.eventually([&] { return rolled_out(rig); }));
  const std::string good = sets_of(rig)[0]->metadata().labels().at("pod-template-hash");
  rig.stays_unready = [good](const PodView& pod) { return pod.template_hash() != good; };
  set_image(rig, "broken");
  rig.pass(seconds{50});
  EXPECT_NE(find_condition(web(rig)->status(), "Progressing")->reason(), "ProgressDeadlineExceeded");
  rig.pass(seconds{60});
  EXPECT_EQ(find_condition(web(rig)->status(), "Progressing")->reason(), "ProgressDeadlineExceeded");
  EXPECT_EQ(find_condition(web(rig)->status(), "Progressing")->status(), "False");
  EXPECT_EQ(find_condition(web(rig)->status(), "Available")->status(), "True");
  EXPECT_GE(ready_pods(rig), 3);
  set_image(rig, "app:1");
  rig.pass(minutes{1});
  EXPECT_TRUE(rolled_out(rig));
}

TEST(DeploymentController, AnUnreadyPodLongAfterTheRolloutDoesNotCauseRepeatedReconciles) {
  WorkloadRig rig;
  rig.run_deployments();
  auto object = deployment("web", 4);
  object.mutable_spec()->set_progress_deadline_seconds(60);
  rig.apply(object);
  ASSERT_TRUE(rig.eventually([&] { return rolled_out(rig); }));
  rig.pass(minutes{5});
  rig.stays_unready = [](const PodView&) { return true; };
  rig.change<api::Deployment>("web", [](api::Deployment& changed) { changed.mutable_spec()->set_replicas(5); });
  rig.pass(seconds{1});
  const auto before = rig.agenda.events_run();
  rig.pass(minutes{1});
  EXPECT_LT(rig.agenda.events_run() - before, 1000U) << "the controller reconciles the Deployment again and again";
}

TEST(DeploymentController, ScalingDuringARolloutIsSplitProportionallyBetweenReplicaSets) {
  WorkloadRig rig;
  rig.run_deployments();
  auto object = deployment("web", 10);
  set_bounds(object, "3", "2");
  rig.apply(object);
  ASSERT_TRUE(rig.eventually([&] { return rolled_out(rig); }));
  const std::string good = sets_of(rig)[0]->metadata().labels().at("pod-template-hash");
  rig.stays_unready = [good](const PodView& pod) { return pod.template_hash() != good; };
  set_image(rig, "broken");
  rig.pass(minutes{1});
  EXPECT_EQ(live_pods_by_image(rig), (std::map<std::string, int>{{"app:1", 8}, {"broken", 5}}));
  rig.change<api::Deployment>("web", [](api::Deployment& wider) { wider.mutable_spec()->set_replicas(15); });
  rig.pass(minutes{1});
  EXPECT_EQ(live_pods_by_image(rig), (std::map<std::string, int>{{"app:1", 11}, {"broken", 7}}));
}

// Pods are deleted at random during the rollouts. At any time the missing pods are those that the bounds allow and
// those that were deleted and not yet replaced.
TEST(DeploymentController, RolloutsStayWithinTheirBoundsDuringRandomPodDeletions) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    WorkloadRig rig(seed);
    rig.run_deployments();
    const int replicas = 4 + static_cast<int>(rig.rng.below(9));
    const int unavailable = static_cast<int>(rig.rng.below(3));
    const int surge = unavailable == 0 ? 1 : static_cast<int>(rig.rng.below(3));
    auto object = deployment("web", replicas);
    set_bounds(object, std::to_string(surge), std::to_string(unavailable));
    rig.apply(object);
    ASSERT_TRUE(rig.eventually([&] { return rolled_out(rig); }));
    std::vector<SteadyTime> deletions;
    for (int round = 2; round < 6; ++round) {
      set_image(rig, "app:" + std::to_string(round));
      const SteadyTime end = rig.agenda.steady_now() + minutes{3};
      SteadyTime next = rig.agenda.steady_now() + std::chrono::milliseconds{rig.rng.below(4000)};
      while (rig.agenda.run_next(end)) {
        const SteadyTime now = rig.agenda.steady_now();
        std::erase_if(deletions, [now](SteadyTime at) { return at + seconds{10} < now; });
        ASSERT_GE(ready_pods(rig), replicas - unavailable - static_cast<int>(deletions.size())) << "seed " << seed;
        std::size_t live = 0;
        for (const auto& [image, count] : live_pods_by_image(rig)) live += static_cast<std::size_t>(count);
        ASSERT_LE(live, static_cast<std::size_t>(replicas + surge)) << "seed " << seed;
        if (now < next || end - now < minutes{2}) continue;
        next = now + std::chrono::milliseconds{500 + rig.rng.below(4000)};
        std::vector<const PodView*> pods = rig.pods.select("default", kube::LabelSelector::everything());
        std::erase_if(pods, [](const PodView* pod) { return !pod->active(); });
        if (pods.empty()) continue;
        deletions.push_back(now);
        rig.delete_pod(std::string(pods[rig.rng.below(pods.size())]->name()));
      }
      ASSERT_TRUE(rolled_out(rig)) << "seed " << seed << " round " << round;
      ASSERT_EQ(live_pods_by_image(rig), (std::map<std::string, int>{{"app:" + std::to_string(round), replicas}}));
    }
  }
}

}  // namespace
}  // namespace rescheduler::sim
