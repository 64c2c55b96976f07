#include "placement/plugins/node_volume_limits.h"

#include "placement/plugins/volume_testing.h"

namespace rescheduler::placement {
namespace {

using namespace placement::testing;

const PluginResult kTooMany = refused("node(s) exceed max volume count");
constexpr const char* kDriver = "disks.example.com";

struct Lab : StorageLab {
  Lab() : StorageLab(make_node_volume_limits(nullptr)) {
    node("n1");
    have(ClassObject("wait", kDriver));
  }
  // A claim bound to a volume of the driver.
  void disk(const std::string& name, const std::string& driver = kDriver) {
    have(ClaimObject(name).bound_to("pv-" + name), VolumeObject("pv-" + name).csi(driver, "handle-" + name));
  }
};

TEST(NodeVolumeLimits, SkipsAPodWithoutAttachableVolumes) {
  Lab lab;
  EXPECT_EQ(lab.pre_filter(PodObject("p")).code, Code::Skip);
  EXPECT_EQ(lab.pre_filter(PodObject("p").iscsi("q")).code, Code::Skip);
  EXPECT_EQ(lab.pre_filter(PodObject("p").ephemeral("e")).code, Code::Success);
  EXPECT_EQ(lab.pre_filter(PodObject("p").gce("d")).code, Code::Success);
}

TEST(NodeVolumeLimits, CountsTheVolumesOnTheNodeAndTheNewVolumesOfThePod) {
  Lab lab;
  for (const char* name : {"a", "b", "c", "d"}) lab.disk(name);
  lab.place(PodObject("p").claim("a").claim("b"), "n1");
  const PodObject two = PodObject("q").claim("c").claim("d");
  EXPECT_EQ(lab.ask(two, "n1"), kFits) << "no CSINode, no limit";
  lab.have(CsiNodeObject("n1").driver(kDriver));
  EXPECT_EQ(lab.ask(two, "n1"), kFits) << "no count, no limit";
  lab.have(CsiNodeObject("n1").driver(kDriver, 4));
  EXPECT_EQ(lab.ask(two, "n1"), kFits);
  lab.have(CsiNodeObject("n1").driver(kDriver, 3).driver("other.example.com", 100));
  EXPECT_EQ(lab.ask(two, "n1"), kTooMany);
  EXPECT_EQ(lab.ask(PodObject("q").claim("c"), "n1"), kFits);
}

TEST(NodeVolumeLimits, AVolumeThatIsAlreadyOnTheNodeIsNotCountedAgain) {
  Lab lab;
  lab.disk("a");
  lab.disk("b");
  lab.have(CsiNodeObject("n1").driver(kDriver, 1));
  lab.place(PodObject("p").claim("a"), "n1");
  lab.place(PodObject("q").claim("a"), "n1");
  EXPECT_EQ(lab.ask(PodObject("r").claim("a"), "n1"), kFits);
  EXPECT_EQ(lab.ask(PodObject("r").claim("b"), "n1"), kTooMany);
  // The same volume twice in one pod counts once.
  PodObject twice("s");
  twice.claim("b").claim("b");
  lab.have(CsiNodeObject("n1").driver(kDriver, 2));
  EXPECT_EQ(lab.ask(twice, "n1"), kFits);
}

TEST(NodeVolumeLimits, EachDriverHasItsOwnLimit) {
  Lab lab;
  lab.disk("a");
  lab.disk("b", "other.example.com");
  lab.have(CsiNodeObject("n1").driver(kDriver, 0).driver("other.example.com", 1));
  EXPECT_EQ(lab.ask(PodObject("p").claim("a"), "n1"), kTooMany);
  EXPECT_EQ(lab.ask(PodObject("p").claim("b"), "n1"), kFits);
  EXPECT_EQ(lab.ask(PodObject("p").claim("b").claim("a"), "n1"), kTooMany);
}

TEST(NodeVolumeLimits, AClaimWithoutAVolumeCountsForItsProvisioner) {
  Lab lab;
  lab.have(ClaimObject("a"), ClaimObject("b"), ClaimObject("lonely").no_class(), ClaimObject("stray").of_class("none"));
  lab.have(ClaimObject("gone").bound_to("no-such-volume"));
  lab.have(CsiNodeObject("n1").driver(kDriver, 1));
  EXPECT_EQ(lab.ask(PodObject("p").claim("a"), "n1"), kFits);
  EXPECT_EQ(lab.ask(PodObject("p").claim("a").claim("b"), "n1"), kTooMany);
  EXPECT_EQ(lab.ask(PodObject("p").claim("a").claim("gone"), "n1"), kTooMany);
  EXPECT_EQ(lab.ask(PodObject("p").claim("a").claim("lonely").claim("stray"), "n1"), kFits);
  lab.place(PodObject("q").claim("a"), "n1");
  EXPECT_EQ(lab.ask(PodObject("p").claim("a"), "n1"), kFits) << "one claim counts as one volume";
  EXPECT_EQ(lab.ask(PodObject("p").claim("b"), "n1"), kTooMany);
}

TEST(NodeVolumeLimits, VolumesOfInTreePluginsCountForTheirCsiDriver) {
  Lab lab;
  lab.have(ClassObject("old", "kubernetes.io/aws-ebs"), ClassObject("file", "kubernetes.io/azure-file"));
  lab.have(ClaimObject("unbound").of_class("old"), ClaimObject("shared").of_class("file"));
  lab.have(ClaimObject("bound").bound_to("pv"), VolumeObject("pv").ebs("aws://z/vol-1"));
  lab.have(CsiNodeObject("n1").driver("ebs.csi.aws.com", 0).driver("file.csi.azure.com", 0));
  EXPECT_EQ(lab.ask(PodObject("p").claim("unbound"), "n1"), kTooMany);
  EXPECT_EQ(lab.ask(PodObject("p").claim("bound"), "n1"), kTooMany);
  EXPECT_EQ(lab.ask(PodObject("p").ebs("vol-1"), "n1"), kTooMany);
  EXPECT_EQ(lab.ask(PodObject("p").claim("shared"), "n1"), kFits) << "Azure File volumes are never counted";
  lab.have(CsiNodeObject("n1").driver("ebs.csi.aws.com", 1));
  EXPECT_EQ(lab.ask(PodObject("p").claim("bound").ebs("vol-1"), "n1"), kFits)
      << "the claim and the inline volume are the same volume";
}

TEST(NodeVolumeLimits, AttachedVolumesCountEvenIfNoPodUsesThem) {
  Lab lab;
  for (const char* name : {"a", "b", "c"}) lab.disk(name);
  lab.have(CsiNodeObject("n1").driver(kDriver, 2));
  lab.place(PodObject("p").claim("a"), "n1");
  lab.have(AttachmentObject("x", kDriver, "pv-a", "n1"));
  EXPECT_EQ(lab.ask(PodObject("q").claim("c"), "n1"), kFits) << "a volume that is used and attached counts once";
  lab.have(AttachmentObject("y", kDriver, "pv-b", "n1"), AttachmentObject("z", kDriver, "pv-none", "n1"));
  EXPECT_EQ(lab.ask(PodObject("q").claim("c"), "n1"), kTooMany);
  lab.cluster.volumes().remove_attachment("y");
  EXPECT_EQ(lab.ask(PodObject("q").claim("c"), "n1"), kFits);
}

TEST(NodeVolumeLimits, UsesThePodsOfTheGivenNodeInfo) {
  Lab lab;
  lab.disk("a");
  lab.disk("b");
  lab.have(CsiNodeObject("n1").driver(kDriver, 1));
  lab.place(PodObject("p").claim("a"), "n1");
  const auto without = [&](const PodContext& context, CycleState&, cluster::NodeInfo& node) {
    const auto index = node.pods.at(0);
    node.remove_pod(index, *context.cluster.pod(index).compiled_spec);
  };
  EXPECT_EQ(lab.ask(PodObject("q").claim("b"), "n1"), kTooMany);
  EXPECT_EQ(lab.ask(PodObject("q").claim("b"), "n1", without), kFits);
  lab.node("n2");
  lab.have(CsiNodeObject("n2").driver(kDriver, 1));
  const auto hypothetical_pod = std::make_shared<cluster::AssignedPod>(lab.cluster.pod(*lab.cluster.find_pod("uid-p")));
  const auto with = [&](const PodContext&, CycleState&, cluster::NodeInfo& node) { node.add_pod(hypothetical_pod); };
  EXPECT_EQ(lab.ask(PodObject("q").claim("b"), "n2", with), kTooMany);
}

TEST(NodeVolumeLimits, AMissingClaimIsUnresolvable) {
  Lab lab;
  EXPECT_EQ(lab.ask(PodObject("p").claim("c"), "n1"),
            unresolvable("looking up PVC shop/c: persistentvolumeclaim \"c\" not found"));
  EXPECT_EQ(lab.ask(PodObject("p").ephemeral("e"), "n1"),
            unresolvable("looking up PVC shop/p-e: persistentvolumeclaim \"p-e\" not found"));
}

TEST(NodeVolumeLimits, AVolumeThatCannotBeIdentifiedIsAnError) {
  Lab lab;
  lab.have(ClaimObject("p-e").owned_by("another-uid"));
  EXPECT_EQ(lab.ask(PodObject("p").ephemeral("e"), "n1"),
            error("PVC shop/p-e was not created for pod shop/p (pod is not owner)"));
  EXPECT_EQ(lab.ask(PodObject("p").claim(""), "n1").code, Code::Error);
  EXPECT_EQ(lab.ask(PodObject("p").ebs("aws://nonsense"), "n1"), kFits)
      << "the node has no CSINode, so nothing is counted";
  lab.have(CsiNodeObject("n1"));
  EXPECT_EQ(lab.ask(PodObject("p").ebs("aws://nonsense"), "n1").code, Code::Error);
}

TEST(NodeVolumeLimits, InvalidVolumesOfExistingPodsAreNotCounted) {
  Lab lab;
  lab.disk("a");
  lab.have(ClaimObject("p-e").owned_by("another-uid"));
  lab.have(CsiNodeObject("n1").driver(kDriver, 1).driver("ebs.csi.aws.com", 1));
  lab.place(PodObject("p").ephemeral("e").claim("missing").ebs("aws://nonsense"), "n1");
  EXPECT_EQ(lab.ask(PodObject("q").claim("a"), "n1"), kFits);
}

}  // namespace
}  // namespace rescheduler::placement
