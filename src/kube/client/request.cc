#include "kube/client/request.h"

#include "kube/codec/codec.h"

namespace rescheduler::kube {
namespace {

class Query {
 public:
  void add(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    text_ += text_.empty() ? '?' : '&';
    text_ += key;
    text_ += '=';
    text_ += net::percent_encode(value);
  }
  void add(std::string_view key, bool value) { add(key, value ? std::string_view{"true"} : std::string_view{}); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string query_for(const ApiCall& call) {
  Query query;
  query.add("labelSelector", call.label_selector);
  query.add("fieldSelector", call.field_selector);
  query.add("resourceVersion", call.resource_version);
  query.add("resourceVersionMatch", call.resource_version_match);
  if (call.verb == Verb::List) {
    if (call.limit > 0) query.add("limit", std::to_string(call.limit));
    query.add("continue", call.continue_token);
  }
  if (call.verb == Verb::Watch) {
    query.add("watch", true);
    query.add("allowWatchBookmarks", call.bookmarks);
    query.add("sendInitialEvents", call.send_initial_events);
    if (call.watch_for.count() > 0) query.add("timeoutSeconds", std::to_string(call.watch_for.count()));
  }
  const bool writes = call.verb == Verb::Create || call.verb == Verb::Update || call.verb == Verb::Patch;
  if (writes) query.add("fieldManager", call.field_manager);
  if (call.verb == Verb::Patch && call.patch_kind == PatchKind::Apply) query.add("force", call.force);
  if (call.dry_run) query.add("dryRun", std::string_view{"All"});
  return query.text();
}

std::string_view method_of(Verb verb) {
  switch (verb) {
    case Verb::Create: return "POST";
    case Verb::Update: return "PUT";
    case Verb::Patch: return "PATCH";
    case Verb::Delete:
    case Verb::DeleteCollection: return "DELETE";
    case Verb::Get:
    case Verb::List:
    case Verb::Watch: break;
  }
  return "GET";
}

std::string_view patch_media_type(PatchKind kind) {
  switch (kind) {
    case PatchKind::Json: return "application/json-patch+json";
    case PatchKind::Merge: return "application/merge-patch+json";
    case PatchKind::StrategicMerge: return "application/strategic-merge-patch+json";
    case PatchKind::Apply: return "application/apply-patch+yaml";
  }
  return "application/merge-patch+json";
}

std::string accepted_types(const ApiCall& call) {
  const std::string_view parameter = call.verb == Verb::Watch ? ";stream=watch" : "";
  std::string json = fmt::format("{}{}", media_type(Encoding::Json), parameter);
  if (call.resource->json_only) return json;
  return fmt::format("{}{},{}", media_type(Encoding::Protobuf), parameter, json);
}

void attach_body(const ApiCall& call, net::HttpRequest& request) {
  if (call.verb == Verb::Patch) {
    request.headers.set("Content-Type", patch_media_type(call.patch_kind));
    request.body = call.patch;
  } else if (call.body != nullptr) {
    const Encoding encoding = call.resource->json_only ? Encoding::Json : Encoding::Protobuf;
    request.headers.set("Content-Type", media_type(encoding));
    request.body = encode(encoding, *call.body);
  }
}

Result<void> check_path_segment(std::string_view what, std::string_view text) {
  // The server refuses such names too, but in a path they would name another object.
  if (text.find('/') != text.npos || text == "." || text == "..") {
    return fail(Errc::Invalid, "{} \"{}\" cannot be part of a path: a name has no slash and is not a dot", what, text);
  }
  return {};
}

}  // namespace

std::string resource_path(const ApiCall& call) {
  const ResourceType& resource = *call.resource;
  std::string path = resource.group.empty() ? fmt::format("/api/{}", resource.version)
                                            : fmt::format("/apis/{}/{}", resource.group, resource.version);
  if (resource.namespaced && !call.ns.empty()) path += "/namespaces/" + net::percent_encode(call.ns);
  path += '/';
  path += resource.plural;
  if (!call.name.empty()) path += '/' + net::percent_encode(call.name);
  if (!call.subresource.empty()) path += '/' + net::percent_encode(call.subresource);
  return path;
}

Result<net::HttpRequest> http_request_for(const ApiCall& call, std::string_view base_path) {
  for (const auto& [what, text] : {std::pair{"namespace", &call.ns}, {"name", &call.name}}) {
    if (auto checked = check_path_segment(what, *text); !checked) return fail(std::move(checked.error()));
  }
  const bool names_one =
      call.verb == Verb::Get || call.verb == Verb::Update || call.verb == Verb::Patch || call.verb == Verb::Delete;
  if (names_one && call.name.empty()) {
    return fail(Errc::Invalid, "{} needs the name of an object, and it is empty", describe(call));
  }
  net::HttpRequest request;
  request.method = method_of(call.verb);
  request.target = std::string{base_path} + resource_path(call) + query_for(call);
  request.headers.set("Accept", accepted_types(call));
  attach_body(call, request);
  return request;
}

}  // namespace rescheduler::kube
