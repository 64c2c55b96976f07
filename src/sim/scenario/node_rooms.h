// The free resources of every node by the requests of its bound pods, kept up to date with the store.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sim/kubelet/pod_needs.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

class NodeRooms {
 public:
  explicit NodeRooms(Server& server);  // reads the existing nodes and pods
  ~NodeRooms();
  NodeRooms(const NodeRooms&) = delete;
  NodeRooms& operator=(const NodeRooms&) = delete;

  // The next node by name, after the last chosen one, that fits the pod and that `allow` accepts; null if there is
  // none.
  using Allow = std::function<bool(const NodeRoom&)>;
  const NodeRoom* next_fit(const PodNeeds& needs, const Allow& allow = {});
  // The first such node by name.
  const NodeRoom* first_fit(const PodNeeds& needs, const Allow& allow = {}) const;
  std::size_t size() const;                           // number of nodes that exist
  const NodeRoom* find(std::string_view node) const;  // null: none

  // Called during a write that can let a pod fit that did not fit before.
  void on_more_room(std::function<void()> listener) { more_room_ = std::move(listener); }

 private:
  struct Placed {
    std::string node;
    std::shared_ptr<const PodResources> requests;
  };
  void on_node(const Change& change);
  void on_pod(const Change& change);
  void take_out(const std::string& key);
  std::shared_ptr<const PodResources> shared(const PodResources& requests);

  std::map<std::string, NodeRoom, std::less<>> nodes_;
  std::unordered_map<std::string, Placed> pods_;  // by ns/name; never iterated
  std::shared_ptr<const PodResources> last_;      // pods of one workload often come together, with equal requests
  std::string last_chosen_;
  std::function<void()> more_room_;
  std::unique_ptr<Store::Subscription> on_nodes_;
  std::unique_ptr<Store::Subscription> on_pods_;
};

}  // namespace rescheduler::sim
