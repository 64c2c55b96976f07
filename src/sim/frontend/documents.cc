#include "sim/frontend/documents.h"

#include <algorithm>

#include "sim/frontend/discovery.h"
#include "sim/frontend/open_api.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kJson = "application/json";

TextAnswer json_answer(std::string body) { return {200, std::string(kJson), std::move(body)}; }

bool wants_aggregated(std::string_view accept) {
  // One clause of the list must have all three parameters, in any order.
  while (!accept.empty()) {
    const auto comma = accept.find(',');
    const std::string_view clause = accept.substr(0, comma);
    const auto has = [clause](std::string_view part) { return clause.find(part) != clause.npos; };
    if (has("as=APIGroupDiscoveryList") && has("g=apidiscovery.k8s.io") && has("v=v2") && !has("v=v2beta1"))
      return true;
    if (comma == accept.npos) break;
    accept.remove_prefix(comma + 1);
  }
  return false;
}

// "apps/v1" for "/apis/apps/v1" and the prefix "/apis/".
std::optional<std::string_view> rest_after(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return std::nullopt;
  return path.substr(prefix.size());
}

const ServedGroup* find_group(const std::vector<ServedGroup>& groups, std::string_view name) {
  const auto found = std::ranges::find_if(groups, [&](const auto& one) { return one.name == name; });
  return found == groups.end() ? nullptr : &*found;
}

const ServedVersion* find_version(const ServedGroup& group, std::string_view name) {
  const auto found = std::ranges::find_if(group.versions, [&](const auto& one) { return one.version == name; });
  return found == group.versions.end() ? nullptr : &*found;
}

}  // namespace

// Discovery changes only when a CustomResourceDefinition is added, changed or removed.
struct Documents::Cache {
  std::uint64_t revision = 0;
  bool filled = false;
  std::vector<ServedGroup> groups{};
  std::map<std::string, std::string, std::less<>> open_api{};

  void refresh(const KindRegistry& kinds) {
    if (filled && revision == kinds.revision()) return;
    filled = true;
    revision = kinds.revision();
    groups = served_groups(kinds);
    open_api.clear();
  }
};

TextAnswer page_not_found() { return {404, "text/plain; charset=utf-8", "404 page not found\n"}; }

Documents::Documents(const Server& server) : server_(server), cache_(std::make_unique<Cache>()) {}
Documents::~Documents() = default;

void Documents::add_path(std::string prefix, Page page) {
  const auto place = std::ranges::find_if(pages_, [&](const auto& one) { return one.first.size() < prefix.size(); });
  pages_.insert(place, {std::move(prefix), std::move(page)});
}

std::optional<TextAnswer> Documents::added(const std::string& path_and_query) const {
  for (const auto& [prefix, page] : pages_) {
    if (!path_and_query.starts_with(prefix)) continue;
    if (auto answer = page(path_and_query)) return answer;
  }
  return std::nullopt;
}

std::optional<TextAnswer> Documents::find(const std::string& path_and_query, std::string_view accept) {
  if (auto answer = added(path_and_query)) return answer;
  std::string_view path = path_and_query;
  path = path.substr(0, path.find('?'));
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  cache_->refresh(server_.kinds());
  if (path.starts_with("/openapi/")) return open_api(path, accept);
  return fixed(path, accept);
}

std::optional<TextAnswer> Documents::fixed(std::string_view path, std::string_view accept) {
  for (const std::string_view health : {"/healthz", "/livez", "/readyz"}) {
    if (path == health) return TextAnswer{.body = "ok"};
  }
  if (path == "/version") return json_answer(version_document());
  const auto& groups = cache_->groups;
  if (path == "/api" || path == "/apis") {
    const bool core = path == "/api";
    if (wants_aggregated(accept))
      return TextAnswer{200, std::string(kAggregatedType), aggregated_document(groups, core)};
    return json_answer(core ? core_versions_document() : groups_document(groups));
  }
  std::string_view group_name;
  std::string_view version_name;
  if (const auto version = rest_after(path, "/api/")) {
    version_name = *version;
  } else if (const auto rest = rest_after(path, "/apis/")) {
    group_name = rest->substr(0, rest->find('/'));
    if (group_name.empty()) return std::nullopt;
    if (group_name.size() < rest->size()) version_name = rest->substr(group_name.size() + 1);
  } else {
    return std::nullopt;
  }
  const ServedGroup* group = find_group(groups, group_name);
  if (group == nullptr) return std::nullopt;
  if (version_name.empty()) return json_answer(group_document(*group));
  const ServedVersion* version = find_version(*group, version_name);
  if (version == nullptr) return std::nullopt;
  return json_answer(resources_document(*group, *version));
}

namespace {

// The document of one group and version: /openapi/v3/api/VERSION or /openapi/v3/apis/GROUP/VERSION.
std::optional<std::string> open_api_v3(const std::vector<ServedGroup>& groups, std::string_view path) {
  auto rest = rest_after(path, "/openapi/v3/apis/");
  const bool core = !rest.has_value();
  if (core) rest = rest_after(path, "/openapi/v3/api/");
  if (!rest) return std::nullopt;
  const std::string_view name = core ? std::string_view() : rest->substr(0, rest->find('/'));
  const ServedGroup* group = find_group(groups, name);
  if (group == nullptr || (!core && name.size() == rest->size())) return std::nullopt;
  const ServedVersion* version = find_version(*group, core ? *rest : rest->substr(name.size() + 1));
  if (version == nullptr) return std::nullopt;
  return open_api_document(*group, *version);
}

}  // namespace

std::optional<TextAnswer> Documents::open_api(std::string_view path, std::string_view accept) {
  const auto& groups = cache_->groups;
  if (path == "/openapi/v3") return json_answer(open_api_index(groups, cache_->revision));
  const bool asked = accept.find(kOpenApiV2Asked) != accept.npos || accept.find(kOpenApiV2Protobuf) != accept.npos;
  const bool protobuf = path == "/openapi/v2" && asked;
  const std::string key = fmt::format("{}{}", path, protobuf ? "#protobuf" : "");
  auto& cached = cache_->open_api;
  auto found = cached.find(key);
  if (found == cached.end()) {
    std::optional<std::string> made;
    if (path == "/openapi/v2") {
      made = protobuf ? open_api_v2_protobuf(groups) : open_api_v2_json(groups);
    } else {
      made = open_api_v3(groups, path);
    }
    if (!made) return std::nullopt;
    found = cached.emplace(key, std::move(*made)).first;
  }
  return TextAnswer{200, std::string(protobuf ? kOpenApiV2Protobuf : kJson), found->second};
}

}  // namespace rescheduler::sim
