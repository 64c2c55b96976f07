// The objects of one kind by their controller: the ReplicaSets of a Deployment, the revisions of a StatefulSet.
// Holds names and labels only. Callers that need the object read it from the server.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/value/label_selector.h"
#include "sim/controllers/pods/pod_view.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

class OwnedIndex {
 public:
  struct Entry {
    std::string ns;
    std::string name;
    std::string uid;
    Owner owner;  // empty uid: no controller
    LabelSet labels;
  };
  // Called for each change during the write. `before` is null for a new object, `after` for a deleted one.
  using Listener = std::function<void(const Entry* before, const Entry* after)>;

  OwnedIndex(Server& server, const Kind& kind, Listener listener = {});
  OwnedIndex(const OwnedIndex&) = delete;
  OwnedIndex& operator=(const OwnedIndex&) = delete;

  const Entry* find(std::string_view ns, std::string_view name) const;  // null: none
  // Sorted by name. Valid until the next write to an object of this kind.
  std::vector<const Entry*> of_owner(std::string_view uid) const;
  std::vector<const Entry*> orphans(std::string_view ns, const kube::LabelSelector& selector) const;

 private:
  using Key = std::pair<std::string, std::string>;  // namespace and name
  void take_in(const Change& change);

  Listener listener_;
  std::map<Key, Entry> entries_;
  std::map<std::string, std::set<Key>, std::less<>> by_owner_;  // orphans are under the empty uid
  std::unique_ptr<Store::Subscription> subscription_;
};

}  // namespace rescheduler::sim
