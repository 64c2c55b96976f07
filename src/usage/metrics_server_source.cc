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

 private:
  kube::Api& api_;
  MetricsServerSettings settings_;
};

// NaN if the share is unknown: sift() drops and counts it.
double share(const api::NodeMetrics& metrics, const std::string& resource, double allocatable) {
  const auto used = metrics.usage().find(resource);
  if (used == metrics.usage().end() || allocatable <= 0.0) return cluster::kUnknownLoad;
  const auto amount = kube::Quantity::parse(used->second.string());
  return amount ? amount->to_double() / allocatable : cluster::kUnknownLoad;
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

}  // namespace

std::unique_ptr<Source> make_metrics_server_source(kube::Api& api, MetricsServerSettings settings) {
  return std::make_unique<MetricsServerSource>(api, settings);
}

}  // namespace rescheduler::usage
