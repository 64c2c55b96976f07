#include "kube/events/event_record.h"

#include <gtest/gtest.h>

#include "kube/proto/core_common.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/events.pb.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

using namespace std::chrono_literals;

EventRecord moved(std::string pod) {
  EventRecord record;
  record.regarding = ObjectRef{"v1", "Pod", "web", std::move(pod), "u1", "7", ""};
  record.reason = "Rescheduled";
  record.action = "Moving";
  record.note = "moved to node b";
  return record;
}

TEST(EventRecord, LongTextsAreCutBetweenCharacters) {
  EventRecord record = moved("p");
  record.note = std::string(1020, 'x') + "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC";  // three euro signs, 3 bytes each
  EXPECT_EQ(within_limits(record).note, std::string(1020, 'x') + "...");
  record.note = std::string(1021, 'x') + "\xE2\x82\xAC";  // 1024 bytes: fits
  EXPECT_EQ(within_limits(record).note, record.note);
  record.reason = std::string(127, 'r') + "\xC3\xA4" + "tail";
  EXPECT_EQ(within_limits(record).reason, std::string(127, 'r'));
}

TEST(EventRecord, AnEmptyReasonOrActionIsFilledIn) {
  EventRecord record = moved("p");
  record.action.clear();
  EXPECT_EQ(within_limits(record).action, "Rescheduled");
  record.reason.clear();
  EXPECT_EQ(within_limits(record).reason, "Unknown");
}

TEST(EventRecord, TheResourceVersionDoesNotChangeTheSeries) {
  EventRecord later = moved("p");
  later.regarding.resource_version = "8";
  EXPECT_EQ(series_key(moved("p")), series_key(later));
}

TEST(EventRecord, AnyDifferentVisibleFieldMakesAnotherSeries) {
  const std::string key = series_key(moved("p"));
  EventRecord other = moved("p");
  other.note = "moved to node c";
  EXPECT_NE(series_key(other), key);
  other = moved("p");
  other.type = EventType::Warning;
  EXPECT_NE(series_key(other), key);
  other = moved("p");
  other.regarding.uid = "u2";  // deleted and created again with the same name
  EXPECT_NE(series_key(other), key);
  other = moved("p");
  other.related = ObjectRef{"v1", "Node", "", "b", "", "", ""};
  EXPECT_NE(series_key(other), key);
  other = moved("p");
  other.reason = "RescheduledM";
  other.action = "oving";
  EXPECT_NE(series_key(other), key) << "the key must separate the fields";
}

TEST(EventName, IsTheObjectNameAndTheTimeInHex) { EXPECT_EQ(event_name("api-0", 0x17a3b2), "api-0.17a3b2"); }

TEST(EventName, IsValidForEveryObjectName) {
  EXPECT_EQ(event_name("system:node:A", 1), "system-node-a.1");
  EXPECT_EQ(event_name(":::", 1), "event.1");
  EXPECT_EQ(event_name("", 1), "event.1");
  const std::string longest = event_name(std::string(253, 'a'), 0x7fffffffffffffff);
  EXPECT_EQ(longest.size(), 253u);
  EXPECT_EQ(event_name(std::string(235, 'a') + "." + std::string(17, 'b'), 0x1000000000000000).find(".."),
            std::string::npos);
}

TEST(EventRecord, IsConvertedToAnEventOfTheEventsApi) {
  const WallTime first{1'700'000'000s + 123'456'789ns};
  EventRecord record = moved("api-0");
  record.related = ObjectRef{"v1", "Node", "", "b", "", "", ""};
  const api::Event event = to_event(record, EventSeries{"api-0.1", first, first, 1}, {"rescheduler", "host-1"});
  EXPECT_EQ(event.metadata().name(), "api-0.1");
  EXPECT_EQ(event.metadata().namespace_(), "web");
  EXPECT_EQ(event.event_time().seconds(), 1'700'000'000);
  EXPECT_EQ(event.event_time().nanos(), 123'456'000) << "the API stores microseconds";
  EXPECT_EQ(event.type(), "Normal");
  EXPECT_EQ(event.regarding().kind(), "Pod");
  EXPECT_EQ(event.regarding().uid(), "u1");
  EXPECT_EQ(event.related().name(), "b");
  EXPECT_EQ(event.reporting_controller(), "rescheduler");
  EXPECT_EQ(event.reporting_instance(), "host-1");
  EXPECT_FALSE(event.has_series());
}

TEST(EventRecord, TheEventOfAClusterScopedObjectIsInTheDefaultNamespace) {
  EventRecord record = moved("x");
  record.regarding = ObjectRef{"v1", "Node", "", "node-1", "", "", ""};
  const api::Event event = to_event(record, EventSeries{"node-1.1", {}, {}, 1}, {"rescheduler", ""});
  EXPECT_EQ(event.metadata().namespace_(), "default");
  EXPECT_FALSE(event.regarding().has_namespace_());
  EXPECT_EQ(event.reporting_instance(), "rescheduler") << "the server requires an instance";
}

TEST(EventSeries, IsPatchedWithCountAndLastTime) {
  const WallTime last{1'700'000'000s + 5'000ns};
  EXPECT_EQ(series_patch(EventSeries{"n", last, last, 7}),
            R"({"series":{"count":7,"lastObservedTime":"2023-11-14T22:13:20.000005Z"}})");
}

TEST(ObjectRef, IsMadeFromTheMetadataOfAnObject) {
  api::Pod pod;
  pod.mutable_metadata()->set_namespace_("web");
  pod.mutable_metadata()->set_name("api-0");
  pod.mutable_metadata()->set_uid("u1");
  const ObjectRef ref = ref_to(pod);
  EXPECT_EQ(ref.api_version, "v1");
  EXPECT_EQ(ref.kind, "Pod");
  EXPECT_EQ(ref.ns, "web");
  EXPECT_EQ(ref.name, "api-0");
  EXPECT_EQ(ref.uid, "u1");
}

}  // namespace
}  // namespace rescheduler::kube
