#include "rescheduling/planning/movable.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/codec/json.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/core_storage.pb.h"
#include "rescheduling/planning/plan_testing.h"

namespace rescheduler::rescheduling::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kMark = "scheduler.alpha.kubernetes.io/rescheduling";

// One pod "p" among its replicas, and the code why it stays; empty: the pod can be moved.
struct OnePod {
  PlanBench bench;
  PodBuilder pod = running("p", "web").requests("100m", "100Mi").on("a");
  int copies = 2;

  OnePod() { bench.node("a", 0.5, 0.5).node("b", 0.5, 0.5); }
  MoveBlocker blocker(Purpose purpose = Purpose::Improve) {
    bench.add(pod);
    for (int i = 0; i < copies; ++i) bench.add(running("other-" + std::to_string(i), "web").on("b"));
    bench.request.args = &bench.args;
    const PodInventory inventory(bench.snapshot);
    const Movable movable(bench.snapshot, inventory, bench.request);
    const auto why = movable.why_not_movable(*bench.snapshot.cluster().find_pod("p"), purpose);
    return why ? *why : MoveBlocker{};
  }
  std::string code(Purpose purpose = Purpose::Improve) { return std::string(blocker(purpose).code); }
};

TEST(Movable, AnOrdinaryReplicaCanBeMoved) { EXPECT_EQ(OnePod().code(), ""); }

TEST(Movable, APodOfAnotherSchedulerIsMovedOnlyIfItsReplacementIsSteeredOrCannotReturn) {
  const auto foreign = [] {
    OnePod one;
    one.pod.merge(R"({"spec": {"schedulerName": "default-scheduler"}})");
    one.bench.request.steering.own_schedulers = {"ours"};
    return one;
  };
  EXPECT_EQ(foreign().code(), "") << "the webhook steers it";
  OnePod unsteered = foreign();
  unsteered.bench.request.steering.no_webhook = "the port is in use";
  const MoveBlocker why = unsteered.blocker();
  EXPECT_EQ(why.code, "unsteered");
  EXPECT_EQ(why.reason,
            "scheduler default-scheduler could place its replacement on the same node, and the webhook does not steer "
            "it: the port is in use");
  OnePod ours = foreign();
  ours.bench.request.steering = {{"default-scheduler"}, "the port is in use", {}};
  EXPECT_EQ(ours.code(), "");
  OnePod uncalled = foreign();
  uncalled.bench.request.steering.without_webhook = {"default"};
  EXPECT_THAT(uncalled.blocker().reason, HasSubstr("it is not called in namespace default"));
  OnePod drained = foreign();
  drained.bench.request.steering.no_webhook = "the port is in use";
  EXPECT_EQ(drained.code(Purpose::Empty), "") << "the node is cordoned";
  OnePod tainted = foreign();
  tainted.bench.request.steering.no_webhook = "the port is in use";
  tainted.bench.add(cluster::testing::node("a").taint("gpu", "", "NoSchedule"));
  EXPECT_EQ(tainted.code(), "") << "the node does not accept the replacement";
}

TEST(Movable, StaticPodsAndDaemonSetPodsAreNotMoved) {
  OnePod mirror;
  mirror.pod.merge(R"({"metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}})");
  EXPECT_EQ(mirror.code(Purpose::Empty), "static-pod");
  OnePod file;
  file.pod.merge(R"({"metadata": {"annotations": {"kubernetes.io/config.source": "file"}}})");
  EXPECT_EQ(file.code(), "static-pod");
  OnePod daemon;
  daemon.pod = changed(
      daemon.pod, [](api::Pod& pod) { pod.mutable_metadata()->mutable_owner_references(0)->set_kind("DaemonSet"); });
  EXPECT_EQ(daemon.code(Purpose::Empty), "daemonset");
}

TEST(Movable, CriticalPodsAndPodsFromThePriorityThresholdOnAreNotMoved) {
  OnePod critical;
  critical.pod.priority(2'000'000'000);
  EXPECT_EQ(critical.code(Purpose::Empty), "critical");
  OnePod important;
  important.pod.priority(1000);
  EXPECT_EQ(important.code(), "");
  important.bench.args.rescheduling.protections.priority_threshold = 1000;
  EXPECT_EQ(important.code(), "priority");
  important.bench.args.rescheduling.protections.priority_threshold = 1001;
  EXPECT_EQ(important.code(), "");
}

TEST(Movable, PodsThatOptOutAreNotMoved) {
  OnePod label;
  label.pod.label(kMark, "disabled");
  EXPECT_EQ(label.code(Purpose::Empty), "opt-out");
  OnePod annotation;
  annotation.pod.merge(R"({"metadata": {"annotations": {"rescheduler.io/rescheduling": "disabled"}}})");
  EXPECT_EQ(annotation.code(), "opt-out");
  OnePod enabled;
  enabled.pod.label(kMark, "enabled");
  EXPECT_EQ(enabled.code(), "");
}

std::string annotation(const std::string& key, const std::string& value) {
  return fmt::format(R"({{"metadata": {{"annotations": {{"{}": "{}"}}}}}})", key, value);
}

TEST(Movable, PodsThatOtherProgramsMustNotEvictAreNotMovedAndTheReasonNamesTheAnnotation) {
  OnePod autoscaler;
  autoscaler.pod.merge(annotation("cluster-autoscaler.kubernetes.io/safe-to-evict", "false"));
  EXPECT_EQ(autoscaler.code(Purpose::Empty), "do-not-evict");
  EXPECT_EQ(autoscaler.blocker().reason,
            "its annotation cluster-autoscaler.kubernetes.io/safe-to-evict: \"false\" asks not to evict it");
  OnePod karpenter;
  karpenter.pod.merge(annotation("karpenter.sh/do-not-disrupt", "true"));
  EXPECT_EQ(karpenter.code(Purpose::Empty), "do-not-evict");
  EXPECT_THAT(karpenter.blocker().reason, HasSubstr("karpenter.sh/do-not-disrupt: \"true\""));
  for (const auto& [key, value] : {std::pair("cluster-autoscaler.kubernetes.io/safe-to-evict", "true"),
                                   std::pair("karpenter.sh/do-not-disrupt", "false"),
                                   std::pair("descheduler.alpha.kubernetes.io/evict", "false")}) {
    OnePod other;
    other.pod.merge(annotation(key, value));
    EXPECT_EQ(other.code(), "") << key;
  }
}

TEST(Movable, ADurationInKarpentersAnnotationCountsFromTheStartOfThePod) {
  for (const auto& [age, code] : {std::pair(30 * 60, "do-not-evict"), std::pair(90 * 60, "")}) {
    OnePod one;
    one.pod.merge(annotation("karpenter.sh/do-not-disrupt", "1h")).started(kNow - age);
    EXPECT_EQ(one.code(Purpose::Empty), code) << age;
  }
}

TEST(Movable, APodThatTheDeschedulerPrefersNotToEvictIsMovedOnlyToEmptyANode) {
  OnePod one;
  one.pod.merge(annotation("descheduler.alpha.kubernetes.io/prefer-no-eviction", ""));
  EXPECT_EQ(one.code(), "do-not-evict");
  EXPECT_EQ(one.code(Purpose::Empty), "");
}

TEST(Movable, AnUnknownOptOutValueProtectsThePodAndWarnsOnce) {
  OnePod one;
  one.pod.label(kMark, "disbled");
  EXPECT_EQ(one.code(), "opt-out");
  const auto warnings = one.bench.snapshot.take_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("disbled"));
  one.bench.add(one.pod);
  EXPECT_TRUE(one.bench.snapshot.take_warnings().empty());
}

TEST(Movable, PodsOfAWorkloadThatOptsOutAreNotMoved) {
  for (const char* field : {"labels", "annotations"}) {
    OnePod one;
    api::ReplicaSet workload;
    ASSERT_TRUE(kube::from_json(fmt::format(R"({{"metadata": {{"name": "web", "namespace": "default", "uid": "web",
        "{}": {{"{}": "disabled"}}}}, "spec": {{"replicas": 3}}}})",
                                            field, kMark),
                                workload));
    one.bench.snapshot.upsert(workload);
    EXPECT_EQ(one.code(Purpose::Empty), "opt-out") << field;
    EXPECT_THAT(one.blocker().reason, HasSubstr("web"));
  }
}

TEST(Movable, PodsOfOptedOutAndOfExcludedNamespacesAreNotMoved) {
  OnePod ns;
  ns.bench.snapshot.upsert(cluster::testing::name_space("default", {{kMark, "disabled"}}).get());
  EXPECT_THAT(ns.blocker().reason, HasSubstr("namespace default"));
  OnePod excluded;
  excluded.bench.args.rescheduling.excluded_namespaces = {"default"};
  EXPECT_EQ(excluded.code(Purpose::Empty), "excluded-namespace");
}

// --- Classes of pods that a drain treats by policy ---

struct DrainedPod : OnePod {
  explicit DrainedPod(const char* json) { pod.merge(json); }
  void node_allows(const char* classes) {
    bench.add(cluster::testing::node("a").annotation("rescheduler.io/drain-allows", classes));
  }
  config::DrainPolicies& policies() { return bench.args.rescheduling.maintenance.pods; }
};
constexpr const char* kLocal = R"({"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}})";

TEST(Movable, ADrainAsksBeforeItMovesPodsWithLocalStorageAndTheNodeCanAllowIt) {
  DrainedPod one(kLocal);
  const MoveBlocker asks = one.blocker(Purpose::Empty);
  EXPECT_EQ(asks.code, "local-storage");
  EXPECT_FALSE(asks.left);
  EXPECT_THAT(asks.reason, HasSubstr("set the annotation rescheduler.io/drain-allows: local-storage on the node"));
  one.node_allows("bare-pod");
  EXPECT_EQ(one.code(Purpose::Empty), "local-storage");
  one.node_allows("bare-pod,local-storage");
  EXPECT_EQ(one.code(Purpose::Empty), "");
  EXPECT_EQ(one.code(Purpose::Improve), "local-storage") << "the annotation is only about drains";
}

TEST(Movable, ThePolicyOfADrainLeavesOrEvictsAClassOfPods) {
  DrainedPod one(kLocal);
  one.policies().local_storage = config::DrainPolicy::Leave;
  EXPECT_TRUE(one.blocker(Purpose::Empty).left);
  EXPECT_FALSE(one.blocker(Purpose::Improve).left);
  one.policies().local_storage = config::DrainPolicy::Evict;
  EXPECT_EQ(one.code(Purpose::Empty), "");
  EXPECT_EQ(one.code(Purpose::Improve), "local-storage");
}

TEST(Movable, EachClassHasItsOwnPolicy) {
  using config::DrainPolicy;
  const auto check = [](DrainedPod& one, DrainPolicy config::DrainPolicies::* policy, const char* code) {
    one.policies().*policy = DrainPolicy::Ask;
    EXPECT_EQ(one.code(Purpose::Empty), code);
    one.policies().*policy = DrainPolicy::Evict;
    EXPECT_EQ(one.code(Purpose::Empty), "") << code;
    one.policies().*policy = DrainPolicy::Leave;
    EXPECT_TRUE(one.blocker(Purpose::Empty).left) << code;
  };
  DrainedPod excluded("{}");
  excluded.bench.args.rescheduling.excluded_namespaces = {"default"};
  check(excluded, &config::DrainPolicies::excluded_namespaces, "excluded-namespace");
  DrainedPod critical(R"({"spec": {"priority": 2000000000}})");
  check(critical, &config::DrainPolicies::critical, "critical");
  DrainedPod marked(R"({"metadata": {"annotations": {"karpenter.sh/do-not-disrupt": "true"}}})");
  check(marked, &config::DrainPolicies::do_not_evict, "do-not-evict");
  DrainedPod bare("{}");
  bare.pod = changed(bare.pod, [](api::Pod& pod) { pod.mutable_metadata()->clear_owner_references(); });
  check(bare, &config::DrainPolicies::bare_pods, "bare-pod");
  DrainedPod local(kLocal);
  check(local, &config::DrainPolicies::local_storage, "local-storage");
}

TEST(Movable, AllClassesOfAPodMustBeAllowedAndOneThatIsLeftLeavesThePod) {
  DrainedPod dns(R"({"spec": {"priority": 2000000000}})");
  dns.bench.args.rescheduling.excluded_namespaces = {"default"};
  EXPECT_THAT(dns.blocker(Purpose::Empty).reason, HasSubstr("drain-allows: excluded-namespace,critical on the node"));
  dns.node_allows("excluded-namespace");
  EXPECT_EQ(dns.code(Purpose::Empty), "critical");
  dns.policies().critical = config::DrainPolicy::Leave;
  EXPECT_TRUE(dns.blocker(Purpose::Empty).left);
  dns.node_allows("excluded-namespace,critical");
  EXPECT_EQ(dns.code(Purpose::Empty), "") << "the node outweighs the settings";
}

TEST(Movable, ADrainNeverMovesAPodThatHasOptedOut) {
  DrainedPod one(kLocal);
  one.pod.label(kMark, "disabled");
  one.node_allows("excluded-namespace,critical,do-not-evict,bare-pod,local-storage");
  EXPECT_EQ(one.code(Purpose::Empty), "opt-out");
}

TEST(Snapshot, AnUnknownClassInTheAnnotationOfANodeIsReported) {
  PlanBench bench;
  bench.add(cluster::testing::node("a").annotation("rescheduler.io/drain-allows", "everything"));
  const auto warnings = bench.snapshot.take_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("node a has the annotation rescheduler.io/drain-allows with \"everything\""));
}

TEST(Movable, TerminatingPendingAndNotReadyPodsAreNotMoved) {
  OnePod going;
  going.pod.terminating();
  EXPECT_EQ(going.code(Purpose::Empty), "terminating");
  OnePod unready;
  unready.pod = changed(unready.pod, [](api::Pod& pod) { pod.mutable_status()->clear_conditions(); });
  EXPECT_EQ(unready.code(), "not-ready");
  EXPECT_EQ(unready.code(Purpose::Empty), "") << "otherwise the pod would be lost with the node";
  OnePod starting;
  starting.pod = changed(starting.pod, [](api::Pod& pod) { pod.mutable_status()->set_phase("Pending"); });
  EXPECT_EQ(starting.code(Purpose::Empty), "not-running");
}

TEST(Movable, YoungPodsAndSingleReplicasAreMovedOnlyToEmptyANode) {
  OnePod young;
  young.pod.started(kNow - 60);
  EXPECT_EQ(young.code(), "too-young");
  EXPECT_EQ(young.code(Purpose::Empty), "");
  OnePod single;
  single.copies = 0;
  EXPECT_EQ(single.code(), "too-few-replicas");
  EXPECT_EQ(single.code(Purpose::Empty), "");
  OnePod scaled;
  scaled.bench.workload("ReplicaSet", "web", 1);
  EXPECT_EQ(scaled.code(), "too-few-replicas") << "two of the three replicas are about to be deleted";
}

TEST(Movable, APodOfAJobIsMovedOnlyToEmptyANode) {
  const auto of_a_job = [](api::Pod& pod) {
    pod.mutable_metadata()->mutable_owner_references(0)->set_kind("Job");
    pod.mutable_metadata()->mutable_owner_references(0)->set_name("import");
  };
  OnePod improve;
  improve.pod = changed(improve.pod, of_a_job);
  const MoveBlocker blocker = improve.blocker();
  EXPECT_EQ(blocker.code, "job");
  EXPECT_EQ(blocker.reason, "Job import would start its work from the beginning");
  OnePod empty;
  empty.pod = changed(empty.pod, of_a_job);
  EXPECT_EQ(empty.code(Purpose::Empty), "");
}

TEST(Movable, NoPodIsMovedWhileItsWorkloadHasAReplicaThatIsNotReady) {
  OnePod one;
  one.bench.add(
      changed(running("not-ready", "web").on("b"), [](api::Pod& pod) { pod.mutable_status()->clear_conditions(); }));
  EXPECT_EQ(one.code(), "workload-degraded");
}

TEST(Movable, BarePodsAreNotMovedUnlessTheProtectionIsOff) {
  OnePod bare;
  bare.pod = changed(bare.pod, [](api::Pod& pod) { pod.mutable_metadata()->clear_owner_references(); });
  EXPECT_EQ(bare.code(), "bare-pod");
  bare.bench.args.rescheduling.protections.bare_pods = false;
  EXPECT_EQ(bare.code(), "");
}

TEST(Movable, PodsWithLocalStorageOrProtectedClaimsAreNotMoved) {
  OnePod local;
  local.pod.merge(R"({"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}})");
  EXPECT_EQ(local.code(Purpose::Empty), "local-storage");
  local.bench.args.rescheduling.protections.local_storage = false;
  EXPECT_EQ(local.code(), "");
  OnePod claim;
  claim.pod.merge(R"({"spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}})");
  EXPECT_EQ(claim.code(), "");
  claim.bench.args.rescheduling.protections.claims = true;
  EXPECT_EQ(claim.code(), "volume-claim");
  EXPECT_EQ(claim.code(Purpose::Empty), "");
}

TEST(Movable, StatefulSetPodsWithAClaimAreMovedOnlyToEmptyANodeUnlessTheProtectionIsOff) {
  const auto of_a_stateful_set = [](api::Pod& pod) {
    pod.mutable_metadata()->mutable_owner_references(0)->set_kind("StatefulSet");
    pod.mutable_metadata()->mutable_owner_references(0)->set_name("db");
  };
  OnePod one;
  one.pod.merge(R"({"spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}})");
  one.pod = changed(one.pod, of_a_stateful_set);
  one.bench.args.rescheduling.protections.least_replicas = 1;
  EXPECT_EQ(one.code(), "stateful-set-claim");
  EXPECT_EQ(one.blocker().reason, "StatefulSet db keeps data in its PersistentVolumeClaim");
  EXPECT_EQ(one.code(Purpose::Empty), "");
  one.bench.args.rescheduling.protections.stateful_set_claims = false;
  EXPECT_EQ(one.code(), "");
  OnePod without_claim;
  without_claim.pod = changed(without_claim.pod, of_a_stateful_set);
  without_claim.bench.args.rescheduling.protections.least_replicas = 1;
  EXPECT_EQ(without_claim.code(), "");
}

TEST(Movable, PodDisruptionBudgetsAreRespected) {
  OnePod allowed;
  allowed.bench.add(budget("web", cluster::testing::Texts{{"app", "web"}}, 1));
  EXPECT_EQ(allowed.code(), "");
  OnePod none;
  none.bench.add(budget("web", cluster::testing::Texts{{"app", "web"}}, 0));
  EXPECT_EQ(none.code(Purpose::Empty), "budget-exhausted");
  OnePod two;
  two.bench.add(budget("web", cluster::testing::Texts{{"app", "web"}}, 1));
  two.bench.add(budget("also", cluster::testing::Texts{{"app", "web"}}, 1));
  EXPECT_EQ(two.code(), "several-budgets");
  OnePod uncovered;
  uncovered.bench.args.rescheduling.protections.without_budget = true;
  EXPECT_EQ(uncovered.code(), "without-budget");
  EXPECT_EQ(uncovered.code(Purpose::Empty), "") << "otherwise no node could be drained";
}

TEST(Movable, HeldPodsAreNotMovedAndTheGivenReasonIsReported) {
  OnePod held;
  held.bench.request.held.pods["p"] = "it was moved a minute ago";
  EXPECT_EQ(held.code(Purpose::Empty), "held");
  EXPECT_EQ(held.blocker().reason, "it was moved a minute ago");
}

TEST(Snapshot, KnowsWhetherAnAutoscalerScalesTheWorkloadOfAPod) {
  PlanBench bench;
  bench.node("a", 0.5, 0.5).add(running("p", "web-7f9").on("a"));
  EXPECT_EQ(bench.snapshot.lineage_of(cluster::PodIndex{0}).kind, "ReplicaSet");
  api::HorizontalPodAutoscaler scaler;
  scaler.mutable_metadata()->set_namespace_("default");
  scaler.mutable_metadata()->set_name("scaler");
  scaler.mutable_spec()->mutable_scale_target_ref()->set_kind("ReplicaSet");
  scaler.mutable_spec()->mutable_scale_target_ref()->set_name("web-7f9");
  EXPECT_FALSE(bench.snapshot.workloads().is_autoscaled(bench.snapshot.lineage_of(cluster::PodIndex{0})));
  bench.snapshot.upsert(scaler);
  EXPECT_TRUE(bench.snapshot.workloads().is_autoscaled(bench.snapshot.lineage_of(cluster::PodIndex{0})));
  bench.snapshot.remove(scaler);
  EXPECT_FALSE(bench.snapshot.workloads().is_autoscaled(bench.snapshot.lineage_of(cluster::PodIndex{0})));
}

TEST(Snapshot, OnlyTheValueTrueMarksANodeForMaintenance) {
  PlanBench bench;
  bench.add(cluster::testing::node("a").label("scheduler.alpha.kubernetes.io/maintenance", "true"));
  bench.add(cluster::testing::node("b").label("rescheduler.io/maintenance", "true"));
  bench.add(cluster::testing::node("c").label("scheduler.alpha.kubernetes.io/maintenance", "yes"));
  EXPECT_EQ(bench.snapshot.nodes_under_maintenance(), (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(bench.snapshot.take_warnings().size(), 1U);
}

TEST(Snapshot, CountsPendingPodsThatAreNotGated) {
  PlanBench bench;
  bench.node("a", 0.5, 0.5);
  bench.snapshot.upsert(cluster::testing::pod("waits").get());
  bench.snapshot.upsert(cluster::testing::pod("gated").gate("x").get());
  EXPECT_EQ(bench.snapshot.waiting_pods(), 1U);
  bench.snapshot.upsert(cluster::testing::pod("waits").on("a").get());
  EXPECT_EQ(bench.snapshot.waiting_pods(), 0U);
}

}  // namespace
}  // namespace rescheduler::rescheduling::testing
