#include "kube/codec/list_reader.h"

#include <utility>

#include <boost/json/monotonic_resource.hpp>
#include <google/protobuf/message.h>

#include "base/check.h"
#include "kube/codec/json_text.h"
#include "kube/codec/json_value.h"
#include "kube/codec/wire.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

using google::protobuf::Message;

// These field numbers are the same in every list.
constexpr std::uint32_t kMetadata = 1;
constexpr std::uint32_t kItems = 2;

void take_meta(const api::ListMeta& meta, ListAnswer& answer) {
  answer.resource_version = meta.resource_version();
  answer.continue_token = meta.continue_();
  answer.remaining = meta.remaining_item_count();
}

ListAnswer with_meta(const Message& list, ListAnswer answer) {
  const google::protobuf::FieldDescriptor* metadata = list.GetDescriptor()->FindFieldByNumber(kMetadata);
  take_meta(static_cast<const api::ListMeta&>(list.GetReflection()->GetMessage(list, metadata)), answer);
  return answer;
}

boost::json::value take_items(boost::json::value& document) {
  boost::json::object* object = document.if_object();
  boost::json::value* items = object == nullptr ? nullptr : object->if_contains("items");
  return items == nullptr ? boost::json::value() : std::exchange(*items, nullptr);
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
    // Another type: this returns the Status, or an error that names the type.
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

namespace {

Result<ListAnswer> read_json_list(std::string_view body,
                                  const ResourceType& list,
                                  const ResourceType& item,
                                  UnknownFields unknown,
                                  const ListItem& on_item) {
  boost::json::monotonic_resource memory;
  auto document = parse_json(body, &memory);
  if (!document) return fail(std::move(document.error()).within(list.kind));
  ListAnswer answer;
  // Removes the items first, so that only the list's own fields are decoded here.
  boost::json::value items = take_items(*document);
  const auto empty = list.make();
  auto decoded = decode_json_value(*document, *empty, unknown);
  if (!decoded) return fail(std::move(decoded.error()).within(list.kind));
  answer.status = std::move(decoded->status);
  if (answer.status || items.is_null()) return with_meta(*empty, answer);
  if (!items.is_array()) return fail(Errc::Invalid, "{}: items: expected an array", list.kind);
  for (const boost::json::value& value : items.get_array()) {
    auto object = item.make();
    auto read = from_json_value(value, *object, unknown);
    if (read) read = on_item(std::move(object));
    if (!read) return fail(std::move(read.error()).within(fmt::format("{} item {}", list.kind, answer.items)));
    ++answer.items;
  }
  return with_meta(*empty, answer);
}

}  // namespace

Result<ListAnswer> read_list(Encoding encoding,
                             std::string_view body,
                             const ResourceType& item,
                             UnknownFields unknown,
                             const ListItem& on_item) {
  RESCHEDULER_CHECK(item.list != nullptr, "{} has no list type", item.kind);
  if (encoding == Encoding::Json) return read_json_list(body, *item.list, item, unknown, on_item);
  return read_protobuf_list(body, *item.list, [&](std::string_view bytes) -> Result<void> {
    auto object = item.make();
    auto decoded = decode_bare(bytes, *object, unknown);
    if (!decoded) return decoded;
    return on_item(std::move(object));
  });
}

}  // namespace rescheduler::kube
