// The target node for the next pod of a workload, and the node to avoid. The scheduler tries the target first, as it
// does with a nominated node. If the pod does not fit there, it gets another node, but the node to avoid only if no
// other node is feasible. Each intent is for one pod. Decision thread only.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kube/value/label_selector.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::scheduler {

struct Intent {
  std::string id{};
  std::string ns{};
  std::string selector{};  // of the pods of the workload; only pods with a controller match
  std::string pod{};       // required pod name; empty: any
  std::string target{};
  std::string avoid{};  // empty: none
};

class Intents {
 public:
  void set(const std::vector<Intent>& intents);
  bool empty() const { return intents_.empty(); }

  // The intent for this pod; null: none. `waits_or_runs` returns whether a pod still exists. If the pod that
  // took an intent is gone, the intent is free again.
  template <class Exists>
  const Intent* intent_for(const api::Pod& pod, const Exists& waits_or_runs) {
    Held* found = find(pod);
    if (found == nullptr) return nullptr;
    const std::string& uid = uid_of(pod);
    if (!found->taken_by.empty() && found->taken_by != uid && waits_or_runs(found->taken_by)) return nullptr;
    found->taken_by = uid;
    return &found->intent;
  }

 private:
  struct Held {
    Intent intent;
    kube::LabelSelector selector;
    std::string taken_by{};
  };
  Held* find(const api::Pod& pod);
  static const std::string& uid_of(const api::Pod& pod);

  std::map<std::string, Held> intents_;
};

}  // namespace rescheduler::scheduler
