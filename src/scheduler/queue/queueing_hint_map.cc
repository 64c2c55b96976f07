#include "scheduler/queue/queueing_hint_map.h"

#include "base/check.h"

namespace rescheduler::scheduler {

using cluster::EventResource;

QueueingHintMap::QueueingHintMap(const std::vector<ProfilePlugins>& profiles) : profiles_(profiles.size()) {
  for (std::size_t profile = 0; profile < profiles.size(); ++profile) {
    const auto& plugins = profiles[profile].plugins;
    RESCHEDULER_CHECK(plugins.size() <= kExtenderSlot, "the profile {} has {} plugins, more than {}",
                      profiles[profile].name, plugins.size(), kExtenderSlot);
    for (std::size_t slot = 0; slot < plugins.size(); ++slot) {
      for (const placement::ClusterEventWithHint& event_with_hint : plugins[slot].events)
        add(profiles_[profile], slot, event_with_hint);
    }
  }
}

void QueueingHintMap::add(ByResource& table, std::size_t slot, const placement::ClusterEventWithHint& event_with_hint) {
  const bool in_everything = event_with_hint.resource == EventResource::Anything;
  for (std::size_t resource = 0; resource < kResources; ++resource) {
    if (!in_everything && static_cast<std::size_t>(event_with_hint.resource) != resource) continue;
    table[resource].push_back({.slot = slot, .event_with_hint = event_with_hint});
  }
}

PluginIndexSet QueueingHintMap::interested(std::size_t profile,
                                           EventResource resource,
                                           cluster::ActionTypes changes) const {
  PluginIndexSet set = PluginIndexSet::extender();
  for (const Entry& entry : about(profile, resource)) {
    if (matches(entry.event_with_hint, changes)) set.add(entry.slot);
  }
  return set;
}

}  // namespace rescheduler::scheduler
