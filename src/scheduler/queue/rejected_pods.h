// The pods that wait for something to happen, grouped by who rejected them. Pods of one workload are rejected by the
// same plugins, so there are few groups, and something that interests none of a group's plugins costs one look at the
// group however many wait in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/queue/plugin_index_set.h"
#include "scheduler/queue/waiting_pod.h"

namespace rescheduler::scheduler {

// The answer to "does this help?".
enum class Wake : std::uint8_t {
  No,
  AfterBackoff,
  AtOnce,  // a plugin that said "not yet" got what it waited for
};

struct WaitingEntry {
  WaitingPod pod{};
  // Where RejectedPods has it.
  std::size_t group = 0;
  std::size_t position = 0;
};

class RejectedPods {
 public:
  void add(WaitingEntry& entry);  // entry.pod's rejectors, pending and gate must not change while it is here
  void remove(WaitingEntry& entry);
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  // Those whose rejectors are among these; of a gated pod only the plugin that closed the gate counts.
  template <class Interested>  // PluginIndexSet(std::size_t profile)
  void collect(Interested interested, std::vector<WaitingEntry*>& into) const {
    for (const Group& group : groups_) {
      if (!group.members.empty() && group.ears.meets(interested(group.profile))) {
        into.insert(into.end(), group.members.begin(), group.members.end());
      }
    }
  }
  template <class Interested>
  bool any(Interested interested) const {
    for (const Group& group : groups_) {
      if (!group.members.empty() && group.ears.meets(interested(group.profile))) return true;
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
    PluginIndexSet ears{};  // whose interests count
    std::vector<WaitingEntry*> members{};
  };
  std::size_t group_for(std::size_t profile, PluginIndexSet ears);

  std::vector<Group> groups_;
  std::size_t size_ = 0;
};

}  // namespace rescheduler::scheduler
