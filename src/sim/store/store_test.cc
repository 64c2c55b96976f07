#include "sim/store/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/proto/core.pb.h"

namespace rescheduler::sim {
namespace {

struct StoreRig {
  explicit StoreRig(std::size_t history = 1000) : store(StoreSettings{history}) {}

  VersionPtr put(const std::string& ns, const std::string& name, const std::string& value = "") {
    auto map = std::make_unique<api::ConfigMap>();
    map->mutable_metadata()->set_namespace_(ns);
    map->mutable_metadata()->set_name(name);
    (*map->mutable_data())["v"] = value;
    return store.put(maps, std::move(map), {});
  }
  static std::string show(const VersionPtr& version) {
    const auto map = version->as<api::ConfigMap>();
    return fmt::format("{}/{}={}", map->metadata().namespace_(), map->metadata().name(), map->data().at("v"));
  }
  std::vector<std::string> list(std::string_view ns = {}, std::string_view after = {}) const {
    std::vector<std::string> seen;
    store.for_each(maps, ns, after, [&](const VersionPtr& version) {
      seen.push_back(show(version));
      return true;
    });
    return seen;
  }
  std::vector<std::string> list_as_of(std::uint64_t version) const {
    std::vector<std::string> seen;
    EXPECT_TRUE(store.for_each_as_of(version, maps, {}, {}, [&](const VersionPtr& found) {
      seen.push_back(show(found));
      return true;
    }));
    return seen;
  }

  KindRegistry kinds;
  const Kind& maps = kinds.of<api::ConfigMap>();
  Store store;
};

TEST(Store, EachChangeGetsAHigherVersionThatIsWrittenIntoTheObject) {
  StoreRig rig;
  const VersionPtr first = rig.put("a", "x", "1");
  const VersionPtr second = rig.put("a", "x", "2");
  EXPECT_GT(second->number(), first->number());
  EXPECT_EQ(second->as<api::ConfigMap>()->metadata().resource_version(), std::to_string(second->number()));
  EXPECT_EQ(first->as<api::ConfigMap>()->data().at("v"), "1") << "a stored version never changes";
  EXPECT_EQ(rig.store.version(), second->number());
}

TEST(Store, ListsInOrderOfNamespaceAndNameStartingAfterAnyKey) {
  StoreRig rig;
  // The namespace "a-b" starts with "a", and its keys sort before those of "a", because '-' sorts before '/'.
  for (const auto* ns : {"b", "a-b", "a"}) {
    for (const auto* name : {"y", "x"}) rig.put(ns, name);
  }
  EXPECT_EQ(rig.list("a"), (std::vector<std::string>{"a/x=", "a/y="}));
  EXPECT_EQ(rig.list("a", "a/x"), (std::vector<std::string>{"a/y="}));
  EXPECT_EQ(rig.list().size(), 6U);
  EXPECT_EQ(rig.list({}, "a/y").back(), "b/y=");
}

TEST(Store, ErasingReportsTheLastStateWithTheVersionOfTheRemoval) {
  StoreRig rig;
  std::vector<Change> changes;
  const auto subscription = rig.store.subscribe(&rig.maps, [&](const Change& change) { changes.push_back(change); });
  rig.put("a", "x", "1");
  rig.store.erase(rig.maps, "a", "x");
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[1].what, Change::What::Deleted);
  EXPECT_EQ(changes[1].after->number(), rig.store.version());
  EXPECT_EQ(changes[1].after->as<api::ConfigMap>()->data().at("v"), "1");
  EXPECT_EQ(rig.store.find(rig.maps, "a", "x"), nullptr);
}

TEST(Store, ASubscriptionReceivesOnlyChangesOfItsKindUntilItIsDropped) {
  StoreRig rig;
  int notified = 0;
  auto maps = rig.store.subscribe(&rig.maps, [&](const Change&) { ++notified; });
  const auto secrets = rig.store.subscribe(&rig.kinds.of<api::Secret>(), [&](const Change&) { notified += 100; });
  rig.put("a", "x");
  EXPECT_EQ(notified, 1);
  maps.reset();
  rig.put("a", "y");
  EXPECT_EQ(notified, 1);
}

TEST(Store, HistoryIsBoundedAndReportsHowFarItReaches) {
  StoreRig rig(3);
  const std::uint64_t before = rig.store.version();
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 5; ++i) numbers.push_back(rig.put("a", "x", std::to_string(i))->number());
  EXPECT_FALSE(rig.store.has_history_since(rig.maps, before));
  EXPECT_FALSE(rig.store.has_history_since(rig.maps, numbers[0]));
  EXPECT_TRUE(rig.store.has_history_since(rig.maps, numbers[1]));
  EXPECT_EQ(rig.store.change_after(rig.maps, numbers[1])->number, numbers[2]);
  EXPECT_EQ(rig.store.change_after(rig.maps, numbers[4]), nullptr);
  rig.store.forget_history();
  EXPECT_FALSE(rig.store.has_history_since(rig.maps, numbers[3]));
  EXPECT_TRUE(rig.store.has_history_since(rig.maps, numbers[4]));
}

TEST(Store, ChangesOfOneKindDoNotShortenTheHistoryOfAnotherKind) {
  StoreRig rig(3);
  const std::uint64_t before = rig.put("a", "x")->number();
  for (int i = 0; i < 50; ++i) {
    auto secret = std::make_unique<api::Secret>();
    secret->mutable_metadata()->set_name("s");
    rig.store.put(rig.kinds.of<api::Secret>(), std::move(secret), {});
  }
  EXPECT_TRUE(rig.store.has_history_since(rig.maps, before));
}

TEST(StoreDeathTest, AWriteOfASubscriberAborts) {
  StoreRig rig;
  const auto subscription = rig.store.subscribe(&rig.maps, [&](const Change&) { rig.put("a", "y"); });
  EXPECT_DEATH(rig.put("a", "x"), "may not write");
}

RC_GTEST_PROP(Store,
              ReadsOfAnEarlierVersionReturnTheStateOfThatVersion,
              (std::vector<std::tuple<unsigned char, bool>> steps)) {
  StoreRig rig;
  std::vector<std::pair<std::uint64_t, std::vector<std::string>>> states{{rig.store.version(), {}}};
  int value = 0;
  for (const auto& [which, erase] : steps) {
    const std::string name = std::to_string(which % 5);
    if (erase && rig.store.find(rig.maps, "a", name)) {
      rig.store.erase(rig.maps, "a", name);
    } else {
      rig.put("a", name, std::to_string(value++));
    }
    states.emplace_back(rig.store.version(), rig.list());
  }
  for (const auto& [version, state] : states) {
    RC_ASSERT(rig.list_as_of(version) == state);
    for (int name = 0; name < 5; ++name) {
      VersionPtr found;
      RC_ASSERT(rig.store.find_as_of(version, rig.maps, "a", std::to_string(name), &found));
      const std::string prefix = fmt::format("a/{}=", name);
      const auto there = std::ranges::find_if(state, [&](const std::string& line) { return line.starts_with(prefix); });
      RC_ASSERT((found != nullptr) == (there != state.end()));
      if (found) RC_ASSERT(StoreRig::show(found) == *there);
    }
  }
}

}  // namespace
}  // namespace rescheduler::sim
