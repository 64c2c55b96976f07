#include "kube/codec/protobuf.h"

#include <limits>
#include <memory>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>

#include "base/check.h"
#include "kube/codec/printable.h"
#include "kube/codec/resource.h"
#include "kube/codec/wire.h"
#include "kube/codec/wire_trim.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

using google::protobuf::Message;
using google::protobuf::io::ArrayOutputStream;
using google::protobuf::io::CodedOutputStream;

constexpr std::string_view kMagic("k8s\0", 4);
// Field numbers of the envelope (Unknown) and of its TypeMeta.
constexpr std::uint32_t kTypeMeta = 1;
constexpr std::uint32_t kRaw = 2;
constexpr std::uint32_t kContentEncoding = 3;
constexpr std::uint32_t kApiVersion = 1;
constexpr std::uint32_t kKind = 2;

constexpr std::uint32_t bytes_tag(std::uint32_t number) { return number << 3 | 2; }

std::size_t bytes_field_size(std::size_t content) {
  return 1 + CodedOutputStream::VarintSize32(static_cast<std::uint32_t>(content)) + content;
}

void write_bytes_field(CodedOutputStream& out, std::uint32_t number, std::string_view content) {
  out.WriteTag(bytes_tag(number));
  out.WriteVarint32(static_cast<std::uint32_t>(content.size()));
  out.WriteRaw(content.data(), static_cast<int>(content.size()));
}

// Protobuf stores sizes in an int. Real objects are far smaller; a larger object is a defect and must not be encoded.
std::size_t checked_size(const Message& object) {
  const std::size_t size = object.ByteSizeLong();
  RESCHEDULER_CHECK(size < std::numeric_limits<int>::max() / 2, "a {} of {} bytes cannot be encoded",
                    object.GetDescriptor()->name(), size);
  return size;
}

Unexpected broken_envelope(const WireReader& reader, std::size_t base) {
  return fail(Errc::Invalid, "the envelope of a protobuf object is broken at byte {}: {}", base + reader.offset(),
              reader.fault());
}

Result<void> read_type(std::string_view bytes, std::size_t base, Envelope& envelope) {
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.is_bytes(kApiVersion)) envelope.api_version = field.bytes;
    if (field.is_bytes(kKind)) envelope.kind = field.bytes;
  }
  if (reader.fault() != nullptr) return broken_envelope(reader, base);
  return {};
}

}  // namespace

bool has_protobuf_magic(std::string_view bytes) { return bytes.starts_with(kMagic); }

std::string encode_bare(const Message& object) {
  std::string out(checked_size(object), '\0');
  ArrayOutputStream array(out.data(), static_cast<int>(out.size()));
  CodedOutputStream stream(&array);
  stream.SetSerializationDeterministic(true);
  object.SerializeWithCachedSizes(&stream);
  return out;
}

std::string encode_protobuf(const Message& object) {
  const ResourceType& type = resource_of(*object.GetDescriptor());
  const std::string api_version = type.api_version();
  const std::size_t type_size = bytes_field_size(api_version.size()) + bytes_field_size(type.kind.size());
  const std::size_t raw_size = checked_size(object);

  std::string out(kMagic.size() + bytes_field_size(type_size) + bytes_field_size(raw_size), '\0');
  ArrayOutputStream array(out.data(), static_cast<int>(out.size()));
  CodedOutputStream stream(&array);
  stream.SetSerializationDeterministic(true);
  stream.WriteRaw(kMagic.data(), static_cast<int>(kMagic.size()));
  stream.WriteTag(bytes_tag(kTypeMeta));
  stream.WriteVarint32(static_cast<std::uint32_t>(type_size));
  write_bytes_field(stream, kApiVersion, api_version);
  write_bytes_field(stream, kKind, type.kind);
  stream.WriteTag(bytes_tag(kRaw));
  stream.WriteVarint32(static_cast<std::uint32_t>(raw_size));
  object.SerializeWithCachedSizes(&stream);
  return out;
}

Result<Envelope> open_envelope(std::string_view bytes) {
  if (!has_protobuf_magic(bytes)) {
    return fail(Errc::Invalid, "{} bytes were expected to be a protobuf object, but do not begin with k8s\\0",
                bytes.size());
  }
  Envelope envelope;
  bool has_object = false;
  WireReader reader(bytes.substr(kMagic.size()));
  for (WireField field; reader.next(field);) {
    if (field.is_bytes(kTypeMeta)) {
      auto read = read_type(field.bytes, kMagic.size() + field.offset, envelope);
      if (!read) return fail(std::move(read.error()));
    } else if (field.is_bytes(kRaw)) {
      envelope.raw = field.bytes;
      has_object = true;
    } else if (field.is_bytes(kContentEncoding) && !field.bytes.empty()) {
      return fail(Errc::Unsupported, "a protobuf object has a content encoding, which is not supported");
    }
  }
  if (reader.fault() != nullptr) return broken_envelope(reader, kMagic.size());
  // An empty object is still a field of length zero. Without the field, the bytes were truncated.
  if (!has_object)
    return fail(Errc::Invalid, "the envelope of a protobuf {} holds no object", printable(envelope.kind));
  return envelope;
}

Result<void> decode_bare(std::string_view bytes, Message& into, UnknownFields unknown) {
  const google::protobuf::Descriptor& type = *into.GetDescriptor();
  if (bytes.size() > std::numeric_limits<int>::max()) {
    return fail(Errc::Invalid, "a {} of {} bytes is too large to decode", type.name(), bytes.size());
  }
  std::string trimmed;
  const bool keep_all = unknown == UnknownFields::Keep;
  const bool readable = keep_all || WireTrim::of(type).trim(bytes, trimmed);
  const std::string_view source = keep_all ? bytes : std::string_view(trimmed);
  // Parses into a new message, so that `into` never holds half an object. The swap exchanges only a few pointers.
  const std::unique_ptr<Message> fresh(into.New());
  if (!readable || !fresh->ParsePartialFromArray(source.data(), static_cast<int>(source.size()))) {
    return fail(Errc::Invalid, "a protobuf {} cannot be decoded: {}", type.name(), describe_fault(bytes, type));
  }
  into.GetReflection()->Swap(&into, fresh.get());
  return {};
}

Result<Decoded> decode_protobuf(std::string_view bytes, Message& into, UnknownFields unknown) {
  const ResourceType& wanted = resource_of(*into.GetDescriptor());
  auto envelope = open_envelope(bytes);
  if (!envelope) return fail(std::move(envelope.error()));
  if (wanted.matches(envelope->api_version, envelope->kind)) {
    auto decoded = decode_bare(envelope->raw, into, unknown);
    if (!decoded) return fail(std::move(decoded.error()));
    return Decoded{};
  }
  if (resource_of<api::Status>().matches(envelope->api_version, envelope->kind)) {
    auto status = std::make_shared<api::Status>();
    auto decoded = decode_bare(envelope->raw, *status, unknown);
    if (!decoded) return fail(std::move(decoded.error()));
    return Decoded{std::move(status)};
  }
  return fail(Errc::Invalid, "expected a {} ({}), got a {} ({})", wanted.kind, wanted.api_version(),
              printable(envelope->kind), printable(envelope->api_version));
}

}  // namespace rescheduler::kube
