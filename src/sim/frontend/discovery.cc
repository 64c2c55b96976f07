#include "sim/frontend/discovery.h"

#include <algorithm>

#include "kube/codec/json.h"
#include "kube/proto/discovery.pb.h"
#include "sim/frontend/operation.h"
#include "sim/kinds/custom/custom_version.h"

namespace rescheduler::sim {
namespace {

std::string group_version(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
}

void set(api::GroupVersionKind& type, std::string_view group, std::string_view version, std::string_view kind) {
  type.set_group(std::string(group));
  type.set_version(std::string(version));
  type.set_kind(std::string(kind));
}

void add_address(api::ServerAddressByClientCIDR& address) {
  address.set_client_cidr("0.0.0.0/0");
  address.set_server_address("127.0.0.1");
}

template <class Strings>
void assign(const std::vector<std::string>& from, Strings* to) {
  to->Assign(from.begin(), from.end());
}

void fill(const ServedGroup& group, api::APIGroup& out) {
  out.set_name(group.name);
  for (const ServedVersion& version : group.versions) {
    auto& one = *out.add_versions();
    one.set_group_version(group_version(group.name, version.version));
    one.set_version(version.version);
  }
  *out.mutable_preferred_version() = out.versions(0);
}

void fill(const Kind& kind, api::APIResourceDiscovery& out) {
  out.set_resource(kind.plural);
  set(*out.mutable_response_kind(), kind.group, kind.version, kind.kind);
  out.set_scope(kind.namespaced ? "Namespaced" : "Cluster");
  out.set_singular_resource(kind.singular);
  assign(verbs_of(kind), out.mutable_verbs());
  assign(kind.short_names, out.mutable_short_names());
  assign(kind.categories, out.mutable_categories());
  for (const Subresource& sub : subresources_of(kind)) {
    auto& one = *out.add_subresources();
    one.set_subresource(sub.name);
    set(*one.mutable_response_kind(), sub.group, sub.version, sub.kind);
    assign(sub.verbs, one.mutable_verbs());
  }
}

}  // namespace

std::vector<std::string> verbs_of(const Kind& kind) {
  if (!kind.verbs.empty()) return kind.verbs;
  return {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
}

std::vector<ServedGroup> served_groups(const KindRegistry& kinds) {
  std::vector<ServedGroup> groups;
  const auto place = [](auto& all, const std::string& name, auto member) -> auto& {
    const auto found = std::ranges::find_if(all, [&](const auto& one) { return one.*member == name; });
    if (found != all.end()) return *found;
    auto& added = all.emplace_back();
    added.*member = name;
    return added;
  };
  for (const Kind* kind : kinds.served()) {
    ServedGroup& group = place(groups, kind->group, &ServedGroup::name);
    place(group.versions, kind->version, &ServedVersion::version).kinds.push_back(kind);
  }
  for (ServedGroup& group : groups) {
    std::ranges::sort(group.versions,
                      [](const auto& a, const auto& b) { return is_preferred_version(a.version, b.version); });
  }
  std::ranges::sort(groups, [](const auto& a, const auto& b) { return a.name < b.name; });
  return groups;
}

std::string version_document() {
  return fmt::format(
      R"({{"major":"1","minor":"36","emulationMajor":"1","emulationMinor":"36","minCompatibilityMajor":"1",)"
      R"("minCompatibilityMinor":"35","gitVersion":"{}","gitCommit":"0000000000000000000000000000000000000000",)"
      R"("gitTreeState":"clean","buildDate":"2024-01-01T00:00:00Z","goVersion":"none","compiler":"clang",)"
      R"("platform":"linux/amd64"}})",
      kGitVersion);
}

std::string core_versions_document() {
  api::APIVersions versions;
  versions.add_versions("v1");
  add_address(*versions.add_server_address_by_client_cidrs());
  return kube::to_json(versions);
}

std::string groups_document(const std::vector<ServedGroup>& groups) {
  api::APIGroupList list;
  for (const ServedGroup& group : groups) {
    if (!group.name.empty()) fill(group, *list.add_groups());
  }
  return kube::to_json(list);
}

std::string group_document(const ServedGroup& group) {
  api::APIGroup out;
  fill(group, out);
  return kube::to_json(out);
}

std::string resources_document(const ServedGroup& group, const ServedVersion& version) {
  api::APIResourceList list;
  list.set_group_version(group_version(group.name, version.version));
  for (const Kind* kind : version.kinds) {
    auto& resource = *list.add_resources();
    resource.set_name(kind->plural);
    resource.set_singular_name(kind->singular);
    resource.set_namespaced(kind->namespaced);
    resource.set_kind(kind->kind);
    assign(verbs_of(*kind), resource.mutable_verbs()->mutable_items());
    assign(kind->short_names, resource.mutable_short_names());
    assign(kind->categories, resource.mutable_categories());
    for (const Subresource& sub : subresources_of(*kind)) {
      auto& one = *list.add_resources();
      one.set_name(fmt::format("{}/{}", kind->plural, sub.name));
      one.set_namespaced(kind->namespaced);
      one.set_kind(sub.kind);
      if (sub.group != kind->group || sub.version != kind->version) {
        one.set_group(sub.group);
        one.set_version(sub.version);
      }
      assign(sub.verbs, one.mutable_verbs()->mutable_items());
    }
  }
  return kube::to_json(list);
}

std::string aggregated_document(const std::vector<ServedGroup>& groups, bool core) {
  api::APIGroupDiscoveryList list;
  for (const ServedGroup& group : groups) {
    if (group.name.empty() != core) continue;
    auto& item = *list.add_items();
    if (!core) item.mutable_metadata()->set_name(group.name);
    for (const ServedVersion& version : group.versions) {
      auto& one = *item.add_versions();
      one.set_version(version.version);
      one.set_freshness("Current");
      for (const Kind* kind : version.kinds) fill(*kind, *one.add_resources());
    }
  }
  return kube::to_json(list);
}

}  // namespace rescheduler::sim
