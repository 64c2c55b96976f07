// The data of a pod that controllers need: a small copy for every pod of the cluster, so that counting pods decodes
// none. Names, owners and labels that pods share are stored once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "kube/value/label_lookup.h"

namespace rescheduler::api {
class ObjectMeta;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::sim {

enum class PodPhase : std::uint8_t { None, Pending, Running, Succeeded, Failed, Unknown };

// Sorted by key.
struct LabelSet {
  std::vector<std::pair<std::string, std::string>> pairs;

  std::optional<std::string_view> find(std::string_view key) const;
  // For selectors: selector.matches(set.lookup()). The result refers to this set: use it at once.
  auto lookup() const {
    return [this](std::string_view key) { return find(key); };
  }
};
using LabelSetPtr = std::shared_ptr<const LabelSet>;

// The owner reference with controller: true.
struct Owner {
  std::string uid;
  std::string api_version;
  std::string kind;
  std::string name;
};
using OwnerPtr = std::shared_ptr<const Owner>;

class PodView {
 public:
  std::string_view ns() const { return *ns_; }
  std::string_view name() const { return std::string_view(text_).substr(0, name_size_); }
  std::string_view uid() const { return std::string_view(text_).substr(name_size_); }
  std::string key() const { return *ns_ + "/" + std::string(name()); }

  const Owner* owner() const { return owner_.get(); }  // null: no controller
  std::string_view owner_uid() const { return owner_ ? std::string_view(owner_->uid) : std::string_view(); }
  bool owned_by(std::string_view kind) const { return owner_ && owner_->kind == kind; }

  const LabelSet& labels() const { return *labels_; }
  std::string_view label(std::string_view key) const { return labels_->find(key).value_or(std::string_view()); }
  std::string_view template_hash() const { return label("pod-template-hash"); }    // on pods of ReplicaSets
  std::string_view revision() const { return label("controller-revision-hash"); }  // of StatefulSets, DaemonSets

  PodPhase phase() const { return phase_; }
  bool finished() const { return phase_ == PodPhase::Succeeded || phase_ == PodPhase::Failed; }
  bool ready() const { return ready_; }
  WallTime ready_since() const { return at(ready_since_); }  // or not ready since this time
  // Ready for at least this long; zero: ready.
  bool available(std::chrono::seconds min_ready, WallTime now) const {
    return ready_ && (min_ready.count() == 0 || (ready_since_ != 0 && ready_since() + min_ready <= now));
  }
  bool terminating() const { return deletes_at_ != 0; }  // has a deletion timestamp
  bool has_finalizers() const { return has_finalizers_; }
  // Neither finished nor terminating: counts towards the replicas of a workload.
  bool active() const { return !finished() && !terminating(); }

  bool bound() const { return bound_; }
  std::string_view node() const { return bound_ ? std::string_view(*node_) : std::string_view(); }
  // The node of the pod. Before binding: the node that the required affinity names (pods of DaemonSets), else empty.
  std::string_view target_node() const { return node_ ? std::string_view(*node_) : std::string_view(); }

  WallTime created() const { return at(created_); }
  std::int32_t deletion_cost() const { return deletion_cost_; }
  std::int32_t restarts() const { return restarts_; }                  // of the container with most restarts
  std::int32_t sidecar_restarts() const { return sidecar_restarts_; }  // of restartable init containers

 private:
  friend class PodIndex;
  static WallTime at(std::int64_t seconds) { return WallTime{std::chrono::seconds{seconds}}; }

  const std::string* ns_ = nullptr;
  std::string text_;  // name, then uid, in one allocation
  OwnerPtr owner_;
  LabelSetPtr labels_;
  std::shared_ptr<const std::string> node_;
  std::int64_t created_ = 0;
  std::int64_t ready_since_ = 0;
  std::int64_t deletes_at_ = 0;
  std::int32_t deletion_cost_ = 0;
  std::int32_t restarts_ = 0;
  std::int32_t sidecar_restarts_ = 0;
  // Positions in the lists of PodIndex.
  std::uint32_t at_labels_ = 0;
  std::uint32_t at_owner_ = 0;
  std::uint32_t at_node_ = 0;
  std::uint16_t name_size_ = 0;
  PodPhase phase_ = PodPhase::None;
  bool ready_ = false;
  bool bound_ = false;
  bool has_finalizers_ = false;
};

}  // namespace rescheduler::sim
