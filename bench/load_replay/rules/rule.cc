#include "rules/rule.h"

#include "kube/proto/core_pod.pb.h"
#include "kube/value/quantity.h"
#include "rules/load_plugin.h"

namespace rescheduler::replay {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

template <class Map>
double amount_in(const Map& amounts, const std::string& name) {
  const auto found = amounts.find(name);
  if (found == amounts.end()) return 0;
  const auto quantity = kube::Quantity::parse(found->second.string());
  return quantity ? quantity->to_double() : 0;
}

class Defaults final : public Rule {
 public:
  void register_plugins(placement::Registry& /*registry*/, placement::Profile& /*profile*/, int /*weight*/) override {}
};

}  // namespace

RuleFactory kube_scheduler_defaults() {
  return [](const std::vector<NodeShape>&) { return std::make_unique<Defaults>(); };
}

void register_plugin(placement::Registry& registry,
                     placement::Profile& profile,
                     const std::string& name,
                     int weight,
                     const placement::PluginFactory& factory) {
  registry.add({name, factory});
  const auto plugin = factory(nullptr);
  for (std::size_t point = 0; point < placement::kPointCount; ++point) {
    if (plugin->points().has(static_cast<placement::Point>(point))) profile.plugins[point].push_back({name, weight});
  }
}

PodRequest request_of(const api::Pod& pod) {
  PodRequest request;
  for (const auto& container : pod.spec().containers()) {
    const auto& resources = container.resources();
    request.cpu += amount_in(resources.requests(), "cpu");
    request.memory += amount_in(resources.requests(), "memory") / kGib;
    request.cpu_limit += amount_in(resources.limits(), "cpu");
    request.memory_limit += amount_in(resources.limits(), "memory") / kGib;
  }
  return request;
}

PodRequest request_of(const Job& job) { return {job.cpu, job.memory, job.cpu_limit, job.memory_limit}; }

}  // namespace rescheduler::replay
