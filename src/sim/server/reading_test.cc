#include <fmt/format.h>

#include "sim/server/server_fixture.h"

namespace rescheduler::sim {
namespace {

using kube::WatchEventType;

class ServerReadTest : public ServerFixture {
 protected:
  void add(int count) {
    for (int i = 0; i < count; ++i) {
      auto map = map_of(fmt::format("m{}", i), "1");
      (*map.mutable_metadata()->mutable_labels())["parity"] = i % 2 == 0 ? "even" : "odd";
      ASSERT_TRUE(server.create(map));
    }
  }
  void relabel(const std::string& name, const std::string& parity) {
    ASSERT_TRUE(server.modify<api::ConfigMap>(
        "web", name, [&](api::ConfigMap& map) { (*map.mutable_metadata()->mutable_labels())["parity"] = parity; }));
  }
  static std::string name_of(const VersionPtr& version) { return version->as<api::ConfigMap>()->metadata().name(); }
  static std::string show(const std::vector<ServedEvent>& events) {
    std::string text;
    for (const auto& event : events) {
      text += fmt::format("{}{} ", kube::to_string(event.type), event.version ? ":" + name_of(event.version) : "");
    }
    return text;
  }
};

TEST_F(ServerReadTest, LaterPagesShowTheStateOfTheFirstPage) {
  add(5);
  ListQuery query{.ns = "web", .limit = 2};
  auto page = server.list(maps, query);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->items.size(), 2U);
  EXPECT_EQ(page->remaining, 3);
  const std::string began = page->resource_version;
  ASSERT_TRUE(remove<api::ConfigMap>("m3"));
  ASSERT_TRUE(server.create(map_of("m33")));
  std::string names;
  while (!page->continue_token.empty()) {
    query.continue_token = page->continue_token;
    page = server.list(maps, query);
    ASSERT_TRUE(page) << page.error().message;
    EXPECT_EQ(page->resource_version, began);
    for (const auto& item : page->items) names += name_of(item) + " ";
  }
  EXPECT_EQ(names, "m2 m3 m4 ") << "m3 existed when the list began, m33 did not";
}

TEST_F(ServerReadTest, AContinueTokenOlderThanTheHistoryIsExpired) {
  add(5);
  ListQuery query{.ns = "web", .limit = 2};
  query.continue_token = server.list(maps, query)->continue_token;
  for (int i = 0; i < 200; ++i) relabel("m0", std::to_string(i));
  const auto late = server.list(maps, query);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, 410);
  query.continue_token = "nonsense";
  EXPECT_EQ(server.list(maps, query).error().code, 400);
}

TEST_F(ServerReadTest, SelectorsFilterListsAndUnknownFieldsAreRejected) {
  add(5);
  EXPECT_EQ(server.list(maps, {.ns = "web", .label_selector = "parity=odd"})->items.size(), 2U);
  EXPECT_EQ(server.list(maps, {.ns = "web", .field_selector = "metadata.name=m3"})->items.size(), 1U);
  EXPECT_EQ(server.list(maps, {.ns = "other"})->items.size(), 0U);
  const auto refused = server.list(maps, {.ns = "web", .field_selector = "data.v=1"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "field label not supported: data.v");
}

TEST_F(ServerReadTest, AWatchReportsTheChangesOfSelectedObjects) {
  add(3);
  auto watch = server.watch(
      maps,
      {.ns = "web", .label_selector = "parity=odd", .resource_version = std::to_string(server.store().version())});
  ASSERT_TRUE(watch);
  EXPECT_TRUE((*watch)->take(10)->empty());
  relabel("m0", "odd");   // starts to match
  relabel("m1", "even");  // stops matching
  relabel("m1", "odd");
  ASSERT_TRUE(server.modify<api::ConfigMap>("web", "m0", [](api::ConfigMap& m) { (*m.mutable_data())["v"] = "9"; }));
  ASSERT_TRUE(remove<api::ConfigMap>("m2"));  // never matched
  ASSERT_TRUE(remove<api::ConfigMap>("m0"));
  EXPECT_EQ(show(*(*watch)->take(10)), "ADDED:m0 DELETED:m1 ADDED:m1 MODIFIED:m0 DELETED:m0 ");
}

TEST_F(ServerReadTest, AWatchWithoutVersionStartsWithTheCurrentState) {
  add(2);
  auto watch = server.watch(maps, {.ns = "web", .bookmarks = true, .send_initial_events = true});
  ASSERT_TRUE(watch);
  relabel("m0", "none");
  const auto events = (*watch)->take(10);
  ASSERT_TRUE(events);
  EXPECT_EQ(show(*events), "ADDED:m0 ADDED:m1 BOOKMARK MODIFIED:m0 ");
  EXPECT_TRUE((*events)[2].initial_events_end);
}

TEST_F(ServerReadTest, AWatchThatIsTooSlowExpires) {
  add(1);
  auto watch = server.watch(maps, {.resource_version = std::to_string(server.store().version())});
  ASSERT_TRUE(watch);
  for (int i = 0; i < 200; ++i) relabel("m0", std::to_string(i));
  const auto taken = (*watch)->take(10);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, 410);
  const auto fresh = server.watch(maps, {.resource_version = "5"});
  ASSERT_FALSE(fresh);
  EXPECT_EQ(fresh.error().reason, "Expired");
}

TEST_F(ServerReadTest, ChangesOfOtherKindsDoNotExpireAWatch) {
  add(1);
  auto watch = server.watch(maps, {.resource_version = std::to_string(server.store().version())});
  ASSERT_TRUE(watch);
  for (int i = 0; i < 200; ++i) add_namespace(fmt::format("n{}", i));
  EXPECT_TRUE((*watch)->take(10)) << "changes of other kinds do not expire the watch";
  EXPECT_EQ((*watch)->bookmark().number, server.store().version());
}

TEST_F(ServerReadTest, AWatchIsNotifiedDuringTheWrite) {
  auto watch = server.watch(maps, {});
  ASSERT_TRUE(watch);
  int activity_count = 0;
  (*watch)->on_activity([&] { ++activity_count; });
  add(2);
  EXPECT_EQ(activity_count, 2);
}

}  // namespace
}  // namespace rescheduler::sim
