#include "placement/plugins/volume_restrictions.h"

#include "placement/plugins/volume_testing.h"

namespace rescheduler::placement {
namespace {

using namespace placement::testing;

const PluginResult kDisk = refused("node(s) had no available disk");
const PluginResult kInUse = refused(
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod");
const PluginResult kSkip{Code::Skip, {}};

struct Lab : StorageLab {
  Lab() : StorageLab(make_volume_restrictions(nullptr)) {
    node("n1");
    node("n2");
  }
};

TEST(VolumeRestrictions, AnInlineDiskInUseOnTheNodeIsRejectedUnlessBothPodsOnlyRead) {
  struct Case {
    const char* what;
    PodObject there, wanted;
    PluginResult expected;
  };
  const std::vector<Case> cases = {
      {"a GCE disk for writing", PodObject("a").gce("d"), PodObject("b").gce("d"), kDisk},
      {"a GCE disk, one reads", PodObject("a").gce("d", true), PodObject("b").gce("d"), kDisk},
      {"a GCE disk, both read", PodObject("a").gce("d", true), PodObject("b").gce("d", true), kFits},
      {"another GCE disk", PodObject("a").gce("d"), PodObject("b").gce("e"), kFits},
      {"an EBS volume", PodObject("a").ebs("v"), PodObject("b").ebs("v"), kDisk},
      {"disks of two kinds with the same name", PodObject("a").ebs("d"), PodObject("b").gce("d"), kFits},
      {"an iSCSI target", PodObject("a").iscsi("q"), PodObject("b").iscsi("q", true), kDisk},
      {"an iSCSI target, both read", PodObject("a").iscsi("q", true), PodObject("b").iscsi("q", true), kFits},
      {"an RBD image", PodObject("a").rbd({"m1", "m2"}, "p", "i"), PodObject("b").rbd({"m2"}, "p", "i"), kDisk},
      {"an RBD image of other monitors", PodObject("a").rbd({"m1"}, "p", "i"), PodObject("b").rbd({"m2"}, "p", "i"),
       kFits},
      {"an RBD image of another pool", PodObject("a").rbd({"m"}, "p", "i"), PodObject("b").rbd({"m"}, "q", "i"), kFits},
      {"an RBD image, both read", PodObject("a").rbd({"m"}, "p", "i", true), PodObject("b").rbd({"m"}, "p", "i", true),
       kFits},
  };
  for (const Case& c : cases) {
    Lab lab;
    lab.place(c.there, "n1");
    EXPECT_EQ(lab.ask(c.wanted, "n1"), c.expected) << c.what;
    EXPECT_EQ(lab.ask(c.wanted, "n2"), kFits) << c.what;
  }
}

TEST(VolumeRestrictions, AnEbsVolumeIsNotSharedEvenForReading) {
  Lab lab;
  PodObject there("a"), wanted("b");
  for (PodObject* pod : {&there, &wanted}) {
    auto& disk = *pod->volume("v").mutable_aws_elastic_block_store();
    disk.set_volume_id("v");
    disk.set_read_only(true);
  }
  lab.place(there, "n1");
  EXPECT_EQ(lab.ask(wanted, "n1"), kDisk);
}

TEST(VolumeRestrictions, UsesThePodsOfTheGivenNodeInfo) {
  Lab lab;
  lab.place(PodObject("a").gce("d"), "n1");
  const auto without = [&](const PodContext& context, CycleState&, cluster::NodeInfo& node) {
    const auto index = node.pods.at(0);
    node.remove_pod(index, *context.cluster.pod(index).compiled_spec);
  };
  EXPECT_EQ(lab.ask(PodObject("b").gce("d"), "n1", without), kFits);
  const auto hypothetical_pod = std::make_shared<cluster::AssignedPod>(lab.cluster.pod(*lab.cluster.find_pod("uid-a")));
  const auto with = [&](const PodContext&, CycleState&, cluster::NodeInfo& node) { node.add_pod(hypothetical_pod); };
  EXPECT_EQ(lab.ask(PodObject("b").gce("d"), "n2", with), kDisk);
}

TEST(VolumeRestrictions, SkipsAPodWithoutRestrictedVolumes) {
  Lab lab;
  lab.have(ClaimObject("c"));
  EXPECT_EQ(lab.pre_filter(PodObject("p")), kSkip);
  EXPECT_EQ(lab.pre_filter(PodObject("p").claim("c")), kSkip);
  EXPECT_EQ(lab.pre_filter(PodObject("p").ephemeral("scratch")), kSkip) << "even if the claim does not exist";
}

TEST(VolumeRestrictions, AMissingClaimIsUnresolvable) {
  Lab lab;
  EXPECT_EQ(lab.pre_filter(PodObject("p").claim("c")), unresolvable("persistentvolumeclaim \"c\" not found"));
}

TEST(VolumeRestrictions, AReadWriteOncePodClaimIsRejectedForASecondPodOnEveryNode) {
  Lab lab;
  lab.have(ClaimObject("c").modes({"ReadWriteOncePod"}), ClaimObject("c").in("other").modes({"ReadWriteOncePod"}));
  const PodObject wanted = PodObject("b").claim("c");
  EXPECT_EQ(lab.pre_filter(wanted), kSkip);
  lab.place(PodObject("a", "other").claim("c"), "n1");
  EXPECT_EQ(lab.pre_filter(wanted), kSkip) << "another claim of the same name in another namespace";
  lab.place(PodObject("c").claim("c"), "n1");
  EXPECT_EQ(lab.ask(wanted, "n1"), kInUse);
  EXPECT_EQ(lab.ask(wanted, "n2"), kInUse);
  lab.cluster.remove_pod("uid-c");
  EXPECT_EQ(lab.pre_filter(wanted), kSkip);
}

TEST(VolumeRestrictions, RemovingThePodThatUsesAReadWriteOncePodClaimHelps) {
  Lab lab;
  lab.have(ClaimObject("c").modes({"ReadWriteOncePod"}), ClaimObject("c").in("other"));
  lab.place(PodObject("a").claim("c"), "n1");
  lab.place(PodObject("x", "other").claim("c"), "n1");
  const auto& holder = lab.cluster.pod(*lab.cluster.find_pod("uid-a"));
  const auto& stranger = lab.cluster.pod(*lab.cluster.find_pod("uid-x"));
  const PodObject wanted = PodObject("b").claim("c");
  EXPECT_EQ(lab.ask(wanted, "n2",
                    [&](const PodContext& context, CycleState& state, cluster::NodeInfo& node) {
                      lab.plugin().remove_pod(context, state, stranger, node);
                    }),
            kInUse);
  EXPECT_EQ(lab.ask(wanted, "n2",
                    [&](const PodContext& context, CycleState& state, cluster::NodeInfo& node) {
                      lab.plugin().remove_pod(context, state, holder, node);
                    }),
            kFits);
  EXPECT_EQ(lab.ask(wanted, "n2",
                    [&](const PodContext& context, CycleState& state, cluster::NodeInfo& node) {
                      CycleState copy = state.clone();
                      lab.plugin().remove_pod(context, copy, holder, node);
                    }),
            kInUse)
      << "a change of a cloned state does not affect the original";
}

}  // namespace
}  // namespace rescheduler::placement
