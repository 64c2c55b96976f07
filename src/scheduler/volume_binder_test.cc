#include "scheduler/volume_binder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/testing/storage_objects.h"
#include "kube/proto/core_node.pb.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::scheduler {
namespace {

using namespace std::chrono_literals;
using namespace cluster::testing;
using test::ScriptedApi;
using test::VirtualTime;

// A cluster, its API server, and a controller that binds volumes on request.
struct VolumeBinderFixture {
  VolumeBinderFixture() {
    api::Node node;
    node.mutable_metadata()->set_name("n1");
    cluster.upsert_node(node);
    cluster.volumes().upsert(ClassObject("wait"));
    for (const char* name : {"a", "b"}) serve(ClaimObject(name).wire);
    VolumeObject volume("pv");
    volume.wire.mutable_spec()->set_persistent_volume_reclaim_policy("Retain");
    serve(volume.wire);
  }
  template <class T>
  void serve(T object) {
    object.mutable_metadata()->clear_resource_version();
    api.put(object);
    cluster.volumes().upsert(*api.find<T>(object.metadata().namespace_(), object.metadata().name()));
  }
  // Copies the objects of the API server to the cluster model, as a watch does.
  void watch() {
    for (const auto& volume : api.all<api::PersistentVolume>()) cluster.volumes().upsert(volume);
    for (const auto& claim : api.all<api::PersistentVolumeClaim>()) cluster.volumes().upsert(claim);
  }
  void bind_claims() {
    for (api::PersistentVolumeClaim claim : api.all<api::PersistentVolumeClaim>()) {
      if (claim.spec().has_volume_name()) continue;
      claim.mutable_spec()->set_volume_name("pv");
      (*claim.mutable_metadata()->mutable_annotations())[std::string(cluster::kBindCompleted)] = "yes";
      api.put(claim);
    }
  }
  placement::VolumeDecision decision() {
    placement::VolumeDecision made;
    made.bindings.push_back({cluster.volumes().volume("pv"), cluster.volumes().claim("shop", "a")});
    made.provisions.push_back(cluster.volumes().claim("shop", "b"));
    return made;
  }
  ReservedVolumes reserve() {
    auto reserved = reserve_volumes(cluster.volumes(), decision(), "n1");
    EXPECT_TRUE(reserved);
    return *reserved;
  }
  VolumeBinder::Outcome bind(ReservedVolumes reserved) {
    VolumeBinder::Outcome outcome;
    auto ran = time.loop.await_result(bind_into(std::move(reserved), outcome));
    EXPECT_TRUE(ran);
    return outcome;
  }
  net::Task<Result<void>> bind_into(ReservedVolumes reserved, VolumeBinder::Outcome& outcome) {
    PodToBind pod{"shop", "p", "uid-p"};
    auto ended = co_await binder.bind(std::move(reserved), std::move(pod), 600s);
    outcome = std::move(ended);
    co_return Result<void>();
  }

  ScriptedApi api;
  cluster::Cluster cluster;
  // Each check of the pod calls `meanwhile`, which can change the cluster between two steps.
  int checks = 0;
  std::function<void(int)> meanwhile = [](int) {};
  ClusterStorageView view{cluster, [this](std::string_view) {
                            meanwhile(checks++);
                            return true;
                          }};
  VirtualTime time;
  VolumeBinder binder{api, time.services(), view};
};

TEST(VolumeBinder, WritesTheClaimRefAndTheSelectedNodeAndWaitsUntilTheClaimsAreBound) {
  VolumeBinderFixture fixture;
  fixture.meanwhile = [&](int check) {
    if (check == 3) fixture.bind_claims();
    if (check == 5) fixture.watch();
  };
  const auto outcome = fixture.bind(fixture.reserve());
  ASSERT_TRUE(outcome.bound) << outcome.bound.error().message;
  EXPECT_TRUE(outcome.unwritten.empty());

  const auto volume = *fixture.api.find<api::PersistentVolume>("", "pv");
  EXPECT_EQ(volume.spec().claim_ref().kind(), "PersistentVolumeClaim");
  EXPECT_EQ(volume.spec().claim_ref().api_version(), "v1");
  EXPECT_EQ(volume.spec().claim_ref().namespace_(), "shop");
  EXPECT_EQ(volume.spec().claim_ref().name(), "a");
  EXPECT_EQ(volume.spec().claim_ref().uid(), "uid-a");
  EXPECT_EQ(volume.metadata().annotations().at("pv.kubernetes.io/bound-by-controller"), "yes");
  EXPECT_EQ(volume.spec().persistent_volume_reclaim_policy(), "Retain") << "other fields stay unchanged";
  const auto claim = *fixture.api.find<api::PersistentVolumeClaim>("shop", "b");
  EXPECT_EQ(claim.metadata().annotations().at("volume.kubernetes.io/selected-node"), "n1");
  EXPECT_FALSE(fixture.api.find<api::PersistentVolumeClaim>("shop", "a")
                   ->metadata()
                   .annotations()
                   .contains("volume.kubernetes.io/selected-node"));
}

TEST(VolumeBinder, DoesNotOverwriteAVolumeThatChangedAfterTheReservation) {
  VolumeBinderFixture fixture;
  const ReservedVolumes reserved = fixture.reserve();
  VolumeObject changed("pv");
  changed.wire.mutable_metadata()->clear_resource_version();
  fixture.api.put(changed.phase("Released").wire);
  const auto outcome = fixture.bind(reserved);
  ASSERT_FALSE(outcome.bound);
  EXPECT_EQ(outcome.bound.error().code, Errc::Conflict);
  EXPECT_EQ(outcome.unwritten.bindings.size(), 1U);
  EXPECT_FALSE(fixture.api.find<api::PersistentVolume>("", "pv")->spec().has_claim_ref());
}

TEST(VolumeBinder, AfterAFailureOnlyTheUnwrittenObjectsAreUnreserved) {
  VolumeBinderFixture fixture;
  const ReservedVolumes reserved = fixture.reserve();
  fixture.api.fail_calls(3, 1, Error{Errc::Unavailable, "the server is unavailable"});  // the update of the claim
  const auto outcome = fixture.bind(reserved);
  ASSERT_FALSE(outcome.bound);
  EXPECT_EQ(outcome.bound.error().code, Errc::Unavailable);
  unreserve_volumes(fixture.cluster.volumes(), outcome.unwritten);
  EXPECT_TRUE(fixture.cluster.volumes().volume("pv")->claim) << "the API server has the claimRef";
  EXPECT_FALSE(fixture.cluster.volumes().claim("shop", "b")->selected_node);
}

TEST(VolumeBinder, FailsAfterTheTimeout) {
  VolumeBinderFixture fixture;
  fixture.meanwhile = [&](int check) {
    if (check == 1) fixture.watch();
  };
  const auto before = fixture.time.clock.steady_now();
  const auto outcome = fixture.bind(fixture.reserve());
  ASSERT_FALSE(outcome.bound);
  EXPECT_EQ(outcome.bound.error().code, Errc::Timeout);
  EXPECT_EQ(fixture.time.clock.steady_now() - before, 600s);
}

TEST(VolumeBinder, FailsWhenTheNodeIsDeleted) {
  VolumeBinderFixture fixture;
  fixture.meanwhile = [&](int check) {
    if (check != 2) return;
    fixture.watch();
    fixture.cluster.remove_node("n1");
  };
  const auto outcome = fixture.bind(fixture.reserve());
  ASSERT_FALSE(outcome.bound);
  EXPECT_EQ(outcome.bound.error().message, "binding volumes: node n1 is gone");
}

TEST(VolumeBinder, AFailedReservationReleasesTheVolumesItHasReserved) {
  VolumeBinderFixture fixture;
  const placement::VolumeDecision decision = fixture.decision();
  auto claim = *fixture.api.find<api::PersistentVolumeClaim>("shop", "b");
  fixture.serve(claim);  // a new resourceVersion
  const auto reserved = reserve_volumes(fixture.cluster.volumes(), decision, "n1");
  ASSERT_FALSE(reserved);
  EXPECT_EQ(reserved.error().code, Errc::Conflict);
  EXPECT_FALSE(fixture.cluster.volumes().volume("pv")->claim);
}

TEST(VolumeBinder, ReservedVolumesAreVisibleAtOnceAndUnreserveReleasesThem) {
  VolumeBinderFixture fixture;
  const ReservedVolumes reserved = fixture.reserve();
  EXPECT_EQ(fixture.cluster.volumes().volume("pv")->claim->name, "a");
  EXPECT_EQ(fixture.cluster.volumes().claim("shop", "b")->selected_node, "n1");
  unreserve_volumes(fixture.cluster.volumes(), reserved);
  EXPECT_FALSE(fixture.cluster.volumes().volume("pv")->claim);
  EXPECT_FALSE(fixture.cluster.volumes().claim("shop", "b")->selected_node);
}

}  // namespace
}  // namespace rescheduler::scheduler
