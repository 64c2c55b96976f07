#include "kube/discovery/discovery_document.h"

#include <boost/json.hpp>

#include "kube/codec/json_value.h"
#include "kube/proto/discovery.pb.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

namespace json = boost::json;

struct Document {
  std::string kind;
  json::value body;
};

// The kind decides how the document is decoded. Kind and apiVersion are then removed: one wire type reads both versions
// of aggregated discovery, which are equal in the fields used here.
Result<Document> parse(std::string_view text) {
  json::error_code error;
  json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return fail(Errc::Invalid, "discovery: the server's answer is not JSON: {}", error.message());
  json::object* object = value.if_object();
  const json::value* kind = object != nullptr ? object->if_contains("kind") : nullptr;
  if (kind == nullptr || !kind->is_string()) {
    return fail(Errc::Invalid, "discovery: the server's answer does not say what kind of document it is");
  }
  std::string name(kind->get_string().data(), kind->get_string().size());
  object->erase("kind");
  object->erase("apiVersion");
  return Document{std::move(name), std::move(value)};
}

template <class T>
std::set<std::string> verb_set(const T& verbs) {
  return std::set<std::string>(verbs.begin(), verbs.end());
}

void take(const api::APIResourceDiscovery& resource,
          const std::string& group,
          const std::string& version,
          ServerResources& resources) {
  resources.add(group, version, resource.resource(), verb_set(resource.verbs()));
  for (const api::APISubresourceDiscovery& sub : resource.subresources()) {
    resources.add(group, version, resource.resource() + '/' + sub.subresource(), verb_set(sub.verbs()));
  }
}

void take(const api::APIGroupDiscoveryList& list, ServerResources& resources) {
  for (const api::APIGroupDiscovery& group : list.items()) {
    const std::string& name = group.metadata().name();
    for (const api::APIVersionDiscovery& version : group.versions()) {
      for (const auto& resource : version.resources()) take(resource, name, version.version(), resources);
      if (version.freshness() == "Stale") {
        resources.add_uncertain(name, version.version(), "the API server could not reach the service behind it");
      }
    }
  }
}

template <class T>
Result<T> as(const Document& document) {
  T message;
  auto read = from_json_value(document.body, message);
  if (!read) return fail(std::move(read.error()).within("discovery"));
  return message;
}

}  // namespace

std::string GroupVersion::path() const { return group.empty() ? "/api/" + version : "/apis/" + group + '/' + version; }

Result<std::vector<GroupVersion>> read_root(std::string_view text, ServerResources& resources) {
  auto document = parse(text);
  if (!document) return fail(std::move(document.error()));
  std::vector<GroupVersion> to_ask;
  if (document->kind == "APIGroupDiscoveryList") {
    auto list = as<api::APIGroupDiscoveryList>(*document);
    if (!list) return fail(std::move(list.error()));
    take(*list, resources);
  } else if (document->kind == "APIVersions") {
    auto versions = as<api::APIVersions>(*document);
    if (!versions) return fail(std::move(versions.error()));
    for (const std::string& version : versions->versions()) to_ask.push_back(GroupVersion{"", version});
  } else if (document->kind == "APIGroupList") {
    auto groups = as<api::APIGroupList>(*document);
    if (!groups) return fail(std::move(groups.error()));
    for (const api::APIGroup& group : groups->groups()) {
      for (const auto& version : group.versions()) to_ask.push_back(GroupVersion{group.name(), version.version()});
    }
  } else {
    return fail(Errc::Invalid, "discovery: the server answered with '{}', which is not a discovery document",
                document->kind);
  }
  return to_ask;
}

Result<void> read_group_version(std::string_view text, const GroupVersion& of, ServerResources& resources) {
  auto document = parse(text);
  if (!document) return fail(std::move(document.error()));
  if (document->kind != "APIResourceList") {
    return fail(Errc::Invalid, "discovery: {} answered with '{}' instead of its resources", of.path(), document->kind);
  }
  auto list = as<api::APIResourceList>(*document);
  if (!list) return fail(std::move(list.error()));
  for (const api::APIResource& resource : list->resources()) {
    resources.add(of.group, of.version, resource.name(), verb_set(resource.verbs().items()));
  }
  return {};
}

}  // namespace rescheduler::kube
