#include "sim/frontend/http_call.h"

#include <algorithm>
#include <charconv>

#include <google/protobuf/message.h>

#include "sim/frontend/encoding.h"
#include "sim/frontend/request_body.h"

namespace rescheduler::sim {
namespace {

using kube::Verb;

StatusError nowhere() { return {404, "", ""}; }
StatusError not_served() { return {404, "NotFound", "the server could not find the requested resource"}; }

// For a served group the answer is a Status, else Go's plain text.
StatusError nothing_at(const KindRegistry& kinds, std::string_view path) {
  constexpr std::string_view kGroups = "/apis/";
  if (path.starts_with("/api/")) return not_served();
  if (!path.starts_with(kGroups)) return nowhere();
  path.remove_prefix(kGroups.size());
  const std::string_view group = path.substr(0, path.find('/'));
  const std::vector<const Kind*> served = kinds.served();
  const bool known = std::ranges::any_of(served, [&](const Kind* kind) { return kind->group == group; });
  return known ? not_served() : nowhere();
}

StatusError not_allowed() {
  return {405, "MethodNotAllowed", "the server does not allow this method on the requested resource"};
}

StatusError not_acceptable(const Kind& kind) {
  return {406, "NotAcceptable",
          fmt::format("only the following media types are accepted: application/json{}",
                      has_protobuf(kind) ? ", application/vnd.kubernetes.protobuf" : "")};
}

ApiResult<Verb> verb_of(std::string_view method, bool one, const Query& query) {
  if (method == "GET") {
    if (query.flag("watch")) return Verb::Watch;
    return one ? Verb::Get : Verb::List;
  }
  if (method == "DELETE") return one ? Verb::Delete : Verb::DeleteCollection;
  if (one && method == "PUT") return Verb::Update;
  if (one && method == "PATCH") return Verb::Patch;
  if (method == "POST") return Verb::Create;
  return refuse(not_allowed());
}

// Whether the path fits the scope of the kind. Collections over all namespaces are read-only.
ApiResult<void> check_scope(const Kind& kind, const ResourcePath& path, Verb verb) {
  if (!kind.namespaced && !path.ns.empty()) return refuse(not_served());
  const bool across = verb == Verb::List || verb == Verb::Watch || verb == Verb::Create;
  if (kind.namespaced && path.ns.empty() && !(across && path.name.empty())) {
    return refuse(path.name.empty() ? not_allowed() : not_served());
  }
  if (verb == Verb::Create && !path.name.empty() && path.subresource.empty()) return refuse(not_allowed());
  // The path of a create names the namespace of a namespaced object.
  if (verb == Verb::Create && kind.namespaced && path.ns.empty()) return refuse(not_allowed());
  return {};
}

ApiResult<std::uint32_t> number_of(const Query& query, std::string_view key) {
  const std::string text = query.get(key);
  if (text.empty()) return 0;
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc{} && end == text.data() + text.size()) return number;
  return refuse(bad_request(fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax ({})", text, key)));
}

// As in the real server: fieldManager of the request, else the user agent up to the first slash.
std::string manager_of(const HttpCall& call, const net::HttpRequest& request) {
  std::string named = call.query.get("fieldManager");
  if (!named.empty()) return named;
  const std::string_view agent = request.headers.get("User-Agent");
  const std::string_view word = agent.substr(0, agent.find('/'));
  return word.empty() ? "unknown" : std::string(word);
}

ApiResult<WriteContext> context_of(const HttpCall& call, const net::HttpRequest& request) {
  WriteContext context;
  context.manager = manager_of(call, request);
  const std::string dry_run = call.query.get("dryRun");
  if (!dry_run.empty() && dry_run != "All") {
    return refuse(
        StatusError{422, "Invalid",
                    fmt::format("Invalid value: [\"{}\"]: dryRun: Unsupported value: \"{}\": supported values: "
                                "\"All\"",
                                dry_run, dry_run)});
  }
  context.dry_run = dry_run == "All";
  context.force = call.query.flag("force");
  context.strict = call.query.get("fieldValidation") == "Strict";
  return context;
}

ApiResult<kube::PatchKind> patch_kind_of(const HttpCall& call, std::string_view content_type) {
  const std::string type = bare_media_type(content_type);
  if (type == "application/json-patch+json") return kube::PatchKind::Json;
  if (type == "application/merge-patch+json") return kube::PatchKind::Merge;
  if (type == "application/apply-patch+yaml") return kube::PatchKind::Apply;
  const bool strategic = type == "application/strategic-merge-patch+json";
  if (strategic && call.kind->type != nullptr) return kube::PatchKind::StrategicMerge;
  return refuse(unsupported_media_type(fmt::format(
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, "
      "application/merge-patch+json, {}application/apply-patch+yaml",
      call.kind->type == nullptr ? "" : "application/strategic-merge-patch+json, ")));
}

ApiResult<void> read_patch(const HttpCall& call, const net::HttpRequest& request, Operation& operation) {
  auto kind = patch_kind_of(call, request.headers.get("Content-Type"));
  if (!kind) return refuse(std::move(kind.error()));
  operation.patch_kind = *kind;
  operation.patch = request.body;
  if (*kind != kube::PatchKind::Apply) return {};
  if (call.query.get("fieldManager").empty()) {
    return refuse(StatusError{422, "Invalid",
                              "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for "
                              "apply patch"});
  }
  auto json = yaml_as_json(request.body);
  if (!json) return refuse(std::move(json.error()));
  operation.patch = std::move(*json);
  return {};
}

}  // namespace

ApiResult<HttpCall> read_call(const KindRegistry& kinds, const net::HttpRequest& request) {
  const std::string_view target = request.target;
  const auto mark = std::min(target.find('?'), target.size());
  auto path = parse_resource_path(target.substr(0, mark));
  auto query = Query::parse(target.substr(std::min(mark + 1, target.size())));
  if (!path) return refuse(nothing_at(kinds, target.substr(0, mark)));
  if (!query) return refuse(bad_request("the query of the request has a malformed escape"));
  HttpCall call;
  call.path = std::move(*path);
  call.query = std::move(*query);
  call.kind = kinds.find(call.path.group, call.path.version, call.path.plural);
  if (call.kind == nullptr || call.path.version.empty()) {
    return refuse(nothing_at(kinds, target.substr(0, mark)));
  }
  auto verb = verb_of(request.method, !call.path.name.empty(), call.query);
  if (!verb) return refuse(std::move(verb.error()));
  call.verb = *verb;
  auto placed = check_scope(*call.kind, call.path, call.verb);
  if (!placed) return refuse(std::move(placed.error()));
  const auto format = negotiate(request.headers.get("Accept"), {has_protobuf(*call.kind), call.verb == Verb::List});
  if (!format) return refuse(not_acceptable(*call.kind));
  call.format = *format;
  return call;
}

ApiResult<Operation> operation_for(const HttpCall& call, const net::HttpRequest& request) {
  Operation operation;
  operation.verb = call.verb;
  operation.kind = call.kind;
  operation.ns = call.path.ns;
  operation.name = call.path.name;
  operation.subresource = call.path.subresource;
  auto context = context_of(call, request);
  if (!context) return refuse(std::move(context.error()));
  operation.context = std::move(*context);
  auto limit = number_of(call.query, "limit");
  if (!limit) return refuse(std::move(limit.error()));
  operation.query = {call.path.ns,
                     call.query.get("labelSelector"),
                     call.query.get("fieldSelector"),
                     *limit,
                     call.query.get("continue"),
                     call.query.get("resourceVersion"),
                     call.query.get("resourceVersionMatch")};
  if (call.verb == Verb::Patch) {
    auto read = read_patch(call, request, operation);
    if (!read) return refuse(std::move(read.error()));
  } else if (call.verb == Verb::Create || call.verb == Verb::Update) {
    auto body = read_body(*call.kind, call.path.subresource, request, operation.context.strict);
    if (!body) return refuse(std::move(body.error()));
    operation.body = std::move(*body);
  } else if (call.verb == Verb::Delete || call.verb == Verb::DeleteCollection) {
    auto options = read_delete_options(call.query, request);
    if (!options) return refuse(std::move(options.error()));
    operation.delete_options = std::move(*options);
  }
  return operation;
}

ApiResult<WatchQuery> watch_query_for(const HttpCall& call) {
  WatchQuery query;
  query.ns = call.path.ns;
  query.label_selector = call.query.get("labelSelector");
  query.field_selector = call.query.get("fieldSelector");
  if (!call.path.name.empty()) {
    query.field_selector += (query.field_selector.empty() ? "" : ",") + ("metadata.name=" + call.path.name);
  }
  query.resource_version = call.query.get("resourceVersion");
  query.bookmarks = call.query.flag("allowWatchBookmarks");
  query.send_initial_events = call.query.flag("sendInitialEvents");
  auto sound = check_watch(*call.kind, query.send_initial_events, call.query.get("resourceVersionMatch"));
  if (!sound) return refuse(std::move(sound.error()));
  return query;
}

}  // namespace rescheduler::sim
