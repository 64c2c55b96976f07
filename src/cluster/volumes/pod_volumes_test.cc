#include "cluster/volumes/pod_volumes.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "cluster/interner.h"
#include "cluster/testing/storage_objects.h"
#include "cluster/volumes/csi_migration.h"

namespace rescheduler::cluster {
namespace {

using namespace cluster::testing;
using Kind = InlineDisk::Kind;

std::string key_of(const PodVolumes& volumes) {
  std::string key;
  append_key(volumes, key);
  return key;
}

TEST(PodVolumes, ClaimsHaveTheNameInTheSpecOrTheNamesOfPodAndEphemeralVolume) {
  Interner interner;
  const PodVolumes volumes = volumes_of(PodObject("web").claim("data").ephemeral("scratch"), interner);
  ASSERT_EQ(volumes.claims.size(), 2U);
  EXPECT_EQ(volumes.claims[0].claim("web"), "data");
  EXPECT_EQ(volumes.claims[1].claim("web"), "web-scratch");
  EXPECT_EQ(volumes, volumes_of(PodObject("other").claim("data").ephemeral("scratch"), interner))
      << "pods of one template have equal volumes";
}

TEST(PodVolumes, InlineDisksThatCannotBeSharedAreReadWithKindIdAndReadOnlyFlag) {
  Interner interner;
  const PodVolumes volumes =
      volumes_of(PodObject("p").gce("pd", true).ebs("vol-1").iscsi("iqn").rbd({"m2", "m1"}, "pool", "image"), interner);
  ASSERT_EQ(volumes.disks.size(), 4U);
  EXPECT_EQ(volumes.disks[0], (InlineDisk{Kind::GcePersistentDisk, true, interner.symbols.intern("pd"), {}}));
  EXPECT_EQ(volumes.disks[1], (InlineDisk{Kind::AwsElasticBlockStore, false, interner.symbols.intern("vol-1"), {}}));
  EXPECT_EQ(volumes.disks[2].id, interner.symbols.intern("iqn"));
  EXPECT_EQ(volumes.disks[3].monitors.size(), 2U);
}

TEST(PodVolumes, InlineVolumesOfInTreePluginsAreTranslatedToTheirCsiDrivers) {
  Interner interner;
  PodObject pod("p");
  pod.gce("pd").ebs("aws://us-east-1a/vol-7");
  pod.volume("cinder").mutable_cinder()->set_volume_id("c1");
  pod.volume("px").mutable_portworx_volume()->set_volume_id("p1");
  pod.volume("azure").mutable_azure_disk()->set_disk_uri("/subscriptions/x");
  pod.volume("csi").mutable_csi()->set_driver("inline.example.com");
  const PodVolumes volumes = volumes_of(pod, interner);
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& moved : volumes.migrated) {
    found.emplace_back(interner.symbols.text(moved.driver), interner.symbols.text(moved.handle));
  }
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"pd.csi.storage.gke.io", "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/pd"},
      {"ebs.csi.aws.com", "vol-7"},
      {"cinder.csi.openstack.org", "c1"},
      {"pxd.portworx.com", "p1"},
      {"disk.csi.azure.com", "/subscriptions/x"}};
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(volumes.has_inline_csi);
}

TEST(PodVolumes, AnInlineVolumeThatCannotBeTranslatedHasNoHandle) {
  Interner interner;
  for (const char* id : {"aws://zone", "aws://zone/snap-1", "aws://zone/vol-1/x"}) {
    EXPECT_EQ(volumes_of(PodObject("p").ebs(id), interner).migrated.at(0).handle, Symbol::Empty) << id;
  }
  PodObject pod("p");
  pod.volume("azure").mutable_azure_disk()->set_kind("Dedicated");
  EXPECT_EQ(volumes_of(pod, interner).migrated.at(0).handle, Symbol::Empty);
}

TEST(PodVolumes, DifferentVolumesHaveDifferentKeys) {
  Interner interner;
  const std::vector<PodObject> pods = {PodObject("p"),
                                       PodObject("p").claim("a"),
                                       PodObject("p").ephemeral("a"),
                                       PodObject("p").claim("a").claim("b"),
                                       PodObject("p").claim("ab"),
                                       PodObject("p").gce("a"),
                                       PodObject("p").gce("a", true),
                                       PodObject("p").iscsi("a"),
                                       PodObject("p").rbd({"m"}, "a", "b"),
                                       PodObject("p").rbd({"m", "n"}, "a", "b")};
  std::set<std::string> keys;
  for (const PodObject& pod : pods) {
    keys.insert(key_of(volumes_of(pod, interner)));
    EXPECT_EQ(key_of(volumes_of(pod, interner)), key_of(volumes_of(pod, interner)));
  }
  EXPECT_EQ(keys.size(), pods.size());
}

// ---- Volumes of a plugin that a CSI driver replaces.

TEST(CsiMigration, ReplaceablePluginsAreKnownAndCountedPluginsHaveTheirDriver) {
  EXPECT_EQ(driver_replacing("kubernetes.io/aws-ebs"), "ebs.csi.aws.com");
  EXPECT_EQ(driver_replacing("kubernetes.io/azure-file"), "");
  EXPECT_TRUE(is_replaceable("kubernetes.io/azure-file"));
  EXPECT_FALSE(is_replaceable("disks.example.com"));
}

TEST(CsiMigration, TheHandleOfAGceDiskContainsItsZoneOrItsRegion) {
  const auto handle = [](const std::string& zones) {
    VolumeObject volume("a");
    volume.mutable_spec()->mutable_persistent_volume_source()->mutable_gce_persistent_disk()->set_pd_name("d");
    if (!zones.empty()) volume.labels({{"topology.kubernetes.io/zone", zones}});
    return translate(volume)->handle;
  };
  EXPECT_EQ(*handle(""), "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d");
  EXPECT_EQ(*handle("us-east1-b"), "projects/UNSPECIFIED/zones/us-east1-b/disks/d");
  EXPECT_EQ(*handle("us-east1-b__us-east1-c"), "projects/UNSPECIFIED/regions/us-east1/disks/d");
  EXPECT_FALSE(handle("us-east1-b__us-west1-c"));
  EXPECT_FALSE(handle("here__there"));
}

struct Zones {
  Interner interner;
  bool reach(const VolumeObject& object, std::map<std::string, std::string, std::less<>> labels) {
    api::PersistentVolume moved = object;
    translate_zones(moved, "topology.ebs.csi.aws.com/zone");
    if (!moved.spec().node_affinity().has_required()) return true;
    const auto& terms = moved.spec().node_affinity().required().node_selector_terms();
    return std::ranges::any_of(terms, [&](const auto& term) {
      return std::ranges::all_of(term.match_expressions(), [&](const auto& expression) {
        const auto found = labels.find(expression.key());
        return found != labels.end()
               && std::ranges::find(expression.values(), found->second) != expression.values().end();
      });
    });
  }
};

TEST(CsiMigration, ZoneRequirementsUseTheZoneLabelOfTheDriver) {
  Zones zones;
  const std::string own = "topology.ebs.csi.aws.com/zone";
  const auto by_affinity = VolumeObject("a").only_on("topology.kubernetes.io/zone", {"z1"});
  EXPECT_TRUE(zones.reach(by_affinity, {{own, "z1"}}));
  EXPECT_FALSE(zones.reach(by_affinity, {{"topology.kubernetes.io/zone", "z1"}}));
  const auto by_label = VolumeObject("a").labels({{"topology.kubernetes.io/zone", "z1__z2"}});
  EXPECT_TRUE(zones.reach(by_label, {{own, "z2"}}));
  EXPECT_FALSE(zones.reach(by_label, {{own, "z3"}}));
  // The label is added to every term.
  const auto both = VolumeObject("a").labels({{"topology.kubernetes.io/zone", "z1"}}).only_on("disk", {"ssd"});
  EXPECT_TRUE(zones.reach(both, {{own, "z1"}, {"disk", "ssd"}}));
  EXPECT_FALSE(zones.reach(both, {{own, "z2"}, {"disk", "ssd"}}));
}

TEST(CsiMigration, TheBetaRegionLabelIsTranslatedToTheStableLabel) {
  Zones zones;
  auto old = VolumeObject("a").only_on("failure-domain.beta.kubernetes.io/zone", {"z1"});
  auto& required = *old.mutable_spec()->mutable_node_affinity()->mutable_required();
  auto& region = *required.mutable_node_selector_terms(0)->add_match_expressions();
  region.set_key("failure-domain.beta.kubernetes.io/region");
  region.set_operator_("In");
  region.add_values("r1");
  EXPECT_TRUE(zones.reach(old, {{"topology.ebs.csi.aws.com/zone", "z1"}, {"topology.kubernetes.io/region", "r1"}}));
}

}  // namespace
}  // namespace rescheduler::cluster
