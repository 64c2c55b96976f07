#include "kube/codec/protobuf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/codec/codec.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"

namespace rescheduler::kube {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

api::Pod small_pod() {
  api::Pod pod;
  pod.mutable_metadata()->set_name("a");
  return pod;
}

// Written by hand from the specification, so that an error that encoder and decoder share is detected.
const std::string kSmallPodBytes =
    "k8s\0"s            // magic
    "\x0a\x09"          // 1: type, 9 bytes
    "\x0a\x02v1"        //   1: apiVersion
    "\x12\x03Pod"       //   2: kind
    "\x12\x05"          // 2: raw, 5 bytes
    "\x0a\x03\x0a\x01"  //   1: metadata { 1: name
    "a"s;

TEST(Protobuf, WritesTheEnvelopeAsSpecified) { EXPECT_EQ(encode_protobuf(small_pod()), kSmallPodBytes); }

TEST(Protobuf, ReadsTheEnvelopeOfAGoServer) {
  // Go also writes the two empty content fields.
  api::Pod pod;
  const auto decoded = decode_protobuf(kSmallPodBytes + "\x1a\x00\x22\x00"s, pod, UnknownFields::Drop);
  ASSERT_TRUE(decoded);
  EXPECT_FALSE(decoded->is_status());
  EXPECT_EQ(pod.metadata().name(), "a");
}

TEST(Protobuf, ReturnsAStatusThatCameInsteadOfTheObject) {
  api::Status status;
  status.set_code(404);
  status.set_reason("NotFound");
  api::Pod pod = small_pod();
  const auto decoded = decode_protobuf(encode_protobuf(status), pod, UnknownFields::Drop);
  ASSERT_TRUE(decoded);
  ASSERT_TRUE(decoded->is_status());
  EXPECT_EQ(decoded->status->code(), 404);
  EXPECT_EQ(pod.metadata().name(), "a") << "the object must not change";
}

TEST(Protobuf, ARequestedStatusIsDecodedAsTheObject) {
  api::Status sent;
  sent.set_code(200);
  api::Status status;
  const auto decoded = decode_protobuf(encode_protobuf(sent), status, UnknownFields::Drop);
  ASSERT_TRUE(decoded);
  EXPECT_FALSE(decoded->is_status());
  EXPECT_EQ(status.code(), 200);
}

TEST(Protobuf, RefusesAnotherKindAndNamesBothKinds) {
  api::Node node;
  const auto decoded = decode_protobuf(kSmallPodBytes, node, UnknownFields::Drop);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message, "expected a Node (v1), got a \"Pod\" (\"v1\")");
}

TEST(Protobuf, KeepsUnknownFieldsOnlyWithKeep) {
  api::PodDisruptionBudget rich;  // has a third field, which PartialObjectMetadata lacks
  rich.mutable_status()->set_disruptions_allowed(3);
  const std::string bytes = encode_bare(rich);
  api::PartialObjectMetadata kept;
  ASSERT_TRUE(decode_bare(bytes, kept, UnknownFields::Keep));
  EXPECT_EQ(encode_bare(kept), bytes);
  api::PartialObjectMetadata lean;
  ASSERT_TRUE(decode_bare(bytes, lean, UnknownFields::Drop));
  EXPECT_EQ(encode_bare(lean), "");
}

TEST(Protobuf, DropsOnlyZeroValuesWithoutMeaning) {
  api::Pod sent;
  sent.mutable_metadata()->mutable_creation_timestamp()->set_seconds(0);  // 1970, not "no time"
  (*sent.mutable_metadata()->mutable_labels())["empty"] = "";
  sent.mutable_metadata()->add_finalizers("");
  sent.mutable_metadata()->set_generate_name("");
  sent.mutable_spec()->set_priority(0);
  sent.mutable_spec()->set_host_network(false);
  sent.mutable_spec()->add_volumes()->mutable_volume_source()->mutable_empty_dir();
  api::Pod pod;
  ASSERT_TRUE(decode_protobuf(encode_protobuf(sent), pod, UnknownFields::Drop));
  EXPECT_TRUE(pod.metadata().creation_timestamp().has_seconds());
  EXPECT_TRUE(pod.metadata().labels().contains("empty"));
  EXPECT_EQ(pod.metadata().finalizers_size(), 1);
  EXPECT_TRUE(pod.spec().has_priority());
  EXPECT_TRUE(pod.spec().volumes(0).volume_source().has_empty_dir());
  EXPECT_FALSE(pod.metadata().has_generate_name());
  EXPECT_FALSE(pod.spec().has_host_network());
}

TEST(Protobuf, ErrorsNameTheByteAndTheFieldOfInvalidInput) {
  api::Pod pod;
  pod.mutable_metadata()->set_name("web-0");
  pod.mutable_spec()->add_containers()->set_name("first");
  pod.mutable_spec()->add_containers()->set_name("second");
  std::string bytes = encode_bare(pod);
  bytes[bytes.find("second") - 1] = '\x7f';  // the length exceeds the available bytes
  const auto decoded = decode_bare(bytes, pod, UnknownFields::Drop);
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().message, HasSubstr("at byte 22 (spec.containers[1]): a field claims to be longer"));
  EXPECT_EQ(pod.metadata().name(), "web-0");
}

TEST(Protobuf, RefusesBytesThatAreNotAnEnvelope) {
  api::Pod pod;
  EXPECT_THAT(decode_protobuf("{\"kind\":\"Pod\"}", pod, UnknownFields::Drop).error().message, HasSubstr("k8s\\0"));
  EXPECT_THAT(decode_protobuf("k8s\0"s, pod, UnknownFields::Drop).error().message, HasSubstr("no object"));
  EXPECT_THAT(decode_protobuf("k8s\0\x0a\x7f"s, pod, UnknownFields::Drop).error().message, HasSubstr("at byte 4"));
}

TEST(Protobuf, RefusesACompressedBody) {
  api::Pod pod;
  const auto decoded = decode_protobuf(kSmallPodBytes + "\x1a\x04gzip"s, pod, UnknownFields::Drop);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, Errc::Unsupported);
}

TEST(Protobuf, RefusesVeryDeepNesting) {
  // Groups within groups, as unknown fields of a pod.
  api::Pod pod;
  EXPECT_FALSE(decode_bare(std::string(1'000'000, '\x7b'), pod, UnknownFields::Drop));
}

TEST(Protobuf, ErrorsShortenAVeryLongKind) {
  std::string type = "\x0a\x02v1\x12"s + "\xf0\x93\x09"s + std::string(150'000, 'x');
  std::string bytes = "k8s\0\x0a"s + "\xf8\x93\x09"s + type + "\x12\x00"s;
  api::Pod pod;
  const auto decoded = decode_protobuf(bytes, pod, UnknownFields::Drop);
  ASSERT_FALSE(decoded);
  EXPECT_THAT(decoded.error().message, HasSubstr("(150000 bytes)"));
  EXPECT_LT(decoded.error().message.size(), 300U);
}

TEST(Protobuf, EqualObjectsGiveEqualBytes) {
  api::Pod one;
  api::Pod other;
  for (int i = 0; i < 50; ++i) (*one.mutable_metadata()->mutable_labels())[std::to_string(i)] = "x";
  for (int i = 49; i >= 0; --i) (*other.mutable_metadata()->mutable_labels())[std::to_string(i)] = "x";
  EXPECT_EQ(encode_protobuf(one), encode_protobuf(other));
}

TEST(Codec, ReadsTheEncodingFromAContentType) {
  EXPECT_EQ(encoding_of("application/json"), Encoding::Json);
  EXPECT_EQ(encoding_of("application/json; charset=utf-8"), Encoding::Json);
  EXPECT_EQ(encoding_of("application/vnd.kubernetes.protobuf;stream=watch"), Encoding::Protobuf);
  EXPECT_FALSE(encoding_of("text/html"));
  EXPECT_FALSE(encoding_of(""));
}

}  // namespace
}  // namespace rescheduler::kube
