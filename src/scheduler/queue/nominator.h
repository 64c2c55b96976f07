// Nominated pods: pods that preempted others and wait for their node. Until a nominated pod is bound, pods of the same
// or lower priority must not take its place. A nomination by this process takes precedence over the status in the API
// server, because the status write may still be in progress.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/queue/waiting_pod.h"

namespace rescheduler::scheduler {

class Nominator {
 public:
  using Pods = std::vector<PodObject>;  // in the order of nomination

  // This process nominates the pod for `node`; empty: clears the nomination. A pod that has a node is not nominated.
  void nominate(const PodObject& object, const std::string& node);
  // The pod was added, or its attempt failed without a new nomination. A nomination of this process stays; otherwise
  // status.nominatedNodeName applies.
  void add(const PodObject& object);
  // The pod changed; its status named `nominated_before`. If the status names the same node as before (usually none), a
  // nomination of this process stays.
  void update(std::string_view nominated_before, const PodObject& object);
  // The pod is assumed or bound, or it was deleted. Returns whether it had a nomination.
  bool remove(std::string_view uid);

  bool empty() const { return nodes_.empty(); }
  const std::string* node_of(std::string_view uid) const;
  // All nominations. There are few, so callers that need every node iterate over this map.
  const std::map<std::string, Pods, std::less<>>& by_node() const { return nodes_; }
  // The nodes whose nominations have changed since the last call.
  std::set<std::string> take_changed() { return std::exchange(changed_, {}); }

 private:
  void set(const PodObject& object, const std::string& node);

  std::map<std::string, Pods, std::less<>> nodes_;
  std::map<std::string, std::string, std::less<>> node_of_;  // by uid
  std::set<std::string> changed_;
};

}  // namespace rescheduler::scheduler
