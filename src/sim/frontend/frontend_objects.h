// Small objects for the tests of the frontends, and short texts for watch events.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kube/client/api.h"
#include "kube/codec/metadata.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::sim {

inline api::ConfigMap map_of(const std::string& name, const std::string& value, const std::string& tier = "") {
  api::ConfigMap map;
  map.mutable_metadata()->set_namespace_("web");
  map.mutable_metadata()->set_name(name);
  if (!tier.empty()) (*map.mutable_metadata()->mutable_labels())["tier"] = tier;
  (*map.mutable_data())["v"] = value;
  return map;
}

inline api::Pod pod_of(const std::string& name) {
  api::Pod pod;
  pod.mutable_metadata()->set_namespace_("web");
  pod.mutable_metadata()->set_name(name);
  auto& container = *pod.mutable_spec()->add_containers();
  container.set_name("main");
  container.set_image("app:1");
  return pod;
}

inline api::Node node_of(const std::string& name) {
  api::Node node;
  node.mutable_metadata()->set_name(name);
  return node;
}

inline api::Deployment deployment_of(const std::string& name, int replicas) {
  api::Deployment deployment;
  deployment.mutable_metadata()->set_namespace_("web");
  deployment.mutable_metadata()->set_name(name);
  auto& spec = *deployment.mutable_spec();
  spec.set_replicas(replicas);
  (*spec.mutable_selector()->mutable_match_labels())["app"] = name;
  (*spec.mutable_template_()->mutable_metadata()->mutable_labels())["app"] = name;
  *spec.mutable_template_()->mutable_spec() = pod_of("").spec();
  return deployment;
}

template <class T>
std::vector<std::string> names_of(const std::vector<std::shared_ptr<const T>>& objects) {
  std::vector<std::string> names;
  for (const auto& object : objects) names.push_back(object->metadata().name());
  return names;
}

// "MODIFIED a", "BOOKMARK", "BOOKMARK end".
inline std::string event_text(const kube::WatchEvent& event) {
  std::string text(kube::to_string(event.kind));
  if (event.object) text += " " + kube::metadata_of(*event.object).name();
  if (event.initial_events_end) text += " end";
  return text;
}

// For the events of the first batch: the event's version and the object's version.
inline net::Task<Result<std::vector<std::string>>> versions_of(kube::Api& api, kube::ApiCall call) {
  std::vector<std::string> versions;
  auto stream = co_await api.watch(std::move(call));
  if (!stream) co_return fail(std::move(stream.error()));
  auto events = co_await (*stream)->next();
  if (!events) co_return fail(std::move(events.error()));
  for (const kube::WatchEvent& event : *events) {
    versions.push_back(event.resource_version + "=" + kube::metadata_of(*event.object).resource_version());
  }
  co_return versions;
}

}  // namespace rescheduler::sim
