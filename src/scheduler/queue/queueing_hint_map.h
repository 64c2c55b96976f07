// Maps a cluster event to the plugins of each profile that registered for it: the registrations, grouped by resource.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "cluster/cluster_event.h"
#include "placement/plugin.h"
#include "scheduler/queue/plugin_index_set.h"

namespace rescheduler::scheduler {

struct PluginEvents {
  std::string name{};
  std::vector<placement::ClusterEventWithHint> events{};
};

struct ProfilePlugins {
  std::string name{};                   // the schedulerName
  std::vector<PluginEvents> plugins{};  // by slot
};

// True for an event that concerns every pod (or the one pod that it names), whatever the pod waits for.
inline bool wakes_all(const cluster::ClusterEvent& what) { return what.resource == cluster::EventResource::Anything; }

class QueueingHintMap {
 public:
  struct Entry {
    std::size_t slot = 0;
    placement::ClusterEventWithHint event_with_hint{};
  };

  explicit QueueingHintMap(const std::vector<ProfilePlugins>& profiles);

  // The extenders are always in the result.
  PluginIndexSet interested(std::size_t profile, cluster::EventResource resource, cluster::ActionTypes changes) const;

  // Calls visit(slot, event_with_hint) for each matching registration of these plugins until visit returns false.
  template <class Visit>
  void each(std::size_t profile, PluginIndexSet plugins, const cluster::ClusterEvent& what, Visit visit) const {
    for (const Entry& entry : about(profile, what.resource)) {
      if (!plugins.has(entry.slot) || !matches(entry.event_with_hint, what.actions)) continue;
      if (!visit(entry.slot, entry.event_with_hint)) return;
    }
  }

 private:
  static constexpr std::size_t kResources = static_cast<std::size_t>(cluster::EventResource::Anything) + 1;
  using ByResource = std::array<std::vector<Entry>, kResources>;

  static void add(ByResource& table, std::size_t slot, const placement::ClusterEventWithHint& event_with_hint);
  // A registration for Anything matches every event, whatever the action.
  static bool matches(const placement::ClusterEventWithHint& event_with_hint, cluster::ActionTypes changes) {
    return event_with_hint.resource == cluster::EventResource::Anything || event_with_hint.actions.meets(changes);
  }
  const std::vector<Entry>& about(std::size_t profile, cluster::EventResource resource) const {
    return profiles_[profile][static_cast<std::size_t>(resource)];
  }

  std::vector<ByResource> profiles_;
};

}  // namespace rescheduler::scheduler
