// How much room every node has by the requests of what is bound to it, kept up to date with the store.
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
  explicit NodeRooms(Server& server);  // with what is there already
  ~NodeRooms();
  NodeRooms(const NodeRooms&) = delete;
  NodeRooms& operator=(const NodeRooms&) = delete;

  // The next node, by name and in turn after the one chosen last, that the pod fits and the caller allows; null if
  // there is none.
  using Allow = std::function<bool(const NodeRoom&)>;
  const NodeRoom* next_fit(const PodNeeds& needs, const Allow& allow = {});
  // The first such node by name.
  const NodeRoom* first_fit(const PodNeeds& needs, const Allow& allow = {}) const;
  std::size_t size() const { return nodes_.size(); }
  const NodeRoom* find(std::string_view node) const;  // null: none

  // Called from within the write when something changed that may let a pod fit that did not.
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
  std::unordered_map<std::string, Placed> pods_;  // by ns/name; never gone through
  std::shared_ptr<const PodResources> last_;      // pods of one workload come in a row and ask for the same
  std::string last_chosen_;
  std::function<void()> more_room_;
  std::unique_ptr<Store::Subscription> on_nodes_;
  std::unique_ptr<Store::Subscription> on_pods_;
};

}  // namespace rescheduler::sim
