#include "kube/codec/list_reader.h"

#include <google/protobuf/message.h>

#include "kube/codec/wire.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

using google::protobuf::Message;

// Every list has these two numbers.
constexpr std::uint32_t kMetadata = 1;
constexpr std::uint32_t kItems = 2;

void take_meta(const api::ListMeta& meta, ListAnswer& answer) {
  answer.resource_version = meta.resource_version();
  answer.continue_token = meta.continue_();
  answer.remaining = meta.remaining_item_count();
}

Result<void> read_fields(std::string_view raw,
                         const ResourceType& list,
                         const ListItemBytes& on_item,
                         ListAnswer& answer) {
  WireReader reader(raw);
  for (WireField field; reader.next(field);) {
    if (field.is_bytes(kMetadata)) {
      api::ListMeta meta;
      auto decoded = decode_bare(field.bytes, meta, UnknownFields::Drop);
      if (!decoded) return decoded;
      take_meta(meta, answer);
    } else if (field.is_bytes(kItems)) {
      auto taken = on_item(field.bytes);
      if (!taken) return fail(std::move(taken.error()).within(fmt::format("{} item {}", list.kind, answer.items)));
      ++answer.items;
    }
  }
  if (reader.fault() == nullptr) return {};
  return fail(Errc::Invalid, "a protobuf {} is broken at byte {}, after {} items: {}", list.kind, reader.offset(),
              answer.items, reader.fault());
}

}  // namespace

Result<ListAnswer> read_protobuf_list(std::string_view body, const ResourceType& list, const ListItemBytes& on_item) {
  ListAnswer answer;
  auto envelope = open_envelope(body);
  if (!envelope) return fail(std::move(envelope.error()));
  if (!list.matches(envelope->api_version, envelope->kind)) {
    // Not the list: a Status, or the error that says what it is.
    const auto empty = list.make();
    auto decoded = decode_protobuf(body, *empty, UnknownFields::Drop);
    if (!decoded) return fail(std::move(decoded.error()));
    answer.status = std::move(decoded->status);
    return answer;
  }
  auto read = read_fields(envelope->raw, list, on_item, answer);
  if (!read) return fail(std::move(read.error()));
  return answer;
}

}  // namespace rescheduler::kube
