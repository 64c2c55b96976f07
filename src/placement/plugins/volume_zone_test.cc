#include "placement/plugins/volume_zone.h"

#include "placement/plugins/volume_testing.h"

namespace rescheduler::placement {
namespace {

using namespace placement::testing;

const PluginResult kWrongZone = unresolvable("node(s) had no available volume zone");
constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kRegion = "topology.kubernetes.io/region";
constexpr const char* kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr const char* kBetaRegion = "failure-domain.beta.kubernetes.io/region";

struct Lab : StorageLab {
  Lab() : StorageLab(make_volume_zone(nullptr)) {}
};

TEST(VolumeZone, TheNodeMustHaveTheZoneAndRegionLabelsOfTheVolume) {
  struct Case {
    const char* what;
    std::vector<std::pair<std::string, std::string>> volume, node;
    PluginResult expected;
  };
  const std::vector<Case> cases = {
      {"the same zone", {{kZone, "a"}}, {{kZone, "a"}}, kFits},
      {"another zone", {{kZone, "a"}}, {{kZone, "b"}}, kWrongZone},
      {"one of several zones", {{kZone, "a__b"}}, {{kZone, "b"}}, kFits},
      {"none of several zones", {{kZone, "a__b"}}, {{kZone, "c"}}, kWrongZone},
      {"blanks around names", {{kZone, "a __ b"}}, {{kZone, "b"}}, kFits},
      {"an invalid list of zones is ignored",
       {{kZone, "a____b"}, {kRegion, "r"}},
       {{kZone, "c"}, {kRegion, "r"}},
       kFits},
      {"a node without zone and region labels", {{kZone, "a"}}, {{"disk", "ssd"}}, kFits},
      {"a node with a region label only", {{kZone, "a"}}, {{kRegion, "r"}}, kWrongZone},
      {"zone and region", {{kZone, "a"}, {kRegion, "r"}}, {{kZone, "a"}, {kRegion, "s"}}, kWrongZone},
      {"the beta label", {{kBetaZone, "a"}}, {{kBetaZone, "a"}}, kFits},
      {"the beta label on the volume, the stable label on the node", {{kBetaZone, "a"}}, {{kZone, "a"}}, kFits},
      {"the beta region label on the volume, another stable region on the node",
       {{kBetaRegion, "a"}},
       {{kRegion, "b"}},
       kWrongZone},
      {"the stable label on the volume, the beta label on the node", {{kZone, "a"}}, {{kBetaZone, "a"}}, kWrongZone},
      {"both labels on the node: the key of the volume counts",
       {{kBetaZone, "a"}},
       {{kBetaZone, "b"}, {kZone, "a"}},
       kWrongZone},
  };
  for (const Case& c : cases) {
    Lab lab;
    VolumeObject volume("pv");
    for (const auto& [key, value] : c.volume) volume.labels({{key, value}});
    lab.have(volume, ClaimObject("c").bound_to("pv"));
    api::Node node;
    node.mutable_metadata()->set_name("n1");
    for (const auto& [key, value] : c.node) (*node.mutable_metadata()->mutable_labels())[key] = value;
    lab.cluster.upsert_node(node);
    EXPECT_EQ(lab.ask(PodObject("p").claim("c"), "n1"), c.expected) << c.what;
  }
}

TEST(VolumeZone, SkipsAPodWhoseVolumesHaveNoZone) {
  Lab lab;
  lab.have(ClassObject("wait"), ClaimObject("waiting"), ClaimObject("c").bound_to("pv"), VolumeObject("pv"));
  for (const PodObject& pod : {PodObject("p"), PodObject("p").claim("c"), PodObject("p").claim("waiting"),
                               PodObject("p").ephemeral("unknown")}) {
    EXPECT_EQ(lab.pre_filter(pod).code, Code::Skip);
  }
}

TEST(VolumeZone, AClaimThatShouldHaveAVolumeAndHasNoneIsUnresolvable) {
  Lab lab;
  lab.have(ClassObject("now").immediate(), ClassObject("silent").no_mode());
  lab.have(ClaimObject("now").of_class("now"), ClaimObject("silent").of_class("silent"));
  lab.have(ClaimObject("lonely").no_class(), ClaimObject("stray").of_class("none"));
  lab.have(ClaimObject("gone").bound_to("pv"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"now", "PersistentVolume had no name"},
      {"silent", "VolumeBindingMode not set for StorageClass \"silent\""},
      {"lonely", "PersistentVolumeClaim had no pv name and storageClass name"},
      {"stray", "storageclass.storage.k8s.io \"none\" not found"},
      {"gone", "persistentvolume \"pv\" not found"},
      {"missing", "persistentvolumeclaim \"missing\" not found"},
      {"", "PersistentVolumeClaim had no name"}};
  for (const auto& [claim, reason] : cases) {
    EXPECT_EQ(lab.pre_filter(PodObject("p").claim(claim)), unresolvable(reason));
  }
}

}  // namespace
}  // namespace rescheduler::placement
