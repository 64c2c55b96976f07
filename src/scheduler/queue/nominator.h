// Pods that are promised a node: room was made for them (preemption), and until they sit there others of lower priority
// must not take it. What this process decided counts before what the API server shows: its write may still be under
// way.
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
  using Pods = std::vector<PodObject>;  // in the order they were promised the node

  // This process promises `node`; an empty one takes the promise back. A pod that has a node is promised none.
  void nominate(const PodObject& object, const std::string& node);
  // The pod was seen, or failed with nothing to say about its nomination: what is promised stays promised, else what
  // its status says holds.
  void add(const PodObject& object);
  // It changed; its status named `nominated_before`. A status that names the same as before (none, mostly) says
  // nothing: a promise of ours stays.
  void update(std::string_view nominated_before, const PodObject& object);
  // It is assumed on a node, has one, or is gone. Answers whether it had a promise.
  bool remove(std::string_view uid);

  bool empty() const { return nodes_.empty(); }
  const std::string* node_of(std::string_view uid) const;
  // All promises. There are few: who asks about every node goes through these instead.
  const std::map<std::string, Pods, std::less<>>& by_node() const { return nodes_; }
  // The nodes whose promises have changed since this was asked last.
  std::set<std::string> take_changed() { return std::exchange(changed_, {}); }
  // Whom a pod of this priority has to respect there: others, at least as important.
  std::vector<const PodObject*> respected_on(std::string_view node, std::int32_t priority, std::string_view self) const;

 private:
  void set(const PodObject& object, const std::string& node);

  std::map<std::string, Pods, std::less<>> nodes_;
  std::map<std::string, std::string, std::less<>> node_of_;  // by uid
  std::set<std::string> changed_;
};

}  // namespace rescheduler::scheduler
