#include "placement/plugins/volume_binding.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "placement/plugins/volume_testing.h"
#include "placement/volume_decision.h"

namespace rescheduler::placement {
namespace {

using namespace placement::testing;

constexpr const char* kNothingToBind = "node(s) didn't find available persistent volumes to bind";
constexpr const char* kElsewhere = "node(s) didn't match PersistentVolume's node affinity";
constexpr const char* kNoRoom = "node(s) did not have enough free storage";
constexpr const char* kGone = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

struct Lab : StorageLab {
  Lab() : StorageLab(make_volume_binding(nullptr)) {
    node("n1", {{"zone", "east"}});
    node("n2", {{"zone", "west"}});
    // Volumes of this class are created by hand.
    have(ClassObject("wait", "kubernetes.io/no-provisioner"));
    have(ClassObject("made"), ClassObject("now").immediate());
  }
  std::optional<VolumeDecision> decide(const PodObject& pod, const std::string& node) {
    const auto compiled_spec = cluster.compiled_spec_of(pod);
    return decide_volumes(make_pod_context(cluster, pod.wire, *compiled_spec),
                          *cluster.node(*cluster.find_node(node)).node);
  }
  // "claim=volume" for a binding, "claim@" for a volume to provision.
  std::vector<std::string> choice(const PodObject& pod, const std::string& node = "n1") {
    std::vector<std::string> chosen;
    const auto decision = decide(pod, node);
    if (!decision) return {"no"};
    for (const auto& [volume, claim] : decision->bindings) chosen.push_back(claim->name + "=" + volume->name);
    for (const auto& claim : decision->provisions) chosen.push_back(claim->name + "@");
    return chosen;
  }
};

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ---- Before any node is examined.

TEST(VolumeBinding, SkipsAPodWithoutClaims) {
  Lab lab;
  EXPECT_EQ(lab.pre_filter(PodObject("p").gce("d")).code, Code::Skip);
  EXPECT_THAT(lab.choice(PodObject("p")), IsEmpty());
}

TEST(VolumeBinding, AClaimThatCannotBeUsedIsUnresolvable) {
  Lab lab;
  lab.have(ClaimObject("lost").bound_to("pv").phase("Lost"), ClaimObject("going").terminating());
  lab.have(ClaimObject("p-strange").owned_by("another-uid"));
  const std::vector<std::pair<PodObject, std::string>> cases = {
      {PodObject("p").claim("c"), "persistentvolumeclaim \"c\" not found"},
      {PodObject("p").ephemeral("e"),
       "waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-e\""},
      {PodObject("p").claim("lost"), "persistentvolumeclaim \"lost\" bound to non-existent persistentvolume \"pv\""},
      {PodObject("p").claim("going"), "persistentvolumeclaim \"going\" is being deleted"},
      {PodObject("p").ephemeral("strange"), "PVC shop/p-strange was not created for pod shop/p (pod is not owner)"},
  };
  for (const auto& [pod, reason] : cases) EXPECT_EQ(lab.pre_filter(pod), unresolvable(reason));
}

TEST(VolumeBinding, ClaimsThatTheSchedulerDoesNotBindMustAlreadyBeBound) {
  Lab lab;
  const PluginResult unbound = unresolvable("pod has unbound immediate PersistentVolumeClaims");
  lab.have(ClaimObject("now").of_class("now"), ClaimObject("lonely").no_class(), ClaimObject("stray").of_class("none"));
  ClaimObject named("named");
  named.mutable_spec()->set_volume_name("pv");  // set by its user; not bound yet
  lab.have(named);
  for (const char* claim : {"now", "lonely", "stray", "named"}) {
    EXPECT_EQ(lab.pre_filter(PodObject("p").claim(claim)), unbound) << claim;
  }
  ClaimObject unnamed("unnamed");
  unnamed.annotate({{std::string(cluster::kBindCompleted), "yes"}});
  lab.have(unnamed);
  EXPECT_EQ(lab.pre_filter(PodObject("p").claim("unnamed")), kFits)
      << "bind-completed without a volume: the claim still waits for a node";
}

TEST(VolumeBinding, AClassWithoutVolumeBindingModeIsAnError) {
  Lab lab;
  lab.have(ClassObject("silent").no_mode(), ClaimObject("c").of_class("silent"));
  EXPECT_EQ(lab.pre_filter(PodObject("p").claim("c")), error("VolumeBindingMode not set for StorageClass \"silent\""));
}

// ---- Bound claims.

TEST(VolumeBinding, ABoundVolumeMustExistAndBeReachableFromTheNode) {
  Lab lab;
  lab.have(ClaimObject("c").bound_to("pv"));
  const PodObject pod = PodObject("p").claim("c");
  EXPECT_EQ(lab.ask(pod, "n1"), unresolvable(kGone));
  lab.have(VolumeObject("pv"));
  EXPECT_EQ(lab.ask(pod, "n1"), kFits);
  lab.have(VolumeObject("pv").only_on("zone", {"west"}));
  EXPECT_EQ(lab.ask(pod, "n1"), unresolvable(kElsewhere));
  EXPECT_EQ(lab.ask(pod, "n2"), kFits);
  EXPECT_THAT(lab.choice(pod, "n2"), IsEmpty()) << "there is nothing to bind";
}

TEST(VolumeBinding, TheClaimOfAnEphemeralVolumeIsFoundByTheNamesOfPodAndVolume) {
  Lab lab;
  lab.have(ClaimObject("p-e").owned_by("uid-p").bound_to("pv"), VolumeObject("pv").only_on("zone", {"west"}));
  EXPECT_EQ(lab.ask(PodObject("p").ephemeral("e"), "n1"), unresolvable(kElsewhere));
  EXPECT_EQ(lab.ask(PodObject("p").ephemeral("e"), "n2"), kFits);
}

TEST(VolumeBinding, OnNodesWithAMigratedPluginTheZoneLabelOfTheDriverCounts) {
  Lab lab;
  lab.have(ClaimObject("c").bound_to("pv"),
           VolumeObject("pv").ebs("vol-1").only_on("topology.kubernetes.io/zone", {"z"}));
  lab.node("plain", {{"topology.kubernetes.io/zone", "z"}});
  lab.node("csi", {{"topology.ebs.csi.aws.com/zone", "z"}});
  const PodObject pod = PodObject("p").claim("c");
  EXPECT_EQ(lab.ask(pod, "plain"), kFits);
  EXPECT_EQ(lab.ask(pod, "csi"), unresolvable(kElsewhere));
  for (const char* name : {"plain", "csi"}) lab.have(CsiNodeObject(name).migrated("kubernetes.io/aws-ebs"));
  EXPECT_EQ(lab.ask(pod, "plain"), unresolvable(kElsewhere));
  EXPECT_EQ(lab.ask(pod, "csi"), kFits);
  lab.have(VolumeObject("pv").ebs("aws://nonsense"));
  EXPECT_EQ(lab.ask(pod, "csi").code, Code::Error);
}

// ---- Claims that wait for a node: existing volumes.

TEST(VolumeBinding, TheSmallestMatchingVolumeIsChosen) {
  Lab lab;
  lab.have(ClaimObject("c", "5Gi"));
  const PodObject pod = PodObject("p").claim("c");
  EXPECT_EQ(lab.ask(pod, "n1"), unresolvable(kNothingToBind));
  lab.have(VolumeObject("tiny", "4Gi"), VolumeObject("large", "20Gi"), VolumeObject("right", "6Gi"));
  EXPECT_EQ(lab.ask(pod, "n1"), kFits);
  EXPECT_THAT(lab.choice(pod), ElementsAre("c=right"));
}

TEST(VolumeBinding, AVolumeMustMatchAllRequirementsOfTheClaim) {
  const std::vector<std::pair<const char*, VolumeObject>> unsuitable = {
      {"another class", VolumeObject("pv").of_class("made")},
      {"too small", VolumeObject("pv", "4Gi")},
      {"another mode", VolumeObject("pv").block()},
      {"other access modes", VolumeObject("pv").modes({"ReadOnlyMany"})},
      {"not available", VolumeObject("pv").phase("Released")},
      {"terminating", VolumeObject("pv").terminating()},
      {"prebound to another claim", VolumeObject("pv").prebound("shop", "d")},
      {"prebound to a deleted claim of the same name", VolumeObject("pv").prebound("shop", "c", "uid-before")},
      {"other labels", VolumeObject("pv").labels({{"tier", "tin"}})},
      {"not reachable from the node", VolumeObject("pv").labels({{"tier", "gold"}}).only_on("zone", {"west"})},
      {"on another host", VolumeObject("pv").labels({{"tier", "gold"}}).only_on("kubernetes.io/hostname", {"n2"})},
  };
  const PodObject pod = PodObject("p").claim("c");
  for (auto [what, volume] : unsuitable) {
    Lab lab;
    lab.have(ClaimObject("c").select({{"tier", "gold"}}), volume);
    if (!volume.wire.metadata().labels().contains("tier")) lab.have(volume.labels({{"tier", "gold"}}));
    EXPECT_EQ(lab.ask(pod, "n1"), unresolvable(kNothingToBind)) << what;
  }
  Lab lab;
  lab.have(ClaimObject("c").select({{"tier", "gold"}}), VolumeObject("pv").labels({{"tier", "gold"}}));
  EXPECT_EQ(lab.ask(pod, "n1"), kFits);
  VolumeObject with_attributes("pv");
  with_attributes.mutable_spec()->set_volume_attributes_class_name("fast");
  lab.have(with_attributes.labels({{"tier", "gold"}}));
  EXPECT_EQ(lab.ask(pod, "n1"), unresolvable(kNothingToBind)) << "another VolumeAttributesClass";
}

TEST(VolumeBinding, AVolumePreboundToTheClaimIsTheOnlyChoiceUnlessItIsTooSmall) {
  Lab lab;
  lab.have(ClaimObject("c", "5Gi"), VolumeObject("small", "6Gi"));
  lab.have(VolumeObject("mine", "20Gi").prebound("shop", "c").phase("Bound").only_on("zone", {"west"}));
  EXPECT_THAT(lab.choice(PodObject("p").claim("c"), "n2"), ElementsAre("c=mine"))
      << "although its phase is Bound and a smaller volume exists";
  EXPECT_EQ(lab.ask(PodObject("p").claim("c"), "n1"), unresolvable(kNothingToBind));
  lab.have(VolumeObject("mine", "4Gi").prebound("shop", "c"));
  EXPECT_THAT(lab.choice(PodObject("p").claim("c"), "n1"), ElementsAre("c=small"))
      << "the prebound volume is too small";
}

TEST(VolumeBinding, SmallerClaimsAreMatchedFirstAndNoVolumeIsChosenTwice) {
  Lab lab;
  lab.have(ClaimObject("big", "8Gi"), ClaimObject("small", "2Gi"), VolumeObject("ten", "10Gi"));
  const PodObject pod = PodObject("p").claim("big").claim("small");
  EXPECT_EQ(lab.ask(pod, "n1"), unresolvable(kNothingToBind));
  lab.have(VolumeObject("nine", "9Gi"));
  EXPECT_THAT(lab.choice(pod), ElementsAre("small=nine", "big=ten"));
}

TEST(VolumeBinding, AClaimThatAPodUsesTwiceIsBoundOnce) {
  Lab lab;
  lab.have(ClaimObject("c"), VolumeObject("pv"));
  EXPECT_THAT(lab.choice(PodObject("p").claim("c").claim("c")), ElementsAre("c=pv"));
}

TEST(VolumeBinding, AVolumeAssumedForAnotherClaimIsNotAvailable) {
  Lab lab;
  lab.have(ClaimObject("a"), ClaimObject("b"), VolumeObject("pv"));
  auto& volumes = lab.cluster.volumes();
  ASSERT_TRUE(volumes.assume_binding(*volumes.volume("pv"), *volumes.claim("shop", "a")));
  EXPECT_EQ(lab.ask(PodObject("p").claim("b"), "n1"), unresolvable(kNothingToBind));
  EXPECT_THAT(lab.choice(PodObject("p").claim("a")), ElementsAre("a=pv"));
  volumes.revert(*volumes.volume("pv"));
  EXPECT_EQ(lab.ask(PodObject("p").claim("b"), "n1"), kFits);
}

// Looking up volumes by host is only a faster way to the same result.
RC_GTEST_PROP(VolumeBinding, TheChoiceIsTheSmallestSufficientVolumeReachableFromTheNode, ()) {
  Lab lab;
  lab.have(ClaimObject("c", "3Gi"));
  const auto sizes = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 9));
  std::vector<std::tuple<int, std::string>> in_reach;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    VolumeObject volume("v" + std::to_string(i), std::to_string(sizes[i]) + "Gi");
    const int where = *rc::gen::inRange(0, 5);
    if (where == 1) volume.only_on("kubernetes.io/hostname", {"n1", "n2"});
    if (where == 2) volume.only_on("kubernetes.io/hostname", {"n2"});
    if (where == 3) volume.only_on("zone", {"east"});
    if (where == 4) volume.only_on("zone", {"west"});
    lab.have(volume);
    if (sizes[i] >= 3 && (where == 0 || where == 1 || where == 3))
      in_reach.emplace_back(sizes[i], volume.wire.metadata().name());
  }
  std::vector<std::string> expected{"no"};
  if (!in_reach.empty()) expected = {"c=" + std::get<1>(*std::ranges::min_element(in_reach))};
  RC_ASSERT(lab.choice(PodObject("p").claim("c")) == expected);
}

// ---- Claims that wait for a node: volumes to provision.

TEST(VolumeBinding, AVolumeIsProvisionedOnlyInTheAllowedTopologiesOfItsClass) {
  Lab lab;
  lab.have(ClaimObject("c").of_class("made"));
  const PodObject pod = PodObject("p").claim("c");
  EXPECT_THAT(lab.choice(pod, "n1"), ElementsAre("c@"));
  lab.have(ClassObject("made").allow("zone", {"west", "south"}).allow("rack", {"7"}));
  EXPECT_EQ(lab.ask(pod, "n1"), unresolvable(kNothingToBind));
  EXPECT_EQ(lab.ask(pod, "n2"), kFits);
  ClassObject restricted("made");
  restricted.allow("zone", {"west"});
  auto& also = *restricted.wire.mutable_allowed_topologies(0)->add_match_label_expressions();
  also.set_key("rack");
  also.add_values("7");
  lab.have(restricted);
  EXPECT_EQ(lab.ask(pod, "n2"), unresolvable(kNothingToBind)) << "all keys of a term must match";
  ClassObject empty("made");
  empty.wire.add_allowed_topologies();
  lab.have(empty);
  EXPECT_EQ(lab.ask(pod, "n2"), unresolvable(kNothingToBind)) << "an empty term matches no node";
}

TEST(VolumeBinding, TheNodeMustHaveEnoughCapacityIfTheDriverTracksCapacity) {
  Lab lab;
  lab.have(ClaimObject("c", "5Gi").of_class("made"));
  const PodObject pod = PodObject("p").claim("c");
  lab.have(DriverObject("disks.example.com", false));
  EXPECT_EQ(lab.ask(pod, "n1"), kFits);
  lab.have(DriverObject("disks.example.com", true));
  EXPECT_EQ(lab.ask(pod, "n1"), unresolvable(kNoRoom));
  lab.have(CapacityObject("x", "made").left("5Gi").reachable_from({{"zone", "east"}}));
  EXPECT_EQ(lab.ask(pod, "n1"), kFits);
  EXPECT_EQ(lab.ask(pod, "n2"), unresolvable(kNoRoom));
  lab.have(ClaimObject("d", "5Gi").of_class("made"));
  EXPECT_EQ(lab.ask(PodObject("p").claim("c").claim("d"), "n1"), kFits)
      << "the capacity is checked for each claim separately";
  ClaimObject sizeless("s");
  sizeless.of_class("made").mutable_spec()->clear_resources();
  lab.have(sizeless);
  EXPECT_EQ(lab.ask(PodObject("p").claim("s"), "n2"), kFits);
}

TEST(VolumeBinding, AClaimWithASelectedNodeIsProvisionedOnlyOnTheSelectedNode) {
  Lab lab;
  lab.have(ClaimObject("c").of_class("made").placed_on("n1"), VolumeObject("pv").of_class("made"));
  const PodObject pod = PodObject("p").claim("c");
  EXPECT_EQ(lab.ask(pod, "n2"), unresolvable(kNothingToBind));
  EXPECT_THAT(lab.choice(pod, "n1"), ElementsAre("c@")) << "although an existing volume matches";
}

TEST(VolumeBinding, SomeClaimsAreBoundToExistingVolumesAndOthersAreProvisioned) {
  Lab lab;
  lab.have(ClaimObject("a").of_class("made"), ClaimObject("b").of_class("made"), VolumeObject("pv").of_class("made"));
  EXPECT_THAT(lab.choice(PodObject("p").claim("a").claim("b")), ElementsAre("a=pv", "b@"));
}

TEST(VolumeBinding, ReportsAllReasonsForANode) {
  Lab lab;
  lab.have(ClaimObject("far").bound_to("pv"), VolumeObject("pv").only_on("zone", {"west"}), ClaimObject("c"));
  EXPECT_EQ(lab.ask(PodObject("p").claim("far").claim("c"), "n1"),
            (PluginResult{Code::UnschedulableAndUnresolvable, {kElsewhere, kNothingToBind}}));
  lab.have(ClaimObject("lost").bound_to("gone"));
  EXPECT_EQ(lab.ask(PodObject("p").claim("lost").claim("c"), "n1"),
            (PluginResult{Code::UnschedulableAndUnresolvable, {kNothingToBind, kGone}}));
}

TEST(VolumeBinding, DoesNotScore) {
  Lab lab;
  const PodObject pod = PodObject("p");
  const auto compiled_spec = lab.cluster.compiled_spec_of(pod);
  CycleState state(1);
  EXPECT_EQ(lab.plugin().pre_score(make_pod_context(lab.cluster, pod.wire, *compiled_spec), state, {}).code,
            Code::Skip);
}

TEST(VolumeBinding, TakesTheBindTimeoutFromItsArguments) {
  const PluginArgs args = VolumeBindingArgs{std::chrono::seconds{7}};
  const auto plugin = make_volume_binding(&args);
  EXPECT_EQ(static_cast<const VolumeBinding&>(*plugin).bind_timeout(), std::chrono::seconds{7});
}

}  // namespace
}  // namespace rescheduler::placement
