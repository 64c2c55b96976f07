// Where somebody wants the next pod of a workload: tried first, as a nominated node is, and forgotten when it does not
// fit. One pod for each intent. Belongs to the decision thread.
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
  std::string selector{};  // of the workload's pods; only those with a controller count
  std::string pod{};       // name it must have; empty: any
  std::string target{};
};

class Intents {
 public:
  void set(const std::vector<Intent>& intents);
  bool empty() const { return intents_.empty(); }

  // The node wanted for this pod; null: nobody wants anything. `waits_or_runs` tells whether a pod still exists: one
  // that took an intent and is gone gives it back.
  template <class Exists>
  const std::string* target_for(const api::Pod& pod, const Exists& waits_or_runs) {
    Held* found = find(pod);
    if (found == nullptr) return nullptr;
    const std::string& uid = uid_of(pod);
    if (!found->taken_by.empty() && found->taken_by != uid && waits_or_runs(found->taken_by)) return nullptr;
    found->taken_by = uid;
    return &found->intent.target;
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
