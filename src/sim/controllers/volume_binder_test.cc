#include "sim/controllers/volume_binder.h"

#include <gtest/gtest.h>

#include "kube/proto/core_storage.pb.h"
#include "kube/proto/core_volume.pb.h"
#include "kube/proto/storage.pb.h"
#include "sim/controllers/controllers.h"
#include "sim/controllers/nodes/lifecycle_rig.h"

namespace rescheduler::sim {
namespace {

using std::chrono::seconds;
using testing::LifecycleRig;

class VolumeBinderTest : public ::testing::Test {
 protected:
  LifecycleRig rig;

  VolumeBinderTest() { rig.run<VolumeBinder>(Rng{3}); }

  void add_class(const std::string& name, const std::string& provisioner, const std::string& mode) {
    api::StorageClass storage;
    storage.mutable_metadata()->set_name(name);
    storage.set_provisioner(provisioner);
    storage.set_volume_binding_mode(mode);
    storage.set_reclaim_policy("Delete");
    (void)rig.server.create(storage).value();
  }
  void add_volume(const std::string& name, const std::string& size, const std::string& storage = "slow") {
    api::PersistentVolume volume;
    volume.mutable_metadata()->set_name(name);
    api::PersistentVolumeSpec& spec = *volume.mutable_spec();
    (*spec.mutable_capacity())["storage"].set_string(size);
    spec.add_access_modes("ReadWriteOnce");
    spec.set_volume_mode("Filesystem");
    spec.set_persistent_volume_reclaim_policy("Retain");
    spec.set_storage_class_name(storage);
    spec.mutable_persistent_volume_source()->mutable_host_path()->set_path("/data");
    (void)rig.server.create(volume).value();
  }
  void add_claim(const std::string& name, const std::string& size, const std::string& storage = "slow") {
    api::PersistentVolumeClaim claim;
    claim.mutable_metadata()->set_name(name);
    claim.mutable_metadata()->set_namespace_("shop");
    api::PersistentVolumeClaimSpec& spec = *claim.mutable_spec();
    (*spec.mutable_resources()->mutable_requests())["storage"].set_string(size);
    spec.add_access_modes("ReadWriteOnce");
    spec.set_volume_mode("Filesystem");
    spec.set_storage_class_name(storage);
    (void)rig.server.create(claim).value();
  }
  std::shared_ptr<const api::PersistentVolumeClaim> claim(const std::string& name) {
    return rig.server.find<api::PersistentVolumeClaim>("shop", name);
  }
  std::shared_ptr<const api::PersistentVolume> volume(const std::string& name) {
    return rig.server.find<api::PersistentVolume>("", name);
  }
};

TEST_F(VolumeBinderTest, AClaimIsBoundToTheSmallestVolumeThatFits) {
  add_volume("large", "100Gi");
  add_volume("medium", "10Gi");
  add_volume("small", "1Gi");
  add_volume("other", "5Gi", "fast");
  add_claim("data", "5Gi");
  rig.pass(seconds{1});
  EXPECT_EQ(claim("data")->status().phase(), "Bound");
  EXPECT_EQ(claim("data")->spec().volume_name(), "medium");
  EXPECT_EQ(volume("medium")->status().phase(), "Bound");
  EXPECT_EQ(volume("medium")->spec().claim_ref().name(), "data");
  EXPECT_EQ(volume("large")->status().phase(), "Available");
  add_claim("more", "50Gi");
  add_claim("late", "5Gi");
  rig.pass(seconds{1});
  EXPECT_EQ(claim("more")->spec().volume_name(), "large");
  EXPECT_NE(claim("late")->status().phase(), "Bound");
  add_volume("new", "7Gi");
  rig.pass(seconds{1});
  EXPECT_EQ(claim("late")->spec().volume_name(), "new");
}

TEST_F(VolumeBinderTest, AReleasedVolumeIsKeptOrDeletedByItsReclaimPolicy) {
  add_class("fast", "disk.example.com", "Immediate");
  add_volume("kept", "5Gi");
  add_claim("a", "5Gi");
  add_claim("b", "5Gi", "fast");
  rig.pass(seconds{5});
  const std::string made = claim("b")->spec().volume_name();
  ASSERT_TRUE(volume(made));
  EXPECT_EQ(volume(made)->status().phase(), "Bound");
  for (const char* name : {"a", "b"}) {
    ASSERT_TRUE(rig.server.remove(rig.server.kinds().of<api::PersistentVolumeClaim>(), "shop", name, {}));
  }
  rig.pass(seconds{1});
  EXPECT_EQ(volume("kept")->status().phase(), "Released");
  EXPECT_FALSE(volume(made));
  add_claim("again", "5Gi");
  rig.pass(seconds{5});
  EXPECT_NE(claim("again")->status().phase(), "Bound") << "a released volume is not bound again";
}

TEST_F(VolumeBinderTest, WaitForFirstConsumerProvisionsInTheZoneOfTheSelectedNode) {
  rig.add_node("n1", "z1");
  add_class("zonal", "disk.example.com", "WaitForFirstConsumer");
  add_volume("there", "5Gi", "zonal");
  add_claim("data", "5Gi", "zonal");
  rig.pass(seconds{30});
  EXPECT_NE(claim("data")->status().phase(), "Bound");
  const auto chosen =
      rig.server.modify<api::PersistentVolumeClaim>("shop", "data", [](api::PersistentVolumeClaim& changed) {
        (*changed.mutable_metadata()->mutable_annotations())["volume.kubernetes.io/selected-node"] = "n1";
      });
  ASSERT_TRUE(chosen);
  rig.pass(std::chrono::milliseconds{500});
  EXPECT_NE(claim("data")->status().phase(), "Bound") << "provisioning takes some time";
  rig.pass(seconds{5});
  ASSERT_EQ(claim("data")->status().phase(), "Bound");
  const auto made = volume(claim("data")->spec().volume_name());
  ASSERT_EQ(made->spec().node_affinity().required().node_selector_terms_size(), 1);
  EXPECT_EQ(made->spec().node_affinity().required().node_selector_terms(0).match_expressions(0).values(0), "z1");
}

TEST(ControllersTest, AllControllersTogetherWriteNothingInAnIdleCluster) {
  testing::TestServer cluster;
  (void)cluster.server.create(testing::make_namespace("kube-node-lease")).value();
  Controllers controllers(cluster.server, Rng{5});
  cluster.add_pod(testing::make_pod("a"), "", "Pending", false);
  cluster.agenda.run_for(seconds{10});
  const std::uint64_t version = cluster.server.store().version();
  cluster.agenda.run_for(std::chrono::minutes{10});
  EXPECT_EQ(cluster.server.store().version(), version);
  EXPECT_EQ(controllers.pods().size(), 1U);
}

}  // namespace
}  // namespace rescheduler::sim
