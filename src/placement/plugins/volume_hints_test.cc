// Which events wake a pod that a volume plugin has rejected, and which do not.
#include "placement/plugins/node_volume_limits.h"
#include "placement/plugins/volume_binding.h"
#include "placement/plugins/volume_restrictions.h"
#include "placement/plugins/volume_testing.h"
#include "placement/plugins/volume_zone.h"

namespace rescheduler::placement {
namespace {

using namespace placement::testing;

const PodObject kPod = PodObject("p").claim("c").ephemeral("e");
constexpr QueueingHint kQueue = QueueingHint::Queue;
constexpr QueueingHint kSkip = QueueingHint::Skip;

struct Lab : StorageLab {
  explicit Lab(std::unique_ptr<Plugin> plugin) : StorageLab(std::move(plugin)) { node("n1"); }
  template <class Object>
  QueueingHint after(const Object& object) {
    return hint(kPod, cluster.volumes().upsert(object));
  }
  QueueingHint after_pod(const PodObject& gone, const PodObject& waiting) {
    place(gone, "n1");
    return hint(waiting, cluster.remove_pod(gone.wire.metadata().uid()));
  }
  QueueingHint after_new_node() {
    api::Node object;
    object.mutable_metadata()->set_name("fresh");
    return hint(kPod, cluster.upsert_node(object));
  }
  QueueingHint after_label() {
    api::Node object;
    object.mutable_metadata()->set_name("n1");
    (*object.mutable_metadata()->mutable_labels())["zone"] = "east";
    return hint(kPod, cluster.upsert_node(object));
  }
};

TEST(VolumeHints, VolumeRestrictionsWakesAPodForItsClaimsReleasedDisksAndNewNodes) {
  Lab lab(make_volume_restrictions(nullptr));
  EXPECT_EQ(lab.after(ClaimObject("c")), kQueue);
  EXPECT_EQ(lab.after(ClaimObject("c").phase("Lost")), kSkip) << "only a new claim wakes the pod";
  EXPECT_EQ(lab.after(ClaimObject("d")), kSkip);
  EXPECT_EQ(lab.after(ClaimObject("p-e")), kSkip);
  EXPECT_EQ(lab.after(ClaimObject("c").in("other")), kSkip);
  EXPECT_EQ(lab.after_new_node(), kQueue);
  EXPECT_EQ(lab.after_label(), kSkip);
  EXPECT_EQ(lab.after(VolumeObject("pv")), kSkip);
  EXPECT_EQ(lab.after_pod(PodObject("x").claim("c"), kPod), kQueue);
  EXPECT_EQ(lab.after_pod(PodObject("x").claim("d"), kPod), kSkip);
  EXPECT_EQ(lab.after_pod(PodObject("x", "other").claim("c"), kPod), kSkip);
  EXPECT_EQ(lab.after_pod(PodObject("x").gce("disk"), PodObject("q").gce("disk")), kQueue);
  EXPECT_EQ(lab.after_pod(PodObject("x").gce("disk", true), PodObject("q").gce("disk", true)), kSkip);
  EXPECT_EQ(lab.after_pod(PodObject("x").ephemeral("e"), PodObject("q").ephemeral("e")), kSkip);
}

TEST(VolumeHints, NodeVolumeLimitsWakesAPodForHigherLimitsItsClaimsAndReleasedVolumes) {
  Lab lab(make_node_volume_limits(nullptr));
  EXPECT_EQ(lab.after(CsiNodeObject("n1").driver("d", 3)), kQueue);
  EXPECT_EQ(lab.after(CsiNodeObject("n1").driver("d", 2)), kSkip);
  EXPECT_EQ(lab.after(CsiNodeObject("n1").driver("d", 3)), kQueue);
  EXPECT_EQ(lab.after(ClaimObject("c")), kQueue);
  EXPECT_EQ(lab.after(ClaimObject("p-e")), kQueue);
  EXPECT_EQ(lab.after(ClaimObject("d")), kSkip);
  EXPECT_EQ(lab.after_pod(PodObject("x", "other").claim("d"), kPod), kQueue);
  EXPECT_EQ(lab.after_pod(PodObject("x").gce("d"), kPod), kQueue);
  EXPECT_EQ(lab.after_pod(PodObject("x"), kPod), kSkip);
  EXPECT_EQ(lab.after(AttachmentObject("a", "ebs.csi.aws.com", "pv", "n1")), kSkip);
  EXPECT_EQ(lab.hint(kPod, lab.cluster.volumes().remove_attachment("a")), kQueue);
  lab.have(AttachmentObject("a", "ebs.csi.aws.com", "pv", "n1"));
  const auto gone = lab.cluster.volumes().remove_attachment("a");
  EXPECT_EQ(lab.hint(PodObject("q").ebs("vol-1"), gone), kQueue);
  EXPECT_EQ(lab.hint(PodObject("q").gce("disk"), gone), kSkip);
  EXPECT_EQ(lab.after_new_node(), kSkip);
}

TEST(VolumeHints, VolumeBindingWakesAPodForItsClaimsVolumesClassesNodesAndMoreCapacity) {
  Lab lab(make_volume_binding(nullptr));
  EXPECT_EQ(lab.after(ClassObject("s")), kQueue);
  EXPECT_EQ(lab.after(ClassObject("s", "other.example.com")), kSkip);
  EXPECT_EQ(lab.after(ClassObject("s", "other.example.com").allow("zone", {"a"})), kQueue);
  EXPECT_EQ(lab.after(ClaimObject("c")), kQueue);
  EXPECT_EQ(lab.after(ClaimObject("c").bound_to("pv")), kQueue);
  EXPECT_EQ(lab.after(ClaimObject("p-e")), kQueue);
  EXPECT_EQ(lab.after(ClaimObject("d")), kSkip);
  EXPECT_EQ(lab.after(ClaimObject("c").in("other")), kSkip);
  EXPECT_EQ(lab.after(VolumeObject("pv")), kQueue);
  EXPECT_EQ(lab.after(VolumeObject("pv").phase("Released")), kQueue);
  EXPECT_EQ(lab.after_new_node(), kQueue);
  EXPECT_EQ(lab.after_label(), kQueue);
  EXPECT_EQ(lab.after(CsiNodeObject("n1").driver("d", 3)), kQueue);
  EXPECT_EQ(lab.after(CsiNodeObject("n1").driver("d", 4)), kSkip);
  EXPECT_EQ(lab.after(CsiNodeObject("n1").driver("d", 4).migrated("p")), kQueue);
  EXPECT_EQ(lab.after(DriverObject("d", true)), kSkip);
  EXPECT_EQ(lab.after(DriverObject("d", false)), kQueue);
  EXPECT_EQ(lab.after(DriverObject("d", true)), kSkip);
  EXPECT_EQ(lab.after(CapacityObject("x", "s").left("1Gi")), kQueue);
  EXPECT_EQ(lab.after(CapacityObject("x", "s").left("2Gi")), kQueue);
  EXPECT_EQ(lab.after(CapacityObject("x", "s").left("1Gi")), kSkip);
  EXPECT_EQ(lab.after_pod(PodObject("x").claim("c"), kPod), kSkip);
}

TEST(VolumeHints, VolumeZoneWakesAPodForItsClaimsVolumeTopologyClassesAndNodes) {
  Lab lab(make_volume_zone(nullptr));
  EXPECT_EQ(lab.after(ClassObject("s")), kQueue);
  EXPECT_EQ(lab.after(ClassObject("t").immediate()), kSkip);
  EXPECT_EQ(lab.after(ClaimObject("c")), kQueue);
  EXPECT_EQ(lab.after(ClaimObject("c").bound_to("pv")), kQueue);
  EXPECT_EQ(lab.after(ClaimObject("d")), kSkip);
  EXPECT_EQ(lab.after(VolumeObject("pv")), kQueue);
  EXPECT_EQ(lab.after(VolumeObject("pv").phase("Released")), kSkip);
  EXPECT_EQ(lab.after(VolumeObject("pv").phase("Released").labels({{"topology.kubernetes.io/zone", "a"}})), kQueue);
  EXPECT_EQ(lab.after_new_node(), kQueue);
  EXPECT_EQ(lab.after_label(), kQueue);
}

}  // namespace
}  // namespace rescheduler::placement
