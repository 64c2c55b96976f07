// The pods that wait for a cluster event, grouped by the plugins that rejected them. Pods of one workload are rejected
// by the same plugins, so there are few groups. An event that interests no plugin of a group costs one check for the
// group, regardless of the number of its pods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/queue/plugin_index_set.h"
#include "scheduler/queue/waiting_pod.h"

namespace rescheduler::scheduler {

// Whether an event helps a pod.
enum class Wake : std::uint8_t {
  No,
  AfterBackoff,
  AtOnce,  // a plugin that returned Pending got what it waits for
};

struct WaitingEntry {
  WaitingPod pod{};
  // Position in RejectedPods.
  std::size_t group = 0;
  std::size_t position = 0;
};

class RejectedPods {
 public:
  void add(WaitingEntry& entry);  // entry.pod's rejectors, pending and gate must not change until remove()
  void remove(WaitingEntry& entry);
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // Collects the pods that one of these plugins rejected. For a gated pod only the plugin that gated it counts.
  template <class Interested>  // PluginIndexSet(std::size_t profile)
  void collect(Interested interested, std::vector<WaitingEntry*>& into) const {
    for (const Group& group : groups_) {
      if (!group.members.empty() && group.plugins.meets(interested(group.profile))) {
        into.insert(into.end(), group.members.begin(), group.members.end());
      }
    }
  }
  template <class Interested>
  bool any(Interested interested) const {
    for (const Group& group : groups_) {
      if (!group.members.empty() && group.plugins.meets(interested(group.profile))) return true;
    }
    return false;
  }
  template <class Visit>
  void each(Visit visit) const {
    for (const Group& group : groups_) {
      for (WaitingEntry* entry : group.members) visit(*entry);
    }
  }

 private:
  struct Group {
    std::size_t profile = 0;
    PluginIndexSet plugins{};  // the plugins whose registrations count
    std::vector<WaitingEntry*> members{};
  };
  std::size_t group_for(std::size_t profile, PluginIndexSet plugins);

  std::vector<Group> groups_;
  std::size_t size_ = 0;
};

}  // namespace rescheduler::scheduler
