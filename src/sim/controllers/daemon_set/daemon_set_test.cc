#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "kube/proto/core_node.pb.h"
#include "sim/controllers/daemon_set/daemon_eligibility.h"
#include "sim/controllers/pods/workload_rig.h"

namespace rescheduler::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::shared_ptr<const api::DaemonSet> agent(WorkloadRig& rig) { return rig.get<api::DaemonSet>("agent"); }

bool settled(WorkloadRig& rig, int nodes) {
  const auto set = agent(rig);
  return set && set->status().desired_number_scheduled() == nodes && set->status().number_available() == nodes
         && set->status().updated_number_scheduled() == nodes && set->status().current_number_scheduled() == nodes;
}

std::multiset<std::string> live_nodes(WorkloadRig& rig) {
  std::multiset<std::string> nodes;
  for (const PodView* pod : rig.pods.of_owner(agent(rig)->metadata().uid())) {
    if (pod->active()) nodes.emplace(pod->target_node());
  }
  return nodes;
}

std::set<std::string> live_images(WorkloadRig& rig) {
  std::set<std::string> images;
  for (const PodView* pod : rig.pods.of_owner(agent(rig)->metadata().uid())) {
    if (pod->active()) images.insert(rig.get<api::Pod>(pod->name())->spec().containers(0).image());
  }
  return images;
}

void taint(WorkloadRig& rig, std::string_view node, const std::string& key, const std::string& effect) {
  const auto written = rig.server.modify<api::Node>("", node, [&](api::Node& changed) {
    auto& added = *changed.mutable_spec()->add_taints();
    added.set_key(key);
    added.set_effect(effect);
  });
  ASSERT_TRUE(written);
}

void set_image(WorkloadRig& rig, const std::string& image) {
  rig.change<api::DaemonSet>("agent", [&image](api::DaemonSet& set) {
    set.mutable_spec()->mutable_template_()->mutable_spec()->mutable_containers(0)->set_image(image);
  });
}

TEST(DaemonEligibility, LabelsAffinityAndTaintsDecideWhereADaemonPodRuns) {
  api::PodSpec spec;
  (*spec.mutable_node_selector())["disk"] = "ssd";
  NodeTraits node;
  node.labels.pairs = {{"disk", "hdd"}};
  EXPECT_EQ(DaemonEligibility(spec).on("n1", node), DaemonPlace::Never);
  node.labels.pairs = {{"disk", "ssd"}, {"zone", "a"}};
  EXPECT_EQ(DaemonEligibility(spec).on("n1", node), DaemonPlace::Run);

  node.taints = {{"node.kubernetes.io/not-ready", "", "NoExecute"},
                 {"node.kubernetes.io/unschedulable", "", "NoSchedule"}};
  EXPECT_EQ(DaemonEligibility(spec).on("n1", node), DaemonPlace::Run) << "every daemon pod tolerates these taints";
  node.taints = {{"node.kubernetes.io/not-ready", "", "NoSchedule"}};
  EXPECT_EQ(DaemonEligibility(spec).on("n1", node), DaemonPlace::Stay);
  node.taints = {{"team", "a", "NoExecute"}};
  EXPECT_EQ(DaemonEligibility(spec).on("n1", node), DaemonPlace::Never);
  auto& toleration = *spec.add_tolerations();
  toleration.set_key("team");
  toleration.set_operator_("Equal");
  toleration.set_value("a");
  EXPECT_EQ(DaemonEligibility(spec).on("n1", node), DaemonPlace::Run);
  toleration.set_value("b");
  EXPECT_EQ(DaemonEligibility(spec).on("n1", node), DaemonPlace::Never);

  node.taints.clear();
  auto& term = *spec.mutable_affinity()
                    ->mutable_node_affinity()
                    ->mutable_required_during_scheduling_ignored_during_execution()
                    ->add_node_selector_terms();
  auto& expression = *term.add_match_expressions();
  expression.set_key("zone");
  expression.set_operator_("NotIn");
  expression.add_values("a");
  EXPECT_EQ(DaemonEligibility(spec).on("n1", node), DaemonPlace::Never);
}

TEST(DaemonSetController, EveryNodeGetsOnePodWithRequiredAffinityToTheNode) {
  WorkloadRig rig;
  rig.run_daemon_sets();
  rig.apply(daemon_set("agent"));
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 3); }));
  EXPECT_EQ(live_nodes(rig), (std::multiset<std::string>{"n1", "n2", "n3"}));
  rig.add_node("n4");
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 4); }));
  const PodView* any = rig.pods.of_owner(agent(rig)->metadata().uid())[0];
  const auto pod = rig.get<api::Pod>(any->name());
  const auto& field = pod->spec()
                          .affinity()
                          .node_affinity()
                          .required_during_scheduling_ignored_during_execution()
                          .node_selector_terms(0)
                          .match_fields(0);
  EXPECT_EQ(field.key(), "metadata.name");
  EXPECT_EQ(field.values(0), any->node());
  EXPECT_GE(pod->spec().tolerations_size(), 6);
}

TEST(DaemonSetController, NoScheduleTaintsPreventNewPodsAndNoExecuteTaintsRemovePods) {
  WorkloadRig rig;
  rig.run_daemon_sets();
  rig.apply(daemon_set("agent"));
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 3); }));
  taint(rig, "n1", "closed", "NoSchedule");
  taint(rig, "n2", "closed", "NoExecute");
  rig.pass(minutes{1});
  EXPECT_EQ(live_nodes(rig), (std::multiset<std::string>{"n1", "n3"})) << "NoSchedule does not remove an existing pod";
  EXPECT_EQ(agent(rig)->status().desired_number_scheduled(), 1);
  EXPECT_EQ(agent(rig)->status().number_misscheduled(), 1);
  for (const PodView* pod : rig.pods.of_owner(agent(rig)->metadata().uid())) {
    if (pod->node() == "n1") {
      rig.delete_pod(std::string(pod->name()));
      break;
    }
  }
  rig.pass(minutes{1});
  EXPECT_EQ(live_nodes(rig), (std::multiset<std::string>{"n3"}));
}

TEST(DaemonSetController, ARollingUpdateMakesAtMostMaxUnavailablePodsUnavailable) {
  WorkloadRig rig;
  rig.run_daemon_sets();
  for (int i = 4; i <= 8; ++i) rig.add_node("n" + std::to_string(i));
  auto set = daemon_set("agent");
  set.mutable_spec()->mutable_update_strategy()->mutable_rolling_update()->mutable_max_unavailable()->set_int_val(2);
  rig.apply(set);
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 8); }));
  set_image(rig, "app:2");
  std::size_t fewest = 8;
  ASSERT_TRUE(rig.eventually([&] {
    std::size_t working = 0;
    for (const PodView* pod : rig.pods.of_owner(agent(rig)->metadata().uid())) working += pod->ready() && pod->active();
    fewest = std::min(fewest, working);
    return settled(rig, 8) && live_images(rig) == std::set<std::string>{"app:2"};
  }));
  EXPECT_EQ(fewest, 6);
}

TEST(DaemonSetController, WithMaxSurgeTheOldPodStaysUntilTheNewPodIsAvailable) {
  WorkloadRig rig;
  rig.run_daemon_sets();
  auto set = daemon_set("agent");
  auto& rolling = *set.mutable_spec()->mutable_update_strategy()->mutable_rolling_update();
  rolling.mutable_max_unavailable()->set_int_val(0);
  rolling.mutable_max_surge()->set_int_val(1);
  rig.apply(set);
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 3); }));
  set_image(rig, "app:2");
  std::size_t most = 0;
  bool always_served = true;
  ASSERT_TRUE(rig.eventually([&] {
    std::map<std::string_view, int> ready;
    std::size_t live = 0;
    for (const PodView* pod : rig.pods.of_owner(agent(rig)->metadata().uid())) {
      live += pod->active();
      ready[pod->node()] += pod->ready() && pod->active();
    }
    most = std::max(most, live);
    for (const char* node : {"n1", "n2", "n3"}) always_served &= ready[node] >= 1;
    return settled(rig, 3) && live_images(rig) == std::set<std::string>{"app:2"};
  }));
  EXPECT_TRUE(always_served);
  EXPECT_EQ(most, 4);
}

TEST(DaemonSetController, OnDeleteUpdatesOnlyPodsThatAUserDeletes) {
  WorkloadRig rig;
  rig.run_daemon_sets();
  auto set = daemon_set("agent");
  set.mutable_spec()->mutable_update_strategy()->set_type("OnDelete");
  rig.apply(set);
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 3); }));
  set_image(rig, "app:2");
  rig.pass(minutes{1});
  EXPECT_EQ(live_images(rig), std::set<std::string>{"app:1"});
  EXPECT_EQ(agent(rig)->status().updated_number_scheduled(), 0);
  rig.delete_pod(std::string(rig.pods.of_owner(agent(rig)->metadata().uid())[0]->name()));
  rig.pass(minutes{1});
  EXPECT_EQ(agent(rig)->status().updated_number_scheduled(), 1);
}

TEST(DaemonSetController, ReplacementsOfARepeatedlyFailingPodBackOff) {
  WorkloadRig rig;
  rig.run_daemon_sets();
  rig.apply(daemon_set("agent"));
  ASSERT_TRUE(rig.eventually([&] { return settled(rig, 3); }));
  int replaced = 0;
  const SteadyTime end = rig.agenda.steady_now() + minutes{5};
  const auto watch = rig.pods.subscribe([&](const PodView* before, const PodView*) { replaced += before == nullptr; });
  while (rig.agenda.steady_now() < end) {
    rig.pass(seconds{1});
    for (const PodView* pod : rig.pods.on_node("n1")) {
      if (!pod->active()) continue;
      static_cast<void>(rig.server.modify_status<api::Pod>("default", std::string(pod->name()), [](api::Pod& changed) {
        changed.mutable_status()->set_phase("Failed");
      }));
      break;
    }
  }
  EXPECT_GE(replaced, 4);
  EXPECT_LE(replaced, 12);
}

TEST(DaemonSetController, APendingPodIsDeletedAfterItsTargetNodeIsDeleted) {
  WorkloadRig rig;
  rig.run_daemon_sets();
  rig.apply(daemon_set("agent"));
  rig.pass(std::chrono::milliseconds{10});
  ASSERT_EQ(rig.pods.size(), 3) << "created but not yet bound";
  ASSERT_TRUE(rig.server.remove(rig.server.kinds().of<api::Node>(), "", "n2", api::DeleteOptions()));
  rig.pass(minutes{1});
  EXPECT_EQ(live_nodes(rig), (std::multiset<std::string>{"n1", "n3"}));
  EXPECT_TRUE(settled(rig, 2));
}

}  // namespace
}  // namespace rescheduler::sim
