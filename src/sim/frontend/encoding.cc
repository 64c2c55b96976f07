#include "sim/frontend/encoding.h"

#include <google/protobuf/message.h>

#include "kube/codec/json.h"
#include "kube/codec/json_scalars.h"
#include "kube/codec/metadata.h"
#include "kube/codec/protobuf.h"
#include "kube/proto/meta.pb.h"
#include "sim/frontend/served_object.h"
#include "sim/frontend/tables/tables.h"
#include "sim/frontend/wire_writer.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {
namespace {

using kube::Encoding;

constexpr std::string_view kMagic("k8s\0", 4);
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

bool is_custom(const Message& object) { return object.GetDescriptor() == CustomObject::descriptor(); }

// Items of a list of a built-in kind have no apiVersion and kind.
bool items_name_their_type(const Kind& kind) { return kind.type == nullptr || kind.stored_as != nullptr; }

// Managed fields are stored beside the object; in JSON they are in its metadata.
void add_managed_fields(const std::string& managed_fields, std::string& json) {
  constexpr std::string_view kMetadata = "\"metadata\":{";
  const auto found = json.find(kMetadata);
  if (managed_fields.empty() || found == json.npos) return;
  const auto place = found + kMetadata.size();
  const bool first_and_last = json[place] == '}';
  json.insert(place, "\"managedFields\":" + managed_fields + (first_and_last ? "" : ","));
}

std::string type_meta(std::string_view api_version, std::string_view kind) {
  WireWriter type;
  type.bytes(1, api_version);
  type.bytes(2, kind);
  return type.take();
}

std::string enveloped(std::string_view api_version, std::string_view kind, std::string_view object) {
  const std::string type = type_meta(api_version, kind);
  WireWriter out(kMagic.size() + WireWriter::bytes_size(1, type.size()) + WireWriter::bytes_size(2, object.size()));
  out.raw(kMagic);
  out.bytes(1, type);
  out.bytes(2, object);
  return out.take();
}

// A length-prefixed WatchEvent with an object that already has its envelope.
std::string frame(std::string_view type, std::string_view object) {
  const std::size_t extension = WireWriter::bytes_size(1, object.size());
  const std::size_t size = WireWriter::bytes_size(1, type.size()) + WireWriter::bytes_size(2, extension);
  WireWriter out(size + 4);
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out.raw(std::string(1, static_cast<char>(size >> shift & 0xffU)));
  out.bytes(1, type);
  out.begin_bytes(2, extension);
  out.bytes(1, object);
  return out.take();
}

api::PartialObjectMetadata metadata_only(const Message& object) {
  api::PartialObjectMetadata partial;
  *partial.mutable_metadata() = kube::metadata_of(object);
  return partial;
}

api::ListMeta list_meta(const Listing& listing) {
  api::ListMeta meta;
  if (!listing.resource_version.empty()) meta.set_resource_version(listing.resource_version);
  if (!listing.continue_token.empty()) meta.set_continue_(listing.continue_token);
  if (listing.remaining) meta.set_remaining_item_count(*listing.remaining);
  return meta;
}

std::string list_head(std::string_view kind, std::string_view api_version, const Listing& listing) {
  std::string out = "{\"kind\":";
  kube::append_json_string(out, kind);
  out += ",\"apiVersion\":";
  kube::append_json_string(out, api_version);
  out += ",\"metadata\":" + kube::to_json(list_meta(listing), {.with_type_meta = false}) + ",\"items\":[";
  return out;
}

}  // namespace

bool has_protobuf(const Kind& kind) {
  return kind.type != nullptr && kind.stored_as == nullptr && !kind.type->json_only;
}

std::string AnswerEncoder::json_of(const VersionPtr& version, const Message& object) const {
  std::string json =
      format_.shape == Format::Shape::Metadata ? kube::to_json(metadata_only(object)) : object_to_json(kind_, object);
  add_managed_fields(version->managed_fields(), json);
  return json;
}

std::string AnswerEncoder::table(const std::vector<VersionPtr>& rows,
                                 const ServedEvent* event,
                                 const Listing* listing) const {
  TableRequest request;
  request.include_object = table_.include_object;
  request.now = table_.now;
  request.with_columns = event == nullptr || !columns_sent_;
  if (event != nullptr) request.resource_version = std::to_string(event->number);
  if (listing != nullptr) {
    request.resource_version = listing->resource_version;
    request.continue_token = listing->continue_token;
    request.remaining = listing->remaining;
  } else if (event == nullptr && !rows.empty()) {
    request.resource_version = std::to_string(rows.front()->number());
  }
  return table_json(kind_, rows, request);
}

std::string AnswerEncoder::object(const VersionPtr& version) const {
  if (format_.encoding == Encoding::Protobuf) {
    if (format_.shape == Format::Shape::Metadata) return kube::encode_protobuf(metadata_only(*version->object()));
    return enveloped(kind_.api_version(), kind_.kind, version->bytes());
  }
  return format_.shape == Format::Shape::Table ? table({version}, nullptr, nullptr)
                                               : json_of(version, *version->object());
}

std::string AnswerEncoder::other(const Message& message) const {
  const bool of_kind = is_custom(message) || (kind_.type != nullptr && kind_.type->message == message.GetDescriptor());
  if (format_.encoding == Encoding::Protobuf) {
    // Kinds without a protobuf encoding get here only for metadata-only requests.
    return is_custom(message) ? kube::encode_protobuf(metadata_only(message)) : kube::encode_protobuf(message);
  }
  if (of_kind) return object_to_json(kind_, message);
  if (format_.shape != Format::Shape::Table) return kube::to_json(message);
  return table_json(message, {.include_object = table_.include_object, .now = table_.now});
}

std::string AnswerEncoder::json_list(const Listing& listing) const {
  const bool metadata = format_.shape == Format::Shape::Metadata;
  std::string out = metadata ? list_head("PartialObjectMetadataList", "meta.k8s.io/v1", listing)
                             : list_head(kind_.list_kind, kind_.api_version(), listing);
  bool first = true;
  for (const VersionPtr& version : listing.items) {
    if (!first) out += ',';
    first = false;
    const ObjectPtr object = version->object();
    if (metadata || items_name_their_type(kind_)) {
      out += json_of(version, *object);
    } else {
      std::string item = kube::to_json(*object, {.with_type_meta = false});
      add_managed_fields(version->managed_fields(), item);
      out += item;
    }
  }
  return out + "]}";
}

std::string AnswerEncoder::protobuf_list(const Listing& listing) const {
  const std::string meta = kube::encode_bare(list_meta(listing));
  if (format_.shape == Format::Shape::Metadata) {
    api::PartialObjectMetadataList list;
    *list.mutable_metadata() = list_meta(listing);
    for (const VersionPtr& version : listing.items) *list.add_items() = metadata_only(*version->object());
    return kube::encode_protobuf(list);
  }
  std::size_t size = WireWriter::bytes_size(1, meta.size());
  for (const VersionPtr& version : listing.items) size += WireWriter::bytes_size(2, version->bytes().size());
  const std::string type = type_meta(kind_.api_version(), kind_.list_kind);
  WireWriter out(kMagic.size() + WireWriter::bytes_size(1, type.size()) + WireWriter::bytes_size(2, size));
  out.raw(kMagic);
  out.bytes(1, type);
  out.begin_bytes(2, size);
  out.bytes(1, meta);
  for (const VersionPtr& version : listing.items) out.bytes(2, version->bytes());
  return out.take();
}

std::string AnswerEncoder::list(const Listing& listing) const {
  if (format_.encoding == Encoding::Protobuf) return protobuf_list(listing);
  return format_.shape == Format::Shape::Table ? table(listing.items, nullptr, &listing) : json_list(listing);
}

MessagePtr AnswerEncoder::bookmark_object(const ServedEvent& event) const {
  MessagePtr object = kind_.make();
  auto& metadata = kube::mutable_metadata_of(*object);
  metadata.set_resource_version(std::to_string(event.number));
  if (event.initial_events_end) (*metadata.mutable_annotations())[std::string(kInitialEventsEnd)] = "true";
  return object;
}

std::string AnswerEncoder::json_event_object(const ServedEvent& event) {
  if (format_.shape == Format::Shape::Table) {
    std::vector<VersionPtr> rows;
    if (event.version) rows.push_back(event.version);
    std::string json = table(rows, &event, nullptr);
    columns_sent_ = true;
    return json;
  }
  if (event.version) return json_of(event.version, *shown(event));
  const MessagePtr bookmark = bookmark_object(event);
  return format_.shape == Format::Shape::Metadata ? kube::to_json(metadata_only(*bookmark))
                                                  : object_to_json(kind_, *bookmark);
}

std::string AnswerEncoder::protobuf_event_object(const ServedEvent& event) const {
  const bool renumbered = event.version && event.number != event.version->number();
  if (event.version && !renumbered && format_.shape == Format::Shape::Whole) {
    return enveloped(kind_.api_version(), kind_.kind, event.version->bytes());
  }
  const ObjectPtr object = event.version ? shown(event) : ObjectPtr(bookmark_object(event));
  if (format_.shape == Format::Shape::Metadata) return kube::encode_protobuf(metadata_only(*object));
  return kube::encode_protobuf(*object);
}

std::string AnswerEncoder::event(const ServedEvent& event) {
  const std::string_view type = kube::to_string(event.type);
  if (format_.encoding == Encoding::Protobuf) return frame(type, protobuf_event_object(event));
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, json_event_object(event));
}

std::string AnswerEncoder::error_event(const StatusError& refusal) const {
  const std::string status = encode_refusal(refusal, format_.encoding);
  if (format_.encoding == Encoding::Protobuf) return frame("ERROR", status);
  return fmt::format("{{\"type\":\"ERROR\",\"object\":{}}}\n", status);
}

std::string AnswerEncoder::content_type(bool watch) const {
  std::string type(kube::media_type(format_.encoding));
  if (watch && format_.encoding == Encoding::Protobuf) type += ";stream=watch";
  return type;
}

std::string encode_refusal(const StatusError& refusal, Encoding encoding) {
  api::Status status = to_status(refusal);
  status.mutable_metadata();
  return encoding == Encoding::Protobuf ? kube::encode_protobuf(status) : kube::to_json(status);
}

}  // namespace rescheduler::sim
