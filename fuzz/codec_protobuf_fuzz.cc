// The first byte selects a kind, the rest is an object of this kind: bare, in an envelope, as a list and as a watch. A
// decoded object must stay the same when it is encoded, and its JSON must be stable after one round.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <google/protobuf/message.h>

#include "base/check.h"
#include "kube/codec/json.h"
#include "kube/codec/list_reader.h"
#include "kube/codec/protobuf.h"
#include "kube/codec/resource.h"
#include "kube/codec/watch_event.h"
#include "kube/codec/watch_frames.h"

namespace {

using namespace rescheduler;
using kube::UnknownFields;

std::string json_round(const std::string& text, const kube::ResourceType& kind) {
  const auto object = kind.make();
  const auto read = kube::from_json(text, *object);
  RESCHEDULER_CHECK(read.has_value(), "our own JSON cannot be read: {}", read.error().message);
  return kube::to_json(*object);
}

void check_bare(std::string_view bytes, const kube::ResourceType& kind, UnknownFields unknown) {
  const auto object = kind.make();
  if (!kube::decode_bare(bytes, *object, unknown)) return;
  const std::string encoded = kube::encode_bare(*object);
  const auto again = kind.make();
  RESCHEDULER_CHECK(kube::decode_bare(encoded, *again, unknown).has_value(), "our own bytes cannot be read");
  RESCHEDULER_CHECK(kube::encode_bare(*again) == encoded, "{} changes when it is encoded and decoded", kind.kind);
  // The first round can replace invalid UTF-8 and impossible times; later rounds must change nothing.
  const std::string settled = json_round(kube::to_json(*object), kind);
  RESCHEDULER_CHECK(json_round(settled, kind) == settled, "{} changes when it is written as JSON and read", kind.kind);
}

void check_stream(kube::Encoding encoding, std::string_view bytes, const kube::ResourceType& kind) {
  constexpr std::size_t kLargest = 1 << 16;
  kube::WatchFrames frames(encoding, kLargest);
  const std::size_t half = bytes.size() / 2;
  for (const std::string_view part : {bytes.substr(0, half), bytes.substr(half)}) {
    frames.feed(part);
    for (auto frame = frames.next(); frame && *frame; frame = frames.next()) {
      const auto object = kind.make();
      (void)kube::decode_watch_event(encoding, **frame, *object, UnknownFields::Drop);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto kinds = kube::all_resources();
  const kube::ResourceType& kind = kinds[data[0] % kinds.size()];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);

  check_bare(bytes, kind, UnknownFields::Drop);
  check_bare(bytes, kind, UnknownFields::Keep);
  const auto object = kind.make();
  (void)kube::decode_protobuf(bytes, *object, UnknownFields::Drop);
  if (kind.list != nullptr) {
    (void)kube::read_list(kube::Encoding::Protobuf, bytes, kind, UnknownFields::Drop,
                          [](auto) -> Result<void> { return {}; });
  }
  check_stream(kube::Encoding::Protobuf, bytes, kind);
  check_stream(kube::Encoding::Json, bytes, kind);
  return 0;
}
