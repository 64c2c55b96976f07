#include "sim/frontend/request_body.h"

#include <algorithm>
#include <charconv>

#include <boost/json.hpp>
#include <google/protobuf/message.h>

#include "kube/codec/json_value.h"
#include "kube/codec/protobuf.h"
#include "kube/config/yaml.h"
#include "kube/config/yaml_json.h"
#include "kube/proto/meta.pb.h"
#include "sim/frontend/encoding.h"
#include "sim/frontend/media.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

StatusError unknown_format() {
  return unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types include: application/json, "
      "application/yaml, application/vnd.kubernetes.protobuf");
}

bool is_object_itself(std::string_view subresource) {
  return subresource != "scale" && subresource != "binding" && subresource != "eviction";
}

ApiResult<MessagePtr> from_protobuf(const Kind& kind, MessagePtr into, std::string_view body, bool itself) {
  // The body of a SelfSubjectReview is empty, so it needs no wire type.
  if (kind.kind == "SelfSubjectReview") return into;
  if (itself && !has_protobuf(kind)) {
    return refuse(unsupported_media_type(
        fmt::format("the embedded cluster takes {} as application/json and application/yaml only", kind.qualified())));
  }
  auto envelope = kube::open_envelope(body);
  if (!envelope) return refuse(bad_request(envelope.error().message));
  const kube::ResourceType& wanted = kube::resource_of(*into->GetDescriptor());
  // Evictions also come as policy/v1beta1. For all bodies that are not the object itself, only the kind is compared.
  const bool named = !envelope->kind.empty();
  if (named && (envelope->kind != wanted.kind || (itself && envelope->api_version != kind.api_version()))) {
    return refuse(bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}", envelope->kind,
                                          envelope->api_version, wanted.kind)));
  }
  auto decoded = kube::decode_bare(envelope->raw, *into, kube::UnknownFields::Drop);
  if (!decoded) return refuse(bad_request(decoded.error().message));
  return into;
}

ApiResult<MessagePtr> other_from_json(MessagePtr into, std::string_view text) {
  json::error_code error;
  json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  if (error || !value.is_object()) return refuse(bad_request("the body of the request is not a JSON object"));
  const std::string wanted(kube::resource_of(*into->GetDescriptor()).kind);
  const json::value* kind = value.get_object().if_contains("kind");
  if (kind != nullptr && kind->is_string() && kind->get_string() != wanted && !kind->get_string().empty()) {
    return refuse(
        bad_request(fmt::format("the body of the request is a {}, expected a {}",
                                std::string_view(kind->get_string().data(), kind->get_string().size()), wanted)));
  }
  value.get_object().erase("apiVersion");
  value.get_object().erase("kind");
  auto read = kube::from_json_value(value, *into);
  if (!read) return refuse(bad_request(read.error().message));
  return into;
}

ApiResult<void> add_query_options(const Query& query, api::DeleteOptions& options) {
  if (const std::string grace = query.get("gracePeriodSeconds"); !grace.empty()) {
    std::int64_t seconds = 0;
    const auto [end, problem] = std::from_chars(grace.data(), grace.data() + grace.size(), seconds);
    if (problem != std::errc{} || end != grace.data() + grace.size()) {
      return refuse(bad_request(fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", grace)));
    }
    options.set_grace_period_seconds(seconds);
  }
  if (query.has("propagationPolicy")) options.set_propagation_policy(query.get("propagationPolicy"));
  if (query.has("orphanDependents")) options.set_orphan_dependents(query.flag("orphanDependents"));
  return {};
}

}  // namespace

ApiResult<std::string> yaml_as_json(std::string_view text) {
  auto node = kube::parse_yaml(text, "body");
  if (!node) return refuse(bad_request(fmt::format("error decoding YAML: {}", node.error().message)));
  return kube::yaml_to_json(*node);
}

ApiResult<MessagePtr> read_body(const Kind& kind,
                                std::string_view subresource,
                                const net::HttpRequest& request,
                                bool strict) {
  const bool itself = is_object_itself(subresource);
  const std::string type = bare_media_type(request.headers.get("Content-Type", "application/json"));
  if (type == kube::media_type(kube::Encoding::Protobuf)) {
    return from_protobuf(kind, make_body(kind, subresource), request.body, itself);
  }
  if (type == "application/yaml") {
    auto text = yaml_as_json(request.body);
    if (!text) return refuse(std::move(text.error()));
    return itself ? object_from_json(kind, *text, strict) : other_from_json(make_body(kind, subresource), *text);
  }
  // As in the real server, a body with another media type is not read as JSON. curl sends the media type of a form by
  // default.
  if (type != kube::media_type(kube::Encoding::Json)) return refuse(unknown_format());
  return itself ? object_from_json(kind, request.body, strict)
                : other_from_json(make_body(kind, subresource), request.body);
}

ApiResult<std::shared_ptr<const api::DeleteOptions>> read_delete_options(const Query& query,
                                                                         const net::HttpRequest& request) {
  auto options = std::make_unique<api::DeleteOptions>();
  if (request.body.empty()) {
    auto added = add_query_options(query, *options);
    if (!added) return refuse(std::move(added.error()));
    return std::shared_ptr<const api::DeleteOptions>(std::move(options));
  }
  const std::string type = bare_media_type(request.headers.get("Content-Type", "application/json"));
  ApiResult<MessagePtr> read = refuse(unknown_format());
  if (type == kube::media_type(kube::Encoding::Protobuf)) {
    read = from_protobuf({}, std::move(options), request.body, false);
  } else if (type == kube::media_type(kube::Encoding::Json)) {
    read = other_from_json(std::move(options), request.body);
  }
  if (!read) return refuse(std::move(read.error()));
  return std::shared_ptr<const api::DeleteOptions>(static_cast<const api::DeleteOptions*>(read->release()));
}

}  // namespace rescheduler::sim
