// The first byte selects a kind, the rest is its JSON. A decoded object must stay the same when it is written in both
// layouts and through protobuf. The strict mode must not accept what the lenient mode rejects.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <google/protobuf/message.h>

#include "base/check.h"
#include "kube/codec/json.h"
#include "kube/codec/list_reader.h"
#include "kube/codec/protobuf.h"
#include "kube/codec/resource.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rescheduler;
  using kube::UnknownFields;
  if (size == 0) return 0;
  const auto kinds = kube::all_resources();
  const kube::ResourceType& kind = kinds[data[0] % kinds.size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);

  if (kind.list != nullptr) {
    (void)kube::read_list(kube::Encoding::Json, text, kind, UnknownFields::Drop,
                          [](auto) -> Result<void> { return {}; });
  }
  const auto object = kind.make();
  const bool lenient = kube::from_json(text, *object).has_value();
  const bool strict = kube::from_json(text, *kind.make(), UnknownFields::Refuse).has_value();
  RESCHEDULER_CHECK(lenient || !strict, "{} is read strictly but not leniently", kind.kind);
  if (!lenient) return 0;

  const std::string written = kube::to_json(*object);
  const auto again = kind.make();
  const auto read = kube::from_json(written, *again, UnknownFields::Refuse);
  RESCHEDULER_CHECK(read.has_value(), "our own JSON cannot be read: {}", read.error().message);
  RESCHEDULER_CHECK(kube::to_json(*again) == written, "{} changes when it is written and read", kind.kind);

  const auto from_bytes = kind.make();
  const auto decoded = kube::decode_protobuf(kube::encode_protobuf(*object), *from_bytes, UnknownFields::Drop);
  RESCHEDULER_CHECK(decoded.has_value(), "our own bytes cannot be read");
  RESCHEDULER_CHECK(kube::to_json(*from_bytes) == written, "{} changes when it is encoded as protobuf", kind.kind);
  return 0;
}
