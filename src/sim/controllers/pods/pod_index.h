// Every pod of the cluster as a PodView, by owner, by labels and by node. All controllers share this one subscriber on
// pods.
//
// The order of a list depends only on events, never on addresses: runs with the same seed see the same lists. Lists and
// views are valid until the next write to a pod. Code that writes during an iteration must copy the list first.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kube/value/label_selector.h"
#include "sim/controllers/pods/pod_view.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

class PodIndex {
 public:
  explicit PodIndex(Server& server);  // reads the existing pods
  ~PodIndex();
  PodIndex(const PodIndex&) = delete;
  PodIndex& operator=(const PodIndex&) = delete;

  using Pods = std::span<const PodView* const>;
  const PodView* find(std::string_view ns, std::string_view name) const;  // null: none
  Pods of_owner(std::string_view controller_uid) const;
  Pods on_node(std::string_view node) const;  // pods bound to the node
  // An empty namespace means all namespaces.
  std::vector<const PodView*> select(std::string_view ns, const kube::LabelSelector& selector) const;
  // Pods without a controller, which a workload can adopt.
  std::vector<const PodView*> orphans(std::string_view ns, const kube::LabelSelector& selector) const;
  std::size_t size() const { return size_; }

  // Called for each change during the write, after the index is updated. `before` is null for a new pod, `after` for a
  // deleted one. Active until the subscription is destroyed.
  using Listener = std::function<void(const PodView* before, const PodView* after)>;
  using Subscription = std::shared_ptr<const Listener>;
  [[nodiscard]] Subscription subscribe(Listener listener);

 private:
  struct Group {
    std::vector<PodView*> pods;
    std::vector<PodView*> orphans;
  };
  struct ByContent {
    bool operator()(const LabelSetPtr& a, const LabelSetPtr& b) const { return a->pairs < b->pairs; }
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Shared = std::shared_ptr<const std::string>;
  using Lists = std::unordered_map<std::string, std::vector<PodView*>, Hash, std::equal_to<>>;
  struct Namespace {
    std::string name;
    std::map<LabelSetPtr, Group, ByContent> groups{};
    std::unordered_map<std::string_view, std::unique_ptr<PodView>> by_name{};  // keys point into the views
  };

  void take_in(const Change& change);
  void fill(PodView& view, const api::Pod& pod, const PodView* before);
  void link(PodView& view);
  void unlink(const PodView& view);
  void collect(std::string_view ns,
               const kube::LabelSelector& selector,
               std::vector<PodView*> Group::* which,
               std::vector<const PodView*>& into) const;
  void notify(const PodView* before, const PodView* after);
  Namespace& namespace_of(std::string_view ns);
  std::vector<PodView*>& owner_list(const PodView& view);
  OwnerPtr owner_of(const api::ObjectMeta& metadata, const PodView* before);
  LabelSetPtr labels_of(const api::ObjectMeta& metadata, const PodView* before);
  Shared node_of(std::string_view name);

  // Each value is stored once. sweep() removes unused values when the maps have doubled since the last sweep.
  std::map<std::string, OwnerPtr, std::less<>> owners_;
  std::map<LabelSetPtr, LabelSetPtr, ByContent> label_sets_;
  std::map<std::string, Shared, std::less<>> nodes_;
  std::size_t sweep_at_ = 1024;
  void sweep();

  std::map<std::string, Namespace, std::less<>> namespaces_;
  Lists by_owner_;
  Lists by_node_;
  std::size_t size_ = 0;
  std::vector<std::weak_ptr<const Listener>> listeners_;
  std::unique_ptr<Store::Subscription> subscription_;
};

}  // namespace rescheduler::sim
