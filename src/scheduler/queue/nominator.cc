#include "scheduler/queue/nominator.h"

#include <algorithm>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::scheduler {

void Nominator::set(const PodObject& object, const std::string& node) {
  const bool has_node = !object.pod->spec().node_name().empty();
  if (has_node || node.empty()) {
    remove(object.uid());
    return;
  }
  changed_.insert(node);
  const auto known = node_of_.find(object.uid());
  if (known != node_of_.end() && known->second == node) {
    for (PodObject& other : nodes_[node]) {
      if (other.uid() == object.uid()) other = object;
    }
    return;
  }
  remove(object.uid());
  nodes_[node].push_back(object);
  node_of_[object.uid()] = node;
}

void Nominator::nominate(const PodObject& object, const std::string& node) { set(object, node); }

void Nominator::add(const PodObject& object) {
  const std::string* nominated = node_of(object.uid());
  const std::string node = nominated != nullptr ? *nominated : object.pod->status().nominated_node_name();
  set(object, node);
}

void Nominator::update(std::string_view nominated_before, const PodObject& object) {
  const std::string& shown = object.pod->status().nominated_node_name();
  if (shown == nominated_before) {
    add(object);
  } else {
    set(object, shown);
  }
}

bool Nominator::remove(std::string_view uid) {
  const auto known = node_of_.find(uid);
  if (known == node_of_.end()) return false;
  changed_.insert(known->second);
  const auto node = nodes_.find(known->second);
  std::erase_if(node->second, [&](const PodObject& other) { return other.uid() == uid; });
  if (node->second.empty()) nodes_.erase(node);
  node_of_.erase(known);
  return true;
}

const std::string* Nominator::node_of(std::string_view uid) const {
  const auto known = node_of_.find(uid);
  return known == node_of_.end() ? nullptr : &known->second;
}

}  // namespace rescheduler::scheduler
