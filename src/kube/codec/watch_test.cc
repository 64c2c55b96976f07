#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/codec/codec.h"
#include "kube/codec/list_reader.h"
#include "kube/codec/watch_event.h"
#include "kube/codec/watch_frames.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::kube {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// All frames of a stream, followed by the error if there was one.
std::vector<std::string> split(WatchFrames& frames, std::string_view bytes) {
  std::vector<std::string> found;
  frames.feed(bytes);
  while (true) {
    const auto frame = frames.next();
    if (!frame) found.push_back("error: " + frame.error().message);
    if (!frame || !*frame) return found;
    found.emplace_back(**frame);
  }
}

TEST(WatchFrames, SplitsProtobufFramesByLength) {
  WatchFrames frames(Encoding::Protobuf);
  EXPECT_THAT(split(frames, "\0\0\0\3abc\0\0\0\0\0\0\0\2d"s), ElementsAre("abc", ""));
  EXPECT_TRUE(frames.is_mid_frame());
  EXPECT_THAT(split(frames, "e"), ElementsAre("de"));
  EXPECT_FALSE(frames.is_mid_frame());
}

TEST(WatchFrames, ReadsALengthPrefixThatArrivesInTwoParts) {
  WatchFrames frames(Encoding::Protobuf);
  EXPECT_THAT(split(frames, "\0\0"s), ElementsAre());
  EXPECT_TRUE(frames.is_mid_frame());
  EXPECT_THAT(split(frames, "\0\1x"s), ElementsAre("x"));
}

TEST(WatchFrames, ReturnsWholeFramesWithoutCopying) {
  const std::string bytes = "\0\0\0\3abc"s;
  WatchFrames frames(Encoding::Protobuf);
  frames.feed(bytes);
  const auto frame = frames.next();
  ASSERT_TRUE(frame && *frame);
  EXPECT_EQ((*frame)->data(), bytes.data() + 4);
}

TEST(WatchFrames, ALengthBeyondTheLimitIsAPermanentError) {
  WatchFrames frames(Encoding::Protobuf);
  const std::string refusal = "error: a watch frame claims to have 1212499280 bytes, more than the limit of 67108864";
  EXPECT_THAT(split(frames, "HEEP more"), ElementsAre(refusal));
  EXPECT_THAT(split(frames, ""), ElementsAre(refusal));
}

TEST(WatchFrames, SplitsJsonAtTheEndOfEachObject) {
  WatchFrames frames(Encoding::Json);
  EXPECT_THAT(split(frames, "{\"a\":[{}]}\n\n{\"b\":\"}\\\"{\"} {}{\"c\""),
              ElementsAre("{\"a\":[{}]}", "{\"b\":\"}\\\"{\"}", "{}"));
  EXPECT_TRUE(frames.is_mid_frame());
  EXPECT_THAT(split(frames, ":1}\n"), ElementsAre("{\"c\":1}"));
  EXPECT_FALSE(frames.is_mid_frame());
}

TEST(WatchFrames, RefusesJsonThatIsNoObject) {
  WatchFrames frames(Encoding::Json);
  EXPECT_THAT(split(frames, "<html>"), ElementsAre(HasSubstr("must be a JSON object")));
}

TEST(WatchFrames, RefusesAJsonObjectLongerThanTheLimit) {
  WatchFrames frames(Encoding::Json, 1000);
  EXPECT_THAT(split(frames, "{\"a\":\"" + std::string(500, 'x')), ElementsAre());
  EXPECT_THAT(split(frames, std::string(600, 'x')), ElementsAre(HasSubstr("longer than the limit of 1000 bytes")));
}

api::Pod named(const std::string& name) {
  api::Pod pod;
  pod.mutable_metadata()->set_name(name);
  return pod;
}

std::string one_frame(Encoding encoding, const std::string& bytes) {
  WatchFrames frames(encoding);
  const auto found = split(frames, bytes);
  EXPECT_EQ(found.size(), 1U);
  return found.at(0);
}

class WatchEvents : public testing::TestWithParam<Encoding> {};

TEST_P(WatchEvents, DeliverTheStatusOfAnError) {
  api::Status gone;
  gone.set_code(410);
  const std::string frame = one_frame(GetParam(), encode_watch_event(GetParam(), WatchEventType::Error, gone));
  api::Pod pod = named("before");
  const auto event = decode_watch_event(GetParam(), frame, pod, UnknownFields::Drop);
  ASSERT_TRUE(event) << event.error().message;
  EXPECT_EQ(event->type, WatchEventType::Error);
  EXPECT_EQ(event->status->code(), 410);
  EXPECT_EQ(pod.metadata().name(), "before");
}

TEST_P(WatchEvents, AreRefusedWhenTypeAndContentDisagree) {
  const std::string frame = one_frame(GetParam(), encode_watch_event(GetParam(), WatchEventType::Error, named("a")));
  api::Pod pod = named("before");
  const auto event = decode_watch_event(GetParam(), frame, pod, UnknownFields::Drop);
  ASSERT_FALSE(event);
  EXPECT_EQ(event.error().message, "a watch event of type ERROR holds an object instead of a Status");
  EXPECT_EQ(pod.metadata().name(), "before");
}

TEST_P(WatchEvents, CarryEveryTypeOfChange) {
  for (const auto type :
       {WatchEventType::Added, WatchEventType::Modified, WatchEventType::Deleted, WatchEventType::Bookmark}) {
    const std::string frame = one_frame(GetParam(), encode_watch_event(GetParam(), type, named("a")));
    api::Pod pod;
    const auto event = decode_watch_event(GetParam(), frame, pod, UnknownFields::Drop);
    ASSERT_TRUE(event) << event.error().message;
    EXPECT_EQ(event->type, type);
    EXPECT_EQ(pod.metadata().name(), "a");
  }
}

INSTANTIATE_TEST_SUITE_P(BothEncodings, WatchEvents, testing::Values(Encoding::Protobuf, Encoding::Json));

TEST(WatchEvent, OfAnUnknownTypeIsRefused) {
  api::Pod pod;
  const auto event = decode_watch_event(Encoding::Json, R"({"type":"MOVED","object":{}})", pod, UnknownFields::Drop);
  ASSERT_FALSE(event);
  EXPECT_THAT(event.error().message, HasSubstr("unknown type \"MOVED\""));
}

class ReadListTest : public testing::TestWithParam<Encoding> {};

std::string three_pods(Encoding encoding) {
  api::PodList list;
  list.mutable_metadata()->set_resource_version("42");
  list.mutable_metadata()->set_continue_("more");
  list.mutable_metadata()->set_remaining_item_count(7);
  for (const char* name : {"a", "b", "c"}) *list.add_items() = named(name);
  return encode(encoding, list);
}

TEST_P(ReadListTest, ReadsTheListItemByItem) {
  std::string names;
  const auto answer = read_list<api::Pod>(GetParam(), three_pods(GetParam()), UnknownFields::Drop,
                                          [&](std::unique_ptr<api::Pod> pod) -> Result<void> {
                                            names += pod->metadata().name();
                                            return {};
                                          });
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(names, "abc");
  EXPECT_EQ(answer->items, 3U);
  EXPECT_EQ(answer->resource_version, "42");
  EXPECT_EQ(answer->continue_token, "more");
  EXPECT_EQ(answer->remaining, 7);
}

TEST_P(ReadListTest, StopsAtTheItemThatTheSinkRefuses) {
  int seen = 0;
  const auto answer = read_list<api::Pod>(GetParam(), three_pods(GetParam()), UnknownFields::Drop,
                                          [&](std::unique_ptr<api::Pod>) -> Result<void> {
                                            if (++seen == 2) return fail(Errc::Cancelled, "enough");
                                            return {};
                                          });
  ASSERT_FALSE(answer);
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(answer.error().code, Errc::Cancelled);
  EXPECT_THAT(answer.error().message, HasSubstr("PodList item 1"));
}

TEST_P(ReadListTest, ReturnsAStatusThatCameInsteadOfTheList) {
  api::Status gone;
  gone.set_code(410);
  const auto answer = read_list<api::Pod>(GetParam(), encode(GetParam(), gone), UnknownFields::Drop,
                                          [](std::unique_ptr<api::Pod>) -> Result<void> { return {}; });
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_NE(answer->status, nullptr);
  EXPECT_EQ(answer->status->code(), 410);
}

TEST_P(ReadListTest, RefusesAnObjectOfAnotherKind) {
  const auto answer = read_list<api::Pod>(GetParam(), encode(GetParam(), named("single")), UnknownFields::Drop,
                                          [](std::unique_ptr<api::Pod>) -> Result<void> { return {}; });
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("PodList"));
}

INSTANTIATE_TEST_SUITE_P(BothEncodings, ReadListTest, testing::Values(Encoding::Protobuf, Encoding::Json));

}  // namespace
}  // namespace rescheduler::kube
