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
  void enlist(placement::Registry& /*registry*/, placement::Profile& /*profile*/, int /*weight*/) override {}
};

}  // namespace

RuleFactory kube_scheduler_defaults() {
  return [](const std::vector<NodeShape>&) { return std::make_unique<Defaults>(); };
}

void enlist_plugin(placement::Registry& registry,
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

Asked asked_by(const api::Pod& pod) {
  Asked context;
  for (const auto& container : pod.spec().containers()) {
    const auto& resources = container.resources();
    context.cpu += amount_in(resources.requests(), "cpu");
    context.memory += amount_in(resources.requests(), "memory") / kGib;
    context.cpu_limit += amount_in(resources.limits(), "cpu");
    context.memory_limit += amount_in(resources.limits(), "memory") / kGib;
  }
  return context;
}

Asked asked_by(const Job& job) { return {job.cpu, job.memory, job.cpu_limit, job.memory_limit}; }

}  // namespace rescheduler::replay
