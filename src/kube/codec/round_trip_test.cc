// Properties that hold for every kind, checked on random objects with a fixed seed.
#include <gmock/gmock.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "kube/codec/json.h"
#include "kube/codec/list_reader.h"
#include "kube/codec/protobuf.h"
#include "kube/codec/random_message.h"
#include "kube/codec/resource.h"
#include "kube/codec/watch_event.h"
#include "kube/codec/watch_frames.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

using google::protobuf::Message;

std::string message_of(const Result<void>& result) { return result ? "" : result.error().message; }

template <class T>
std::string message_of(const Result<T>& result) {
  return result ? "" : result.error().message;
}

std::unique_ptr<Message> random_object(const ResourceType& kind, std::uint64_t seed, unsigned density) {
  Rng rng(seed);
  auto object = kind.make();
  fill_randomly(*object, rng, density);
  return object;
}

constexpr std::uint64_t kSeeds = 12;
constexpr unsigned kUsual = 25;

TEST(EveryKind, IsUnchangedAfterAProtobufRoundTrip) {
  for (const ResourceType& kind : all_resources()) {
    SCOPED_TRACE(kind.kind);
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const auto object = random_object(kind, seed, kUsual);
      const std::string bytes = encode_protobuf(*object);
      const auto back = kind.make();
      const auto decoded = decode_protobuf(bytes, *back, UnknownFields::Drop);
      ASSERT_TRUE(decoded) << message_of(decoded) << " (seed " << seed << ")";
      ASSERT_FALSE(decoded->is_status());
      ASSERT_EQ(encode_bare(*back), encode_bare(*object)) << "seed " << seed;
    }
  }
}

TEST(EveryKind, IsDecodedWithoutZeroValuesOfGoAndUnknownFields) {
  for (const ResourceType& kind : all_resources()) {
    SCOPED_TRACE(kind.kind);
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const auto object = random_object(kind, seed, kUsual);
      const auto sent = random_object(kind, seed, kUsual);
      Rng rng(seed);
      add_go_zeros(*sent);
      add_unknown_fields(*sent, rng);
      const auto lean = kind.make();
      ASSERT_TRUE(decode_protobuf(encode_protobuf(*sent), *lean, UnknownFields::Drop));
      ASSERT_EQ(encode_bare(*lean), encode_bare(*object)) << "seed " << seed;
      const auto whole = kind.make();
      ASSERT_TRUE(decode_protobuf(encode_protobuf(*sent), *whole, UnknownFields::Keep));
      ASSERT_EQ(encode_bare(*whole), encode_bare(*sent)) << "seed " << seed;
      ASSERT_EQ(to_json(*whole), to_json(*object)) << "seed " << seed;
    }
  }
}

TEST(EveryKind, IsUnchangedAfterAJsonRoundTrip) {
  for (const ResourceType& kind : all_resources()) {
    SCOPED_TRACE(kind.kind);
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const auto object = random_object(kind, seed, kUsual);
      const std::string text = to_json(*object);
      const auto back = kind.make();
      const auto read = from_json(text, *back, UnknownFields::Refuse);
      ASSERT_TRUE(read) << message_of(read) << " (seed " << seed << ")\n" << text;
      ASSERT_EQ(encode_bare(*back), encode_bare(*object)) << "seed " << seed << "\n" << text;
    }
  }
}

TEST(EveryKind, HasTheSameJsonAfterAProtobufRoundTrip) {
  for (const ResourceType& kind : all_resources()) {
    SCOPED_TRACE(kind.kind);
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const std::string text = to_json(*random_object(kind, seed, kUsual));
      const auto from_text = kind.make();
      ASSERT_TRUE(from_json(text, *from_text));
      const auto from_bytes = kind.make();
      ASSERT_TRUE(decode_protobuf(encode_protobuf(*from_text), *from_bytes, UnknownFields::Keep));
      ASSERT_EQ(to_json(*from_bytes), text) << "seed " << seed;
    }
  }
}

TEST(EveryKind, IsRefusedAfterEveryTruncationWithoutChangingTheTarget) {
  for (const ResourceType& kind : all_resources()) {
    SCOPED_TRACE(kind.kind);
    constexpr unsigned kSparse = 12;
    const auto object = random_object(kind, 1, kSparse);
    const auto target = random_object(kind, 2, kSparse);
    const std::string before = encode_bare(*target);
    const std::string bytes = encode_protobuf(*object);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ASSERT_FALSE(decode_protobuf(std::string_view(bytes).substr(0, size), *target, UnknownFields::Keep)) << size;
    }
    const std::string text = to_json(*object);
    for (std::size_t size = 0; size < text.size(); ++size) {
      ASSERT_FALSE(from_json(std::string_view(text).substr(0, size), *target)) << size;
    }
    EXPECT_EQ(encode_bare(*target), before);
  }
}

// Without envelope, the truncation may fall between two fields: then the shorter object is valid. Otherwise the target
// stays unchanged.
TEST(EveryKind, AFailedBareDecodeDoesNotChangeTheTarget) {
  for (const ResourceType& kind : all_resources()) {
    SCOPED_TRACE(kind.kind);
    const std::string bytes = encode_bare(*random_object(kind, 3, 12));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const auto target = random_object(kind, 4, 5);
      const std::string before = encode_bare(*target);
      const auto decoded = decode_bare(std::string_view(bytes).substr(0, size), *target, UnknownFields::Keep);
      if (!decoded) {
        ASSERT_EQ(encode_bare(*target), before) << size;
      }
    }
  }
}

TEST(EveryKind, IsReadFromAWatchStreamCutIntoPiecesOfAnySize) {
  for (const ResourceType& kind : all_resources()) {
    SCOPED_TRACE(kind.kind);
    for (const Encoding encoding : {Encoding::Protobuf, Encoding::Json}) {
      std::string stream;
      std::vector<std::string> sent;
      if (kind.kind == "Status") continue;
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const auto object = random_object(kind, seed, 10);
        sent.push_back(encode_bare(*object));
        stream += encode_watch_event(encoding, WatchEventType::Modified, *object);
      }
      for (const std::size_t step : {std::size_t{1}, std::size_t{7}, stream.size()}) {
        WatchFrames frames(encoding);
        std::vector<std::string> received;
        for (std::size_t at = 0; at < stream.size(); at += step) {
          frames.feed(std::string_view(stream).substr(at, step));
          while (true) {
            const auto frame = frames.next();
            ASSERT_TRUE(frame) << message_of(frame);
            if (!*frame) break;
            const auto object = kind.make();
            const auto event = decode_watch_event(encoding, **frame, *object, UnknownFields::Drop);
            ASSERT_TRUE(event) << message_of(event);
            received.push_back(encode_bare(*object));
          }
        }
        ASSERT_EQ(received, sent) << "in steps of " << step;
        ASSERT_FALSE(frames.is_mid_frame());
      }
    }
  }
}

TEST(EveryKind, HasTheSameItemsWhenItsListIsReadItemByItem) {
  for (const ResourceType& kind : all_resources()) {
    SCOPED_TRACE(kind.kind);
    if (kind.list == nullptr) continue;
    for (const Encoding encoding : {Encoding::Protobuf, Encoding::Json}) {
      const auto list = kind.list->make();
      Rng rng(5);
      fill_randomly(*list, rng, 20);
      const auto& items = *list->GetDescriptor()->FindFieldByName("items");
      const std::string body = encoding == Encoding::Protobuf ? encode_protobuf(*list) : to_json(*list);
      int seen = 0;
      const auto answer = read_list(encoding, body, kind, UnknownFields::Drop, [&](auto item) -> Result<void> {
        EXPECT_EQ(encode_bare(*item), encode_bare(list->GetReflection()->GetRepeatedMessage(*list, &items, seen)));
        ++seen;
        return {};
      });
      ASSERT_TRUE(answer) << message_of(answer);
      EXPECT_EQ(seen, list->GetReflection()->FieldSize(*list, &items));
      const auto& meta = static_cast<const api::ListMeta&>(
          list->GetReflection()->GetMessage(*list, list->GetDescriptor()->FindFieldByName("metadata")));
      EXPECT_EQ(answer->resource_version, meta.resource_version());
      EXPECT_EQ(answer->continue_token, meta.continue_());
      EXPECT_EQ(answer->remaining, meta.remaining_item_count());
    }
  }
}

// Protobuf's public reflection would leave a second copy of every map in the object.
TEST(EveryKind, UsesNoMoreMemoryAfterEncoding) {
  for (const ResourceType& kind : all_resources()) {
    SCOPED_TRACE(kind.kind);
    const auto object = random_object(kind, 6, kUsual);
    const std::size_t before = object->SpaceUsedLong();
    (void)to_json(*object);
    (void)encode_protobuf(*object);
    EXPECT_EQ(object->SpaceUsedLong(), before);
  }
}

}  // namespace
}  // namespace rescheduler::kube
