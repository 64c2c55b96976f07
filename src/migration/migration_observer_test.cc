// What a migration observes, and the requests of an observation.
#include "migration/migration_observer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/codec/json.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::migration {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class MigrationObserverTest : public testing::Test {
 protected:
  MigrationObserverTest() {
    MoveRequest request;
    request.ns = "web";
    request.pod = "api-1";
    request.uid = "u1";
    request.source = "a";
    request.target = "b";
    migration_ = to_migration(request, "m");
    put<api::Deployment>(R"({"metadata": {"namespace": "web", "name": "api", "uid": "w"},
      "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "api"}}}})");
    put<api::ReplicaSet>(R"({"metadata": {"namespace": "web", "name": "api-r", "uid": "r", "ownerReferences":
      [{"kind": "Deployment", "name": "api", "uid": "w", "controller": true}]}})");
    for (const char* number : {"1", "2"}) {
      put<api::Pod>(fmt::format(R"({{"metadata": {{"namespace": "web", "name": "api-{0}", "uid": "u{0}",
        "labels": {{"app": "api"}}, "ownerReferences":
        [{{"kind": "ReplicaSet", "name": "api-r", "uid": "r", "controller": true}}]}}, "spec": {{"nodeName": "a"}}}})",
                                number));
    }
    target(R"({"status": {"conditions": [{"type": "Ready", "status": "True"}]}})");
  }
  template <class T>
  void put(const std::string& json) {
    T object;
    const auto read = kube::from_json(json, object);
    ASSERT_TRUE(read) << read.error().message;
    api_.put(object);
  }
  void target(const std::string& json) {
    api::Node node;
    ASSERT_TRUE(kube::from_json(json, node));
    node.mutable_metadata()->set_name("b");
    api_.put(node);
  }
  void autoscaler(const std::string& kind, const std::string& name) {
    put<api::HorizontalPodAutoscaler>(
        fmt::format(R"({{"metadata": {{"namespace": "web", "name": "{0}-{1}"}}, "spec": {{"scaleTargetRef":
          {{"kind": "{0}", "name": "{1}"}}}}}})",
                    kind, name));
  }
  void budget(const std::string& name, const std::string& app) {
    put<api::PodDisruptionBudget>(fmt::format(R"({{"metadata": {{"namespace": "web", "name": "{}"}},
          "spec": {{"selector": {{"matchLabels": {{"app": "{}"}}}}}}}})",
                                              name, app));
  }
  void enter(Phase phase) {
    *migration_.mutable_status() = entering(migration_, phase, "", time_.clock.wall_now());
    migration_.mutable_status()->mutable_workload()->set_kind("Deployment");
    migration_.mutable_status()->mutable_workload()->set_name("api");
    migration_.mutable_status()->mutable_workload()->set_uid("w");
    migration_.mutable_status()->set_selector("app=api");
  }
  ObservedState look() {
    MigrationObserver observer(api_);
    auto observed = time_.loop.await_result(observer.look(migration_, time_.clock.wall_now()));
    EXPECT_TRUE(observed) << observed.error().message;
    return observed ? std::move(*observed) : ObservedState{};
  }
  std::vector<std::string> requests() {
    const std::size_t before = api_.calls().size();
    look();
    std::vector<std::string> sent;
    for (std::size_t i = before; i < api_.calls().size(); ++i) sent.push_back(api_.calls()[i].text);
    return sent;
  }

  test::VirtualTime time_;
  test::ScriptedApi api_;
  api::Migration migration_;
};

TEST_F(MigrationObserverTest, FindsOnlyTheAutoscalerOfThePodsOwnWorkload) {
  autoscaler("Deployment", "other");
  autoscaler("StatefulSet", "api");
  EXPECT_FALSE(look().workload->autoscaled);
  autoscaler("Deployment", "api");
  EXPECT_TRUE(look().workload->autoscaled);
  enter(Phase::Preparing);  // an autoscaler may be created during the move
  EXPECT_TRUE(look().workload->autoscaled);
}

TEST_F(MigrationObserverTest, AssumesAnAutoscalerIfListingAutoscalersIsForbidden) {
  api_.before_each([](const kube::ApiCall& call) -> std::optional<Error> {
    if (call.resource->plural != "horizontalpodautoscalers") return std::nullopt;
    return Error{Errc::Denied, "forbidden"};
  });
  EXPECT_TRUE(look().workload->autoscaled);
}

TEST_F(MigrationObserverTest, ReportsNoProblemOfAReadyTarget) { EXPECT_EQ(look().target_problem, ""); }

TEST_F(MigrationObserverTest, ReportsACordonedTarget) {
  target(R"({"spec": {"unschedulable": true}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}})");
  EXPECT_THAT(look().target_problem, HasSubstr("cordoned"));
  enter(Phase::Preparing);  // a user may cordon the node during the move
  EXPECT_THAT(look().target_problem, HasSubstr("cordoned"));
}

TEST_F(MigrationObserverTest, ReportsATargetThatIsNotReady) {
  for (const char* status : {"False", "Unknown"}) {
    target(fmt::format(R"({{"status": {{"conditions": [{{"type": "Ready", "status": "{}"}}]}}}})", status));
    EXPECT_THAT(look().target_problem, HasSubstr("not ready")) << status;
  }
  enter(Phase::Preparing);
  EXPECT_THAT(look().target_problem, HasSubstr("not ready"));
}

TEST_F(MigrationObserverTest, ReportsATargetThatIsDeletedOrBeingDeleted) {
  target(R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}})");
  EXPECT_THAT(look().target_problem, HasSubstr("being removed"));
  api_.erase(kube::resource_of<api::Node>(), "", "b");
  EXPECT_THAT(look().target_problem, HasSubstr("no node b"));
}

TEST_F(MigrationObserverTest, CountsTheMatchingPodDisruptionBudgetsWithoutItsOwn) {
  enter(Phase::Preparing);
  migration_.mutable_status()->set_budget("ours");
  budget("theirs", "api");
  budget("of-others", "other");
  put<api::PodDisruptionBudget>(R"({"metadata": {"namespace": "web", "name": "ours", "uid": "b1", "labels":
    {"rescheduler.io/migration": "m"}}, "spec": {"selector": {"matchLabels": {"app": "api"}}}})");
  const ObservedState observed = look();
  EXPECT_EQ(observed.budgets.matching, 1U);
  EXPECT_TRUE(observed.budgets.own);
  EXPECT_EQ(observed.budgets.own_uid, "b1");
}

TEST_F(MigrationObserverTest, AnotherPodOfTheSameNameIsNotTheMigratedPod) {
  migration_.mutable_spec()->set_pod_uid("another");
  EXPECT_FALSE(look().source);
}

api::Pod pod_from(const std::string& json) {
  api::Pod pod;
  EXPECT_TRUE(kube::from_json(json, pod));
  return pod;
}

TEST(PodProtection, StaticPodsAndDaemonSetPodsAreProtectedAndCriticalPodsAreMarked) {
  const auto why = [](const std::string& json) { return observed_pod(pod_from(json)).protected_because; };
  const auto owned_by = [](const char* kind) {
    return fmt::format(R"({{"metadata": {{"ownerReferences": [{{"kind": "{}", "controller": true}}]}}}})", kind);
  };
  EXPECT_EQ(why("{}"), "");
  EXPECT_EQ(why(owned_by("ReplicaSet")), "");
  EXPECT_THAT(why(owned_by("DaemonSet")), HasSubstr("DaemonSet"));
  EXPECT_THAT(why(owned_by("Node")), HasSubstr("static pod"));
  EXPECT_THAT(why(R"({"metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}})"), HasSubstr("static pod"));
  EXPECT_TRUE(observed_pod(pod_from(R"({"spec": {"priority": 2000000000}})")).critical);
  EXPECT_FALSE(observed_pod(pod_from(R"({"spec": {"priority": 1999999999}})")).critical);
}

TEST(PodProtection, AnOptOutByEitherKeyAsLabelOrAnnotationProtectsThePod) {
  for (const char* key : {"scheduler.alpha.kubernetes.io/rescheduling", "rescheduler.io/rescheduling"}) {
    for (const char* place : {"labels", "annotations"}) {
      const auto why = [&](const char* value) {
        const auto json = fmt::format(R"({{"metadata": {{"{}": {{"{}": "{}"}}}}}})", place, key, value);
        return opt_out_of(pod_from(json).metadata(), "the pod");
      };
      EXPECT_THAT(why("disabled"), HasSubstr("has opted out of moves")) << key << " in " << place;
      EXPECT_THAT(why("nonsense"), HasSubstr("is not moved")) << key << " in " << place;
      EXPECT_THAT(why(""), HasSubstr("is not moved")) << key << " in " << place;
      EXPECT_EQ(why("enabled"), "") << key << " in " << place;
    }
  }
}

TEST(PodCopy, VolumesAndHostPortsDecideWhetherAndWhenAPodCanBeCopied) {
  const auto with_volume = [](const char* source) {
    return observed_pod(pod_from(fmt::format(R"({{"spec": {{"volumes": [{{"name": "data", {}}}]}}}})", source)));
  };
  const ObservedPod claim = with_volume(R"("persistentVolumeClaim": {"claimName": "c"})");
  EXPECT_THAT(claim.no_second_copy, HasSubstr("data"));
  EXPECT_EQ(claim.no_copy, "");
  EXPECT_THAT(with_volume(R"("hostPath": {"path": "/x"})").no_copy, HasSubstr("hostPath of its node"));
  EXPECT_THAT(with_volume(R"("ephemeral": {})").no_copy, HasSubstr("is deleted with the pod"));
  EXPECT_EQ(with_volume(R"("emptyDir": {})").no_copy, "");
  EXPECT_THAT(observed_pod(pod_from(R"({"spec": {"hostNetwork": true}})")).no_second_copy, HasSubstr("ports"));
  EXPECT_THAT(observed_pod(pod_from(R"({"spec": {"containers": [{"ports": [{"hostPort": 80}]}]}})")).no_second_copy,
              HasSubstr("ports"));
  EXPECT_EQ(observed_pod(pod_from(R"({"spec": {"containers": [{"ports": [{"containerPort": 80}]}]}})")).no_second_copy,
            "");
}

// Requests by phase: a migration observes before every step, so each request counts.
TEST_F(MigrationObserverTest, EachPhaseSendsOnlyTheRequestsThatItNeeds) {
  const std::string pod = "get pods web/api-1";
  const std::string workload = "get deployments.apps web/api";
  const std::string autoscalers = "list horizontalpodautoscalers.autoscaling in web";
  const std::string replicas = "list pods in web";
  const std::string budgets = "list poddisruptionbudgets.policy in web";
  const std::string target = "get nodes b";
  EXPECT_THAT(requests(), ElementsAre(pod, "get replicasets.apps web/api-r", workload, autoscalers, target));
  enter(Phase::Preparing);
  EXPECT_THAT(requests(), ElementsAre(pod, workload, autoscalers, replicas, budgets, target));
  enter(Phase::Evicting);
  EXPECT_THAT(requests(), ElementsAre(pod, workload, replicas, budgets));
  for (const Phase phase : {Phase::Replacing, Phase::Surging, Phase::Retiring}) {
    enter(phase);
    EXPECT_THAT(requests(), ElementsAre(pod, workload, replicas)) << to_string(phase);
  }
  enter(Phase::CleaningUp);
  EXPECT_THAT(requests(), ElementsAre(pod, workload, replicas, "list replicasets.apps in web"));
}

}  // namespace
}  // namespace rescheduler::migration
