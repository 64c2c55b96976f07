#include "usage/metrics_server_source.h"

#include <unordered_map>
#include <utility>

#include "kube/client/api.h"
#include "kube/proto/metrics.pb.h"
#include "kube/value/quantity.h"
#include "kube/value/time.h"

namespace rescheduler::usage {
namespace {

using NodesByName = std::unordered_map<std::string_view, const NodeIdentity*>;

class MetricsServerSource final : public Source {
 public:
  MetricsServerSource(kube::Api& api, MetricsServerSettings settings) : api_(api), settings_(settings) {}

  std::string_view name() const override { return "metrics-server"; }
  net::Task<Result<Reading>> read(NodeList nodes, WallTime now) override;
  net::Task<Result<std::vector<PodUse>>> read_pods() override;

 private:
  kube::Api& api_;
  MetricsServerSettings settings_;
};

// NaN if the amount is unknown.
double amount_of(const google::protobuf::Map<std::string, api::Quantity>& usage, const std::string& resource) {
  const auto used = usage.find(resource);
  if (used == usage.end()) return cluster::kUnknownLoad;
  const auto amount = kube::Quantity::parse(used->second.string());
  return amount ? amount->to_double() : cluster::kUnknownLoad;
}

// NaN if the share is unknown: sift() drops and counts it.
double share(const api::NodeMetrics& metrics, const std::string& resource, double allocatable) {
  return allocatable > 0.0 ? amount_of(metrics.usage(), resource) / allocatable : cluster::kUnknownLoad;
}

void add(const api::NodeMetrics& metrics, const NodesByName& nodes, Reading& into) {
  const auto node = nodes.find(metrics.metadata().name());
  if (node == nodes.end()) {
    ++into.dropped[Drop::NoNode];
    return;
  }
  Sample sample{.node = metrics.metadata().name(), .at = kube::wall_time(metrics.timestamp())};
  sample.value = share(metrics, "memory", node->second->memory);
  sample.resource = cluster::kMemoryLoad;
  into.samples.push_back(sample);
  sample.value = share(metrics, "cpu", node->second->cpu);
  sample.resource = cluster::kCpuLoad;
  // CPU is a rate over the window; memory is measured at one moment.
  const std::chrono::nanoseconds window{metrics.window().duration()};
  if (window > std::chrono::nanoseconds::zero()) sample.averaged = window;
  into.samples.push_back(sample);
}

net::Task<Result<Reading>> MetricsServerSource::read(NodeList nodes, WallTime /*now*/) {
  NodesByName by_name;
  for (const NodeIdentity& node : *nodes) by_name.emplace(node.name, &node);
  Reading reading;
  kube::ApiCall call;
  call.verb = kube::Verb::List;
  call.resource = &kube::resource_of<api::NodeMetrics>();
  call.timeout = settings_.timeout;
  call.repeat = kube::Repeat::Never;  // the next read follows soon
  do {
    const kube::ItemSink sink = [&reading, &by_name](const kube::ObjectPtr& object) {
      add(static_cast<const api::NodeMetrics&>(*object), by_name, reading);
    };
    auto page = co_await api_.list(call, sink);
    if (!page) co_return fail(std::move(page.error()).within("metrics-server"));
    call.continue_token = page->continue_token;
  } while (!call.continue_token.empty());
  co_return reading;
}

// Converts each object when it is decoded: the objects of all pods together need many times the memory of the result.
net::Task<Result<std::vector<PodUse>>> MetricsServerSource::read_pods() {
  std::vector<PodUse> all;
  kube::ApiCall call;
  call.verb = kube::Verb::List;
  call.resource = &kube::resource_of<api::PodMetrics>();
  do {
    const kube::ItemSink sink = [&all](const kube::ObjectPtr& object) {
      all.push_back(pod_use_of(static_cast<const api::PodMetrics&>(*object)));
    };
    auto page = co_await api_.list(call, sink);
    if (!page) co_return fail(std::move(page.error()).within("metrics-server"));
    call.continue_token = page->continue_token;
  } while (!call.continue_token.empty());
  co_return all;
}

}  // namespace

PodUse pod_use_of(const api::PodMetrics& metrics) {
  PodUse use{metrics.metadata().namespace_(), metrics.metadata().name()};
  use.at = kube::wall_time(metrics.timestamp());
  for (const api::ContainerMetrics& container : metrics.containers()) {
    use.cpu += amount_of(container.usage(), "cpu");
    use.memory += amount_of(container.usage(), "memory");
  }
  return use;
}

std::unique_ptr<Source> make_metrics_server_source(kube::Api& api, MetricsServerSettings settings) {
  return std::make_unique<MetricsServerSource>(api, settings);
}

}  // namespace rescheduler::usage
