#include "sim/controllers/replica_set/scale_down_order.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "kube/proto/core.pb.h"
#include "sim/controllers/pods/pod_index.h"
#include "sim/server/conditions.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

using std::chrono::seconds;

class ScaleDownOrder : public testing::Test {
 protected:
  ScaleDownOrder() {
    api::Namespace ns;
    ns.mutable_metadata()->set_name("default");
    EXPECT_TRUE(server.create(ns));
  }

  struct Shape {
    std::string node = "n1";
    std::string phase = "Running";
    int ready_for = 3600;  // seconds; negative: not ready
    std::string cost{};
    int restarts = 0;
    int sidecar_restarts = 0;
  };

  const PodView* add(const std::string& name, const Shape& shape) {
    api::Pod pod;
    pod.mutable_metadata()->set_name(name);
    pod.mutable_metadata()->set_namespace_("default");
    if (!shape.cost.empty()) {
      (*pod.mutable_metadata()->mutable_annotations())["controller.kubernetes.io/pod-deletion-cost"] = shape.cost;
    }
    if (!shape.node.empty()) pod.mutable_spec()->set_node_name(shape.node);
    auto& container = *pod.mutable_spec()->add_containers();
    container.set_name("main");
    container.set_image("app");
    auto& sidecar = *pod.mutable_spec()->add_init_containers();
    sidecar.set_name("side");
    sidecar.set_image("app");
    sidecar.set_restart_policy("Always");
    EXPECT_TRUE(server.create(pod));
    const auto written = server.modify_status<api::Pod>("default", name, [&](api::Pod& stored) {
      api::PodStatus& status = *stored.mutable_status();
      status.set_phase(shape.phase);
      const WallTime since = agenda.wall_now() - seconds{std::max(0, shape.ready_for)};
      set_condition(status, {"Ready", shape.ready_for < 0 ? "False" : "True"}, since);
      auto& main_status = *status.add_container_statuses();
      main_status.set_name("main");
      main_status.set_restart_count(shape.restarts);
      auto& side_status = *status.add_init_container_statuses();
      side_status.set_name("side");
      side_status.set_restart_count(shape.sidecar_restarts);
    });
    EXPECT_TRUE(written) << (written ? "" : written.error().message);
    return pods.find("default", name);
  }

  std::vector<std::string> sorted(std::vector<const PodView*> list, const std::vector<const PodView*>& related = {}) {
    sort_for_deletion(list, related, agenda.wall_now());
    std::vector<std::string> names;
    for (const PodView* pod : list) names.emplace_back(pod->name());
    return names;
  }

  Agenda agenda;
  Server server{agenda, Rng(1)};
  PodIndex pods{server};
};

TEST_F(ScaleDownOrder, EachCriterionDecidesWhenAllBeforeItAreEqual) {
  struct Case {
    const char* why;
    Shape first;   // deleted first
    Shape second;  // deleted second, although all later criteria would delete it first
  };
  const std::vector<Case> cases{
      {"not bound", {"", "Pending", -1, "100"}, {"n1", "Pending", -1, "-100"}},
      {"pending before running", {"n1", "Pending", -1, "100"}, {"n1", "Running", -1, "-100"}},
      {"not ready", {"n1", "Running", -1, "100"}, {"n1", "Running", 1, "-100"}},
      {"lower cost", {"n1", "Running", 100'000, "-1"}, {"n1", "Running", 1, ""}},
      {"ready for a shorter time", {"n1", "Running", 10, "", 0}, {"n1", "Running", 1000, "", 9}},
      {"more restarts", {"n1", "Running", 10, "", 5, 0}, {"n1", "Running", 10, "", 4, 9}},
      {"more restarts of sidecars", {"n1", "Running", 10, "", 5, 2}, {"n1", "Running", 10, "", 5, 1}},
  };
  int number = 0;
  for (const Case& c : cases) {
    const std::string stem = "p" + std::to_string(number++);
    const PodView* second = add(stem + "-second", c.second);
    const PodView* first = add(stem + "-first", c.first);
    EXPECT_EQ(sorted({second, first}), (std::vector<std::string>{stem + "-first", stem + "-second"})) << c.why;
    EXPECT_EQ(sorted({first, second}), (std::vector<std::string>{stem + "-first", stem + "-second"})) << c.why;
  }
}

TEST_F(ScaleDownOrder, APodOnANodeWithMoreRelatedPodsIsDeletedBeforeAYoungerPod) {
  const PodView* alone = add("alone", {"n2", "Running", 1});
  const PodView* crowded = add("crowded", {"n1", "Running", 100'000});
  const PodView* neighbour = add("neighbour", {"n1", "Running", 100'000});
  EXPECT_EQ(sorted({alone, crowded}, {alone, crowded, neighbour}), (std::vector<std::string>{"crowded", "alone"}));
  EXPECT_EQ(sorted({alone, crowded}, {}), (std::vector<std::string>{"alone", "crowded"}));
}

TEST_F(ScaleDownOrder, TheYoungerPodIsDeletedFirstUnlessTheAgesAreWithinOnePowerOfTwo) {
  const PodView* old_one = add("old", {"n1", "Running", -1});
  agenda.run_for(seconds{100'000});
  const PodView* young = add("young", {"n1", "Running", -1});
  agenda.run_for(seconds{10});
  EXPECT_EQ(sorted({old_one, young}), (std::vector<std::string>{"young", "old"}));
  agenda.run_for(seconds{10'000'000});
  const bool by_uid = young->uid() < old_one->uid();
  EXPECT_EQ(sorted({old_one, young}).front(), by_uid ? "young" : "old") << "the ages are now within one power of two";
}

TEST_F(ScaleDownOrder, TheResultDoesNotDependOnTheOrderOfTheInput) {
  Rng rng(7);
  std::vector<const PodView*> all;
  for (int i = 0; i < 60; ++i) {
    Shape shape;
    shape.node = rng.below(4) == 0 ? "" : "n" + std::to_string(rng.below(3));
    shape.phase = rng.below(3) == 0 ? "Pending" : "Running";
    shape.ready_for = rng.below(2) == 0 ? -1 : static_cast<int>(rng.below(5) * 100);
    shape.cost = rng.below(3) == 0 ? "5" : "";
    shape.restarts = static_cast<int>(rng.below(3));
    all.push_back(add("p" + std::to_string(i), shape));
    agenda.run_for(seconds{rng.below(100)});
  }
  const std::vector<std::string> expected = sorted(all, all);
  for (int round = 0; round < 20; ++round) {
    std::vector<const PodView*> shuffled = all;
    std::ranges::shuffle(shuffled, rng);
    ASSERT_EQ(sorted(shuffled, all), expected) << "the result must not depend on the order of the input";
  }
}

}  // namespace
}  // namespace rescheduler::sim
