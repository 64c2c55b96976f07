#include "cluster/volumes/volumes.h"

#include <map>

#include <gtest/gtest.h>

#include "cluster/interner.h"
#include "cluster/testing/storage_objects.h"

namespace rescheduler::cluster {
namespace {

using namespace cluster::testing;

struct Store {
  Interner interner;
  Volumes volumes{interner};
  Symbol symbol(std::string_view text) { return interner.symbols.intern(text); }
};

TEST(Volumes, AnUpdateThatDoesNotAffectPlacementReturnsNoEvent) {
  Store store;
  const auto came = store.volumes.upsert(VolumeObject("a"));
  ASSERT_TRUE(came);
  EXPECT_EQ(came->label, "PersistentVolumeAdd");
  EXPECT_EQ(came->name, "a");
  EXPECT_FALSE(store.volumes.upsert(VolumeObject("a").version("101")));
  const auto changed = store.volumes.upsert(VolumeObject("a").version("102").phase("Bound"));
  ASSERT_TRUE(changed);
  EXPECT_TRUE(changed->actions.has(ActionType::Update));
  EXPECT_FALSE(changed->storage.topology_changed);
}

TEST(Volumes, TheEventOfAVolumeWhoseZoneChangesSetsTopologyChanged) {
  Store store;
  store.volumes.upsert(VolumeObject("a").labels({{"topology.kubernetes.io/zone", "z1"}, {"tier", "gold"}}));
  const auto relabelled =
      store.volumes.upsert(VolumeObject("a").labels({{"topology.kubernetes.io/zone", "z1"}, {"tier", "tin"}}));
  ASSERT_TRUE(relabelled);
  EXPECT_FALSE(relabelled->storage.topology_changed);
  const auto moved = store.volumes.upsert(VolumeObject("a").labels({{"topology.kubernetes.io/zone", "z2"}}));
  ASSERT_TRUE(moved);
  EXPECT_TRUE(moved->storage.topology_changed);
}

TEST(Volumes, VolumesAreListedUnderTheirCurrentStorageClass) {
  Store store;
  store.volumes.upsert(VolumeObject("b"));
  store.volumes.upsert(VolumeObject("a"));
  store.volumes.upsert(VolumeObject("b").of_class("other").version("101"));
  const auto waiting = store.volumes.volumes_of(store.symbol("wait"));
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_EQ(waiting[0]->name, "a");
  EXPECT_EQ(store.volumes.volumes_of(store.symbol("other")).size(), 1U);
  store.volumes.remove_volume("b");
  EXPECT_TRUE(store.volumes.volumes_of(store.symbol("other")).empty());
}

TEST(Volumes, TheBetaAnnotationOverridesTheStorageClassInTheSpecOfAClaim) {
  Store store;
  store.volumes.upsert(ClaimObject("c").annotate({{"volume.beta.kubernetes.io/storage-class", "old"}}));
  EXPECT_EQ(store.volumes.claim("shop", "c")->storage_class, store.symbol("old"));
}

TEST(Volumes, AnAssumedBindingCountsUntilANewerVersionOfTheVolumeArrives) {
  Store store;
  store.volumes.upsert(VolumeObject("a"));
  store.volumes.upsert(ClaimObject("c"));
  const auto volume = store.volumes.volume("a");
  const auto claim = store.volumes.claim("shop", "c");
  ASSERT_TRUE(store.volumes.assume_binding(*volume, *claim));
  EXPECT_TRUE(is_prebound_to(*store.volumes.volume("a"), *claim));
  EXPECT_TRUE(store.volumes.volume("a")->bound_by_controller);
  EXPECT_FALSE(store.volumes.api_volume("a")->claim);
  EXPECT_TRUE(is_prebound_to(*store.volumes.volumes_of(store.symbol("wait"))[0], *claim));

  store.volumes.upsert(VolumeObject("a"));  // the same version again
  EXPECT_TRUE(store.volumes.volume("a")->claim);
  store.volumes.upsert(VolumeObject("a").version("101"));
  EXPECT_FALSE(store.volumes.volume("a")->claim);
}

TEST(Volumes, OnlyTheNewestVersionOfAVolumeCanBeAssumedOrReverted) {
  Store store;
  store.volumes.upsert(VolumeObject("a"));
  store.volumes.upsert(ClaimObject("c"));
  const auto first = store.volumes.volume("a");
  const auto claim = store.volumes.claim("shop", "c");
  ASSERT_TRUE(store.volumes.assume_binding(*first, *claim));
  store.volumes.revert(*first);
  EXPECT_FALSE(store.volumes.volume("a")->claim);

  store.volumes.upsert(VolumeObject("a").version("101"));
  const auto second = store.volumes.volume("a");
  EXPECT_FALSE(store.volumes.assume_binding(*first, *claim)) << "this record is not the newest one";
  ASSERT_TRUE(store.volumes.assume_binding(*second, *claim));
  store.volumes.revert(*first);
  EXPECT_TRUE(store.volumes.volume("a")->claim);
  store.volumes.remove_volume("a");
  EXPECT_EQ(store.volumes.assume_binding(*second, *claim).error().code, Errc::Conflict);
}

TEST(Volumes, AssumingAVolumeThatAUserPreboundDoesNotSetBoundByController) {
  Store store;
  store.volumes.upsert(VolumeObject("a").prebound("shop", "c"));
  store.volumes.upsert(ClaimObject("c"));
  ASSERT_TRUE(store.volumes.assume_binding(*store.volumes.volume("a"), *store.volumes.claim("shop", "c")));
  EXPECT_FALSE(store.volumes.volume("a")->bound_by_controller);
  EXPECT_EQ(store.volumes.volume("a")->claim->uid, "uid-c");
}

TEST(Volumes, AnAssumedNodeCountsUntilARevertOrANewerVersionOfTheClaim) {
  Store store;
  store.volumes.upsert(ClaimObject("c"));
  const auto claim = store.volumes.claim("shop", "c");
  ASSERT_TRUE(store.volumes.assume_node(*claim, "n1"));
  EXPECT_EQ(store.volumes.claim("shop", "c")->selected_node, "n1");
  EXPECT_FALSE(store.volumes.api_claim("shop", "c")->selected_node);
  store.volumes.revert(*claim);
  EXPECT_FALSE(store.volumes.claim("shop", "c")->selected_node);
  ASSERT_TRUE(store.volumes.assume_node(*claim, "n1"));
  store.volumes.upsert(ClaimObject("c").version("101"));
  EXPECT_FALSE(store.volumes.claim("shop", "c")->selected_node);
  EXPECT_FALSE(store.volumes.assume_node(*claim, "n1"));
}

TEST(Volumes, AVolumeIsPreboundToTheClaimWithTheSameNamespaceAndNameAndTheSameUidIfSet) {
  Interner interner;
  Volumes volumes{interner};
  volumes.upsert(ClaimObject("c"));
  const Claim claim = *volumes.claim("shop", "c");
  const auto prebound = [&](const std::string& ns, const std::string& name, const std::string& uid) {
    volumes.upsert(VolumeObject("a").prebound(ns, name, uid));
    return is_prebound_to(*volumes.volume("a"), claim);
  };
  EXPECT_TRUE(prebound("shop", "c", ""));
  EXPECT_TRUE(prebound("shop", "c", "uid-c"));
  EXPECT_FALSE(prebound("shop", "c", "uid-of-its-predecessor"));
  EXPECT_FALSE(prebound("shop", "d", ""));
  EXPECT_FALSE(prebound("other", "c", ""));
}

TEST(Volumes, TheEventOfACsiNodeSaysWhetherALimitGrewOrTheMigratedPluginsChanged) {
  Store store;
  EXPECT_TRUE(store.volumes.upsert(CsiNodeObject("n").driver("d", 5))->actions.has(ActionType::Add));
  EXPECT_FALSE(store.volumes.upsert(CsiNodeObject("n").driver("d", 5)));
  EXPECT_FALSE(store.volumes.upsert(CsiNodeObject("n").driver("d", 4))->storage.limit_grew);
  EXPECT_TRUE(store.volumes.upsert(CsiNodeObject("n").driver("d", 5))->storage.limit_grew);
  EXPECT_TRUE(store.volumes.upsert(CsiNodeObject("n").driver("d", 5).driver("e", 1))->storage.limit_grew);
  const auto migrated = store.volumes.upsert(CsiNodeObject("n").driver("d", 5).driver("e", 1).migrated("p,q"));
  EXPECT_TRUE(migrated->storage.plugins_changed);
  EXPECT_FALSE(migrated->storage.limit_grew);
  EXPECT_TRUE(store.volumes.csi_node("n")->migrated(store.symbol("q")));
  EXPECT_FALSE(store.volumes.csi_node("n")->migrated(store.symbol("p,q")));
}

TEST(Volumes, ADriverWithoutACountHasNoLimitAndACountOfZeroIsALimit) {
  Store store;
  store.volumes.upsert(CsiNodeObject("n").driver("d").driver("zero", 0));
  EXPECT_FALSE(store.volumes.csi_node("n")->limit(store.symbol("d")));
  EXPECT_EQ(store.volumes.csi_node("n")->limit(store.symbol("zero")), 0);
  EXPECT_FALSE(store.volumes.csi_node("other"));
}

TEST(Volumes, AClassHasRoomOnANodeThatReachesALargeEnoughCapacity) {
  Store store;
  const Symbol fast = store.symbol("fast");
  const std::map<std::string, std::string, std::less<>> east{{"zone", "east"}};
  const std::map<std::string, std::string, std::less<>> west{{"zone", "west"}};
  const std::int64_t gib = 1 << 30;
  EXPECT_FALSE(store.volumes.has_room(fast, gib, east));
  store.volumes.upsert(CapacityObject("a", "fast").left("10Gi").reachable_from({{"zone", "east"}}));
  EXPECT_TRUE(store.volumes.has_room(fast, 10 * gib, east));
  EXPECT_FALSE(store.volumes.has_room(fast, 10 * gib + 1, east));
  EXPECT_FALSE(store.volumes.has_room(fast, gib, west));
  EXPECT_FALSE(store.volumes.has_room(store.symbol("slow"), gib, east));

  // maximumVolumeSize takes precedence over capacity, even if capacity is larger.
  const auto event =
      store.volumes.upsert(CapacityObject("a", "fast").left("10Gi").largest("2Gi").reachable_from({{"zone", "east"}}));
  EXPECT_FALSE(event->storage.limit_grew);
  EXPECT_FALSE(store.volumes.has_room(fast, 3 * gib, east));
  EXPECT_TRUE(store.volumes.upsert(CapacityObject("a", "fast").largest("4Gi").reachable_from({{"zone", "east"}}))
                  ->storage.limit_grew);
  EXPECT_TRUE(store.volumes.has_room(fast, 3 * gib, east));
  // One capacity without node topology, one without a size.
  store.volumes.upsert(CapacityObject("b", "fast").left("100Gi"));
  store.volumes.upsert(CapacityObject("c", "fast").reachable_from({}));
  EXPECT_FALSE(store.volumes.has_room(fast, 5 * gib, east));
  store.volumes.remove_capacity("storage-system", "a");
  EXPECT_FALSE(store.volumes.has_room(fast, gib, east));
}

TEST(Volumes, TheEventOfADriverThatStopsTrackingCapacitySetsCapacityIgnored) {
  Store store;
  store.volumes.upsert(DriverObject("d", true));
  EXPECT_TRUE(store.volumes.tracks_capacity(store.symbol("d")));
  EXPECT_FALSE(store.volumes.tracks_capacity(store.symbol("e")));
  EXPECT_TRUE(store.volumes.upsert(DriverObject("d", false))->storage.capacity_ignored);
  EXPECT_FALSE(store.volumes.upsert(DriverObject("d", true))->storage.capacity_ignored);
}

TEST(Volumes, TheEventOfAStorageClassSaysItsBindingModeAndWhetherItsTopologiesChanged) {
  Store store;
  EXPECT_TRUE(store.volumes.upsert(ClassObject("c"))->storage.waits_for_consumer);
  EXPECT_FALSE(store.volumes.upsert(ClassObject("i").immediate())->storage.waits_for_consumer);
  EXPECT_FALSE(store.volumes.upsert(ClassObject("c")));
  EXPECT_TRUE(store.volumes.upsert(ClassObject("c").allow("zone", {"a"}))->storage.topology_changed);
  EXPECT_TRUE(store.volumes.upsert(ClassObject("c").allow("zone", {"a", "b"}))->storage.topology_changed);
}

TEST(Volumes, AttachmentsAreListedByTheirCurrentNode) {
  Store store;
  store.volumes.upsert(AttachmentObject("x", "d", "a", "n1"));
  store.volumes.upsert(AttachmentObject("y", "d", "b", "n1"));
  store.volumes.upsert(AttachmentObject("y", "d", "b", "n2"));
  ASSERT_EQ(store.volumes.attachments_to("n1").size(), 1U);
  EXPECT_EQ(store.volumes.attachments_to("n2")[0].volume, "b");
  const auto gone = store.volumes.remove_attachment("x");
  EXPECT_EQ(gone->storage.driver, store.symbol("d"));
  EXPECT_EQ(gone->label, "storage.k8s.io/VolumeAttachmentDelete");
  EXPECT_TRUE(store.volumes.attachments_to("n1").empty());
  EXPECT_FALSE(store.volumes.remove_attachment("x"));
}

TEST(Volumes, PodsAreCountedByTheNamedClaimsThatTheyUse) {
  Store store;
  auto compiled_spec = std::make_shared<CompiledPodSpec>();
  compiled_spec->claims = {{"c", false}, {"scratch", true}};
  AssignedPod pod;
  pod.ns = store.symbol("shop");
  pod.compiled_spec = compiled_spec;
  store.volumes.pod_added(pod);
  store.volumes.pod_added(pod);
  EXPECT_EQ(store.volumes.use().users(pod.ns, "c"), 2);
  EXPECT_EQ(store.volumes.use().users(pod.ns, "scratch"), 0);
  EXPECT_EQ(store.volumes.use().users(store.symbol("other"), "c"), 0);
  store.volumes.pod_removed(pod);
  store.volumes.pod_removed(pod);
  EXPECT_EQ(store.volumes.use().users(pod.ns, "c"), 0);
}

TEST(Volumes, ReachIgnoresMatchFieldsAndHostsAreSetOnlyIfEveryTermSelectsByHostname) {
  Store store;
  VolumeObject pinned("a");
  auto& field = *pinned.mutable_spec()->mutable_node_affinity()->mutable_required()->add_node_selector_terms();
  auto& name = *field.add_match_fields();
  name.set_key("metadata.name");
  name.set_operator_("In");
  name.add_values("n1");
  store.volumes.upsert(pinned);
  EXPECT_FALSE(store.volumes.volume("a")->reach) << "all nodes reach the volume";
  store.volumes.upsert(VolumeObject("b").only_on("kubernetes.io/hostname", {"h2", "h1"}));
  EXPECT_EQ(store.volumes.volume("b")->hosts, (std::vector{store.symbol("h2"), store.symbol("h1")}));
  store.volumes.upsert(VolumeObject("c").only_on("kubernetes.io/hostname", {"h1"}).only_on("zone", {"east"}));
  EXPECT_FALSE(store.volumes.volume("c")->hosts);
}

}  // namespace
}  // namespace rescheduler::cluster
