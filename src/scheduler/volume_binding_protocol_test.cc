#include "scheduler/volume_binding_protocol.h"

#include <functional>
#include <map>
#include <optional>

#include <gtest/gtest.h>

namespace rescheduler::scheduler {
namespace {

using namespace std::chrono_literals;
using namespace volume_binding;
using cluster::Claim;
using cluster::ClaimPtr;
using cluster::Volume;
using cluster::VolumePtr;

// A StorageView with the state that the test sets.
struct ApiObjects final : StorageView {
  std::map<std::string, VolumePtr, std::less<>> volumes;
  std::map<std::string, ClaimPtr, std::less<>> claims;
  bool pod = true;
  bool node = true;
  bool in_reach = true;

  VolumePtr volume(std::string_view name) const override {
    const auto found = volumes.find(name);
    return found == volumes.end() ? nullptr : found->second;
  }
  ClaimPtr claim(std::string_view /*ns*/, std::string_view name) const override {
    const auto found = claims.find(name);
    return found == claims.end() ? nullptr : found->second;
  }
  bool pod_exists(std::string_view /*uid*/) const override { return pod; }
  Result<bool> reaches(const Volume& /*volume*/, std::string_view name) const override {
    if (!node) return fail(Errc::NotFound, "node {} is gone", name);
    return in_reach;
  }

  void set(const Volume& changed) { volumes[changed.name] = std::make_shared<const Volume>(changed); }
  void set(const Claim& changed) { claims[changed.name] = std::make_shared<const Claim>(changed); }
};

// One claim "a" that gets volume "pv", and one claim "b" whose volume is provisioned.
struct Case {
  Case() {
    Volume pv;
    pv.name = "pv";
    pv.version = "10";
    objects.set(pv);
    for (const char* name : {"a", "b"}) {
      Claim claim;
      claim.ns = "shop";
      claim.name = name;
      claim.uid = std::string("uid-") + name;
      claim.version = "11";
      objects.set(claim);
    }
    reserved.node = "n1";
    reserved.bindings.push_back({objects.volume("pv"), objects.claim("shop", "a")});
    reserved.provisions.push_back(objects.claim("shop", "b"));
  }

  VolumeBindingProtocol& protocol() {
    if (!made) made.emplace(reserved, PodToBind{"shop", "p", "uid-p"}, 600s);
    return *made;
  }
  Action next(const Input& on_event) { return protocol().next(on_event, now, objects); }
  // Writes the volume and the claim; the written objects are visible.
  Action write_all() {
    next(Started{});
    next(Written{"20"});
    Volume pv = *objects.volume("pv");
    pv.version = "20";
    pv.claim = cluster::ClaimRef{"shop", "a", "uid-a"};
    objects.set(pv);
    Claim b = *objects.claim("shop", "b");
    b.version = "21";
    b.selected_node = "n1";
    objects.set(b);
    return next(Written{"21"});
  }
  void bind(const std::string& name, const std::string& to) {
    Claim claim = *objects.claim("shop", name);
    claim.version = "30";
    claim.volume = to;
    claim.bind_completed = true;
    objects.set(claim);
  }
  Error error_after(const Input& on_event) {
    const Action action = next(on_event);
    if (const auto* failed = std::get_if<Failed>(&action)) return failed->error;
    return Error{Errc::Internal, "the protocol did not fail"};
  }

  ApiObjects objects;
  ReservedVolumes reserved;
  std::optional<VolumeBindingProtocol> made;
  SteadyTime now{std::chrono::hours{1}};
};

template <class T>
bool is(const Action& action) {
  return std::holds_alternative<T>(action);
}

TEST(VolumeBindingProtocol, WritesVolumesThenClaimsThenWaitsForBoth) {
  Case c;
  Action action = c.next(Started{});
  ASSERT_TRUE(is<WriteVolume>(action));
  EXPECT_EQ(std::get<WriteVolume>(action).volume->name, "pv");
  EXPECT_EQ(c.protocol().unwritten().bindings.size(), 1U);
  action = c.next(Written{"20"});
  ASSERT_TRUE(is<WriteClaim>(action));
  EXPECT_EQ(std::get<WriteClaim>(action).claim->name, "b");
  EXPECT_EQ(std::get<WriteClaim>(action).node, "n1");
  EXPECT_TRUE(c.protocol().unwritten().bindings.empty());
  EXPECT_EQ(c.protocol().unwritten().provisions.size(), 1U);
  EXPECT_TRUE(is<Sleep>(c.next(Written{"21"})));
  EXPECT_TRUE(c.protocol().unwritten().empty());
}

TEST(VolumeBindingProtocol, IsDoneWhenAllClaimsAreBound) {
  Case c;
  ASSERT_TRUE(is<Sleep>(c.write_all()));
  c.bind("a", "pv");
  EXPECT_TRUE(is<Sleep>(c.next(Woke{})));
  c.bind("b", "made");
  EXPECT_TRUE(is<Sleep>(c.next(Woke{}))) << "the volume of claim b is not known yet";
  Volume made;
  made.name = "made";
  c.objects.set(made);
  EXPECT_TRUE(is<Done>(c.next(Woke{})));
}

TEST(VolumeBindingProtocol, AMissingClaimRefIsAnErrorOnlyInAVersionAfterItsOwnWrite) {
  Case c;
  c.next(Started{});
  c.next(Written{"20"});
  // Neither write is visible yet: no claimRef, no selected node. This is not an error.
  EXPECT_TRUE(is<Sleep>(c.next(Written{"21"})));
  Volume newer = *c.objects.volume("pv");
  newer.version = "100";
  c.objects.set(newer);
  EXPECT_EQ(c.error_after(Woke{}).message, "binding volumes: ClaimRef got reset for pv \"pv\"");
}

TEST(VolumeBindingProtocol, FailsWhenAWriteFails) {
  Case c;
  c.next(Started{});
  EXPECT_EQ(c.error_after(WriteFailed{Error{Errc::Conflict, "it has changed"}}).code, Errc::Conflict);
  EXPECT_EQ(c.protocol().unwritten().bindings.size(), 1U);
  EXPECT_EQ(c.protocol().unwritten().provisions.size(), 1U);
}

TEST(VolumeBindingProtocol, FailsWhenAnObjectOfTheBindingIsDeletedOrNoLongerMatches) {
  const std::vector<std::pair<std::string, std::function<void(Case&)>>> cases = {
      {"pod shop/p does not exist any more", [](Case& c) { c.objects.pod = false; }},
      {"node n1 is gone", [](Case& c) { c.objects.node = false; }},
      {"pv \"pv\" node affinity doesn't match node \"n1\"", [](Case& c) { c.objects.in_reach = false; }},
      {"PersistentVolume pv is gone", [](Case& c) { c.objects.volumes.erase("pv"); }},
      {"claim shop/a is gone", [](Case& c) { c.objects.claims.erase("a"); }},
      {"ClaimRef got reset for pv \"pv\"",
       [](Case& c) {
         Volume pv = *c.objects.volume("pv");
         pv.version = "25";
         pv.claim->uid.clear();
         c.objects.set(pv);
       }},
  };
  for (const auto& [message, undo] : cases) {
    Case c;
    ASSERT_TRUE(is<Sleep>(c.write_all()));
    undo(c);
    EXPECT_EQ(c.error_after(Woke{}).message, "binding volumes: " + message);
  }
}

TEST(VolumeBindingProtocol, FailsWhenProvisioningFails) {
  for (const bool moved : {false, true}) {
    Case c;
    ASSERT_TRUE(is<Sleep>(c.write_all()));
    c.bind("a", "pv");
    Claim b = *c.objects.claim("shop", "b");
    b.version = "40";
    b.selected_node = moved ? std::optional<std::string>("n2") : std::nullopt;
    c.objects.set(b);
    EXPECT_EQ(c.error_after(Woke{}).message, "binding volumes: provisioning failed for PVC \"b\"");
  }
  Case c;
  ASSERT_TRUE(is<Sleep>(c.write_all()));
  c.bind("a", "pv");
  c.objects.claims.erase("b");
  EXPECT_EQ(c.error_after(Woke{}).code, Errc::NotFound);
}

TEST(VolumeBindingProtocol, FailsWhenTheNodeCannotReachTheProvisionedVolume) {
  Case c;
  c.reserved.bindings.clear();
  c.next(Started{});
  c.bind("b", "made");
  Claim b = *c.objects.claim("shop", "b");
  b.selected_node = "n1";
  c.objects.set(b);
  Volume made;
  made.name = "made";
  c.objects.set(made);
  c.objects.in_reach = false;
  EXPECT_EQ(c.error_after(Written{"21"}).message,
            "binding volumes: pv \"made\" node affinity doesn't match node \"n1\"");
}

TEST(VolumeBindingProtocol, FailsAtTheDeadlineAndDoesNotSleepBeyondTheDeadline) {
  Case c;
  ASSERT_TRUE(is<Sleep>(c.write_all()));
  c.now += 600s - 1ms;
  const Action last = c.next(Woke{});
  ASSERT_TRUE(is<Sleep>(last));
  EXPECT_EQ(std::get<Sleep>(last).duration, 1ms) << "the sleep ends at the deadline";
  c.now += 1ms;
  EXPECT_EQ(c.error_after(Woke{}).code, Errc::Timeout);
}

TEST(VolumeBindingProtocol, TheTimeoutDoesNotIncludeTheTimeOfTheWrites) {
  Case c;
  c.next(Started{});
  c.now += 3600s;
  EXPECT_TRUE(is<Sleep>(c.write_all()));
}

TEST(VolumeBindingProtocol, ObjectsThatAnEarlierAttemptWroteAreNotWrittenAgain) {
  Case c;
  Volume pv = *c.objects.volume("pv");
  pv.claim = cluster::ClaimRef{"shop", "a", "uid-a"};
  c.objects.set(pv);
  Claim b = *c.objects.claim("shop", "b");
  b.selected_node = "n1";
  c.objects.set(b);
  EXPECT_TRUE(is<Sleep>(c.next(Started{})));
  EXPECT_TRUE(c.protocol().unwritten().empty());
}

TEST(VolumeBindingProtocol, AClaimRefWithoutUidIsWrittenAgain) {
  Case c;
  Volume pv = *c.objects.volume("pv");
  pv.claim = cluster::ClaimRef{"shop", "a", ""};
  c.objects.set(pv);
  EXPECT_TRUE(is<WriteVolume>(c.next(Started{})));
}

TEST(VolumeBindingProtocol, ResourceVersionsAreComparedAsNumbers) {
  EXPECT_TRUE(is_older("9", "10"));
  EXPECT_FALSE(is_older("10", "9"));
  EXPECT_FALSE(is_older("10", "10"));
}

}  // namespace
}  // namespace rescheduler::scheduler
