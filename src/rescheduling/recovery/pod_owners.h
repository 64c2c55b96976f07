// Maps pods to their controllers and to the workloads that store the retry ledgers. Informers or other watchers feed
// it. It keeps only the needed fields of each object. Not thread-safe: one thread uses it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "rescheduling/recovery/retry_ledger.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf
namespace rescheduler::api {
class ObjectMeta;
class Pod;
}  // namespace rescheduler::api
namespace rescheduler::kube {
struct ResourceType;
}  // namespace rescheduler::kube

namespace rescheduler::rescheduling::recovery {

struct Owner {
  OwnerKind kind{};
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::uint32_t replicas = 1;
  Annotations annotations{};

  std::string key() const;  // "Deployment/ns/name"
};

const kube::ResourceType& resource_of(OwnerKind kind);
Annotations annotations_of(const api::ObjectMeta& meta);
std::uint32_t replicas_of(const google::protobuf::Message& workload);

// The kinds that PodOwners needs besides pods.
std::vector<const kube::ResourceType*> owner_kinds();

struct WorkloadName {
  OwnerKind kind{};
  std::string ns{};
  std::string name{};
};

// A live pod that has a node.
struct PodOnNode {
  std::string uid{};
  std::string node{};
  std::string release{};  // its controller and the revision of the pod; pods of one release have the same template
  WallTime created{};
};

class PodOwners {
 public:
  // From an informer, or from an own read or write that is newer: the newest version counts.
  void upsert(const google::protobuf::Message& workload);
  void remove(const google::protobuf::Message& workload);
  void upsert_pod(const api::Pod& pod);
  void remove_pod(const std::string& uid);

  // The topmost known owner: a Deployment, not its ReplicaSet. Empty: unknown (yet), or a kind that recovery does not
  // handle.
  std::optional<Owner> owner_of(const std::string& pod_uid) const;
  std::optional<Owner> owner_of(const api::Pod& pod) const;
  // The first controller of the pod, from the pod upwards, that no informer has reported yet.
  std::optional<WorkloadName> unseen_controller(const api::Pod& pod) const;
  bool is_live(const std::string& pod_uid) const;
  std::string slot_label_of(const std::string& pod_uid) const;  // annotation, pod name or node name; empty: none
  std::string release_of(const std::string& pod_uid) const;     // as in PodOnNode; empty: unknown
  std::optional<Owner> find(OwnerKind kind, const std::string& ns, const std::string& name) const;
  std::vector<Sibling> live_pods(const Owner& owner) const;
  std::vector<PodOnNode> placed_pods(const std::string& owner_key) const;
  std::vector<PodOnNode> pods_on(const std::string& node) const;
  // Owners with a retry ledger.
  std::vector<Owner> with_ledger() const;

 private:
  struct Ref {
    WorkloadName workload{};
    std::string key{};
  };
  using RefPtr = std::shared_ptr<const Ref>;           // null: none
  using NamePtr = std::shared_ptr<const std::string>;  // null: empty
  struct Known {
    Owner owner{};
    RefPtr controller{};
    std::uint64_t version = 0;
  };
  // There can be very many pods, so pods of one controller share its data.
  struct KnownPod {
    std::shared_ptr<const Owner> self{};  // only for a bare pod
    std::string slot{};
    RefPtr controller{};
    NamePtr node{};
    NamePtr revision{};  // of a StatefulSet or DaemonSet; a ReplicaSet has only one
    WallTime created{};
    bool foreign = false;  // has a controller of an unknown kind
    bool live = false;
  };

  struct ControlledPods {
    RefPtr controller{};
    std::vector<std::string_view> uids{};  // the keys of pods_
  };

  static RefPtr controller_of(const api::ObjectMeta& meta, bool* foreign);
  static KnownPod known_pod(const api::Pod& pod);
  std::optional<Owner> top_of(const KnownPod& pod) const;
  void release_pod(const Ref& controller, const std::string& uid);
  NamePtr share(const std::string& name);
  void unshare(NamePtr name);
  static PodOnNode placed(std::string_view uid, const KnownPod& pod);
  void each_live(const std::string& owner_key,
                 const std::function<void(std::string_view uid, const KnownPod& pod)>& visit) const;

  std::map<std::string, Known> workloads_;                   // by key
  std::map<std::string, std::set<std::string>> controlled_;  // by key: keys of workloads
  std::map<std::string, KnownPod, std::less<>> pods_;        // by uid
  std::map<std::string, ControlledPods> controlled_pods_;    // by key
  std::map<std::string, NamePtr> names_;                     // of nodes and revisions that pods share
};

}  // namespace rescheduler::rescheduling::recovery
