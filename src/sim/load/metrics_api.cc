#include "sim/load/metrics_api.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/proto/metrics.pb.h"
#include "kube/value/quantity.h"
#include "sim/load/load_model.h"
#include "sim/server/server.h"

namespace rescheduler::sim {
namespace {

template <class Map>
void set_usage(Map& usage, std::int64_t millionths_of_cores, std::int64_t bytes) {
  using kube::Quantity;
  // Clients expect the canonical text of a quantity: 250m, not 250000u.
  const auto cpu = Quantity::parse(fmt::format("{}u", millionths_of_cores));
  usage["cpu"].set_string(cpu ? cpu->to_string() : "0");
  usage["memory"].set_string(Quantity::from_value(bytes, Quantity::Format::BinarySI).to_string());
}

template <class T>
void set_window(T& metrics, const Sampled& sampled) {
  metrics.mutable_timestamp()->set_seconds(sampled.at / 1000);
  metrics.mutable_window()->set_duration(std::chrono::nanoseconds(std::chrono::milliseconds{sampled.window}).count());
  *metrics.mutable_metadata()->mutable_creation_timestamp() = metrics.timestamp();
}

// Label selectors apply to the labels of the measured object. Decodes only its metadata, because lists can be long.
bool copy_labels(const Server& server,
                 const Kind& kind,
                 std::string_view ns,
                 std::string_view name,
                 api::ObjectMeta& into) {
  const VersionPtr version = server.store().find(kind, ns, name);
  if (!version) return false;
  api::PartialObjectMetadata object;
  if (!object.ParseFromString(version->bytes())) return false;
  into.mutable_labels()->swap(*object.mutable_metadata()->mutable_labels());
  return true;
}

std::vector<ObjectPtr> node_metrics(const Server& server, LoadModel& load) {
  std::vector<ObjectPtr> listed;
  const Kind& kind = server.kinds().of<api::Node>();
  for (const std::string& name : load.nodes()) {
    const auto sampled = load.node_sample(name);
    if (!sampled) continue;
    auto metrics = std::make_shared<api::NodeMetrics>();
    if (!copy_labels(server, kind, {}, name, *metrics->mutable_metadata())) continue;
    metrics->mutable_metadata()->set_name(name);
    set_window(*metrics, *sampled);
    set_usage(*metrics->mutable_usage(), sampled->cpu, sampled->memory);
    listed.push_back(std::move(metrics));
  }
  return listed;
}

std::vector<ObjectPtr> pod_metrics(const Server& server, LoadModel& load, std::string_view ns) {
  std::vector<ObjectPtr> listed;
  const Kind& kind = server.kinds().of<api::Pod>();
  for (const std::string_view key : load.pod_keys(ns)) {
    const auto slash = key.find('/');
    const std::string_view pod_ns = key.substr(0, slash);
    const std::string_view name = key.substr(slash + 1);
    const auto sampled = load.pod_sample(pod_ns, name);
    if (!sampled) continue;
    auto metrics = std::make_shared<api::PodMetrics>();
    if (!copy_labels(server, kind, pod_ns, name, *metrics->mutable_metadata())) continue;
    metrics->mutable_metadata()->set_namespace_(std::string(pod_ns));
    metrics->mutable_metadata()->set_name(std::string(name));
    set_window(*metrics, sampled->total);
    for (const auto& container : sampled->containers) {
      api::ContainerMetrics& added = *metrics->add_containers();
      added.set_name(std::string(container.name));
      set_usage(*added.mutable_usage(), container.cpu, container.memory);
    }
    listed.push_back(std::move(metrics));
  }
  return listed;
}

}  // namespace

void provide_metrics(Server& server, LoadModel& load) {
  server.provide(server.kinds().of<api::NodeMetrics>(),
                 [&server, &load](std::string_view) { return node_metrics(server, load); });
  server.provide(server.kinds().of<api::PodMetrics>(),
                 [&server, &load](std::string_view ns) { return pod_metrics(server, load, ns); });
}

}  // namespace rescheduler::sim
