#include "scheduler/queue/rejected_pods.h"

namespace rescheduler::scheduler {

std::size_t RejectedPods::group_for(std::size_t profile, PluginIndexSet plugins) {
  std::size_t free = groups_.size();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    if (group.profile == profile && group.plugins == plugins) return i;
    if (group.members.empty()) free = i;
  }
  if (free == groups_.size()) groups_.emplace_back();
  groups_[free].profile = profile;
  groups_[free].plugins = plugins;
  return free;
}

void RejectedPods::add(WaitingEntry& entry) {
  const WaitingPod& pod = entry.pod;
  const PluginIndexSet plugins = pod.gate ? PluginIndexSet::only(pod.gate->plugin) : pod.rejectors | pod.pending;
  entry.group = group_for(pod.object.profile, plugins);
  auto& members = groups_[entry.group].members;
  entry.position = members.size();
  members.push_back(&entry);
  ++size_;
}

void RejectedPods::remove(WaitingEntry& entry) {
  auto& members = groups_[entry.group].members;
  members[entry.position] = members.back();
  members[entry.position]->position = entry.position;
  members.pop_back();
  --size_;
}

}  // namespace rescheduler::scheduler
