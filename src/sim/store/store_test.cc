#include "sim/store/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/proto/core.pb.h"

namespace rescheduler::sim {
namespace {

struct Shop {
  explicit Shop(std::size_t history = 1000) : store(StoreSettings{history}) {}

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

TEST(Store, EachChangeGetsAHigherVersionThatTheObjectCarries) {
  Shop shop;
  const VersionPtr first = shop.put("a", "x", "1");
  const VersionPtr second = shop.put("a", "x", "2");
  EXPECT_GT(second->number(), first->number());
  EXPECT_EQ(second->as<api::ConfigMap>()->metadata().resource_version(), std::to_string(second->number()));
  EXPECT_EQ(first->as<api::ConfigMap>()->data().at("v"), "1") << "a version once made never changes";
  EXPECT_EQ(shop.store.version(), second->number());
}

TEST(Store, ListsInOrderOfNamespaceAndNameAndFromAnyKeyOn) {
  Shop shop;
  // "a-b" sorts before "a/" as text; as a namespace it comes after "a".
  for (const auto* ns : {"b", "a-b", "a"}) {
    for (const auto* name : {"y", "x"}) shop.put(ns, name);
  }
  EXPECT_EQ(shop.list("a"), (std::vector<std::string>{"a/x=", "a/y="}));
  EXPECT_EQ(shop.list("a", "a/x"), (std::vector<std::string>{"a/y="}));
  EXPECT_EQ(shop.list().size(), 6U);
  EXPECT_EQ(shop.list({}, "a/y").back(), "b/y=");
}

TEST(Store, ErasingTellsTheLastStateUnderTheVersionOfItsRemoval) {
  Shop shop;
  std::vector<Change> changes;
  const auto subscription = shop.store.subscribe(&shop.maps, [&](const Change& change) { changes.push_back(change); });
  shop.put("a", "x", "1");
  shop.store.erase(shop.maps, "a", "x");
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[1].what, Change::What::Deleted);
  EXPECT_EQ(changes[1].after->number(), shop.store.version());
  EXPECT_EQ(changes[1].after->as<api::ConfigMap>()->data().at("v"), "1");
  EXPECT_EQ(shop.store.find(shop.maps, "a", "x"), nullptr);
}

TEST(Store, ADroppedSubscriptionHearsNoMoreAndOtherKindsAreNotHeard) {
  Shop shop;
  int notified = 0;
  auto maps = shop.store.subscribe(&shop.maps, [&](const Change&) { ++notified; });
  const auto secrets = shop.store.subscribe(&shop.kinds.of<api::Secret>(), [&](const Change&) { notified += 100; });
  shop.put("a", "x");
  EXPECT_EQ(notified, 1);
  maps.reset();
  shop.put("a", "y");
  EXPECT_EQ(notified, 1);
}

TEST(Store, HistoryIsBoundedAndSaysHowFarItReaches) {
  Shop shop(3);
  const std::uint64_t before = shop.store.version();
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 5; ++i) numbers.push_back(shop.put("a", "x", std::to_string(i))->number());
  EXPECT_FALSE(shop.store.has_history_since(shop.maps, before));
  EXPECT_FALSE(shop.store.has_history_since(shop.maps, numbers[0]));
  EXPECT_TRUE(shop.store.has_history_since(shop.maps, numbers[1]));
  EXPECT_EQ(shop.store.change_after(shop.maps, numbers[1])->number, numbers[2]);
  EXPECT_EQ(shop.store.change_after(shop.maps, numbers[4]), nullptr);
  shop.store.forget_history();
  EXPECT_FALSE(shop.store.has_history_since(shop.maps, numbers[3]));
  EXPECT_TRUE(shop.store.has_history_since(shop.maps, numbers[4]));
}

TEST(Store, OneKindsChangesDoNotPushOutAnothers) {
  Shop shop(3);
  const std::uint64_t before = shop.put("a", "x")->number();
  for (int i = 0; i < 50; ++i) {
    auto secret = std::make_unique<api::Secret>();
    secret->mutable_metadata()->set_name("s");
    shop.store.put(shop.kinds.of<api::Secret>(), std::move(secret), {});
  }
  EXPECT_TRUE(shop.store.has_history_since(shop.maps, before));
}

TEST(StoreDeathTest, ASubscriberThatWritesIsADefect) {
  Shop shop;
  const auto subscription = shop.store.subscribe(&shop.maps, [&](const Change&) { shop.put("a", "y"); });
  EXPECT_DEATH(shop.put("a", "x"), "may not write");
}

RC_GTEST_PROP(Store, ThePastReadsAsItWas, (std::vector<std::tuple<unsigned char, bool>> steps)) {
  Shop shop;
  std::vector<std::pair<std::uint64_t, std::vector<std::string>>> states{{shop.store.version(), {}}};
  int value = 0;
  for (const auto& [which, erase] : steps) {
    const std::string name = std::to_string(which % 5);
    if (erase && shop.store.find(shop.maps, "a", name)) {
      shop.store.erase(shop.maps, "a", name);
    } else {
      shop.put("a", name, std::to_string(value++));
    }
    states.emplace_back(shop.store.version(), shop.list());
  }
  for (const auto& [version, state] : states) {
    RC_ASSERT(shop.list_as_of(version) == state);
    for (int name = 0; name < 5; ++name) {
      VersionPtr found;
      RC_ASSERT(shop.store.find_as_of(version, shop.maps, "a", std::to_string(name), &found));
      const std::string prefix = fmt::format("a/{}=", name);
      const auto there = std::ranges::find_if(state, [&](const std::string& line) { return line.starts_with(prefix); });
      RC_ASSERT((found != nullptr) == (there != state.end()));
      if (found) RC_ASSERT(Shop::show(found) == *there);
    }
  }
}

}  // namespace
}  // namespace rescheduler::sim
