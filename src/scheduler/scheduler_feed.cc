// The scheduler's ears: what happens in the cluster, and whom it may help.
#include <functional>
#include <map>

#include "cluster/dump.h"
#include "cluster/objects/pods.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/core_storage.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/proto/storage.pb.h"
#include "scheduler/pod_changes.h"
#include "scheduler/scheduler.h"

namespace rescheduler::scheduler {
namespace {

using google::protobuf::Message;

struct Ears {
  std::function<cluster::HappeningPtr(const Message&, cluster::Cluster&)> seen;
  std::function<cluster::HappeningPtr(const Message&, cluster::Cluster&)> gone;
};

template <class T, class Seen, class Gone>
std::pair<const google::protobuf::Descriptor*, Ears> ears(Seen seen, Gone gone) {
  return {
      T::descriptor(),
      {[seen](const Message& object, cluster::Cluster& into) { return seen(static_cast<const T&>(object), into); },
       [gone](const Message& object, cluster::Cluster& into) { return gone(static_cast<const T&>(object), into); }}};
}

// Services, owners and budgets change how a pod is placed, but none makes room: they wake nobody.
template <class T, class Gone>
auto quiet_ears(Gone gone) {
  return ears<T>(
      [](const T& object, cluster::Cluster& into) -> cluster::HappeningPtr {
        cluster::Dump none;
        cluster::take_object(object, into, none);
        return nullptr;
      },
      [gone](const T& object, cluster::Cluster& into) -> cluster::HappeningPtr {
        gone(object.metadata(), into);
        return nullptr;
      });
}

template <class T, class Gone>
auto storage_ears(Gone gone) {
  return ears<T>([](const T& object, cluster::Cluster& into) { return into.volumes().upsert(object); },
                 [gone](const T& object, cluster::Cluster& into) { return gone(object.metadata(), into.volumes()); });
}

const std::map<const google::protobuf::Descriptor*, Ears>& all_ears() {
  using cluster::Cluster;
  using cluster::Volumes;
  using Meta = api::ObjectMeta;
  static const std::map<const google::protobuf::Descriptor*, Ears> all = {
      ears<api::Node>([](const api::Node& node, Cluster& into) { return into.upsert_node(node); },
                      [](const api::Node& node, Cluster& into) { return into.remove_node(node.metadata().name()); }),
      quiet_ears<api::Namespace>([](const Meta& meta, Cluster& into) { into.remove_namespace(meta.name()); }),
      quiet_ears<api::Service>(
          [](const Meta& meta, Cluster& into) { into.owners().remove_service(meta.namespace_(), meta.name()); }),
      quiet_ears<api::ReplicationController>([](const Meta& meta, Cluster& into) {
        into.owners().remove_workload("ReplicationController", meta.namespace_(), meta.name());
      }),
      quiet_ears<api::ReplicaSet>([](const Meta& meta, Cluster& into) {
        into.owners().remove_workload("ReplicaSet", meta.namespace_(), meta.name());
      }),
      quiet_ears<api::StatefulSet>([](const Meta& meta, Cluster& into) {
        into.owners().remove_workload("StatefulSet", meta.namespace_(), meta.name());
      }),
      quiet_ears<api::PodDisruptionBudget>(
          [](const Meta& meta, Cluster& into) { into.budgets().remove(meta.namespace_(), meta.name()); }),
      storage_ears<api::PersistentVolume>([](const Meta& meta, Volumes& in) { return in.remove_volume(meta.name()); }),
      storage_ears<api::PersistentVolumeClaim>(
          [](const Meta& meta, Volumes& in) { return in.remove_claim(meta.namespace_(), meta.name()); }),
      storage_ears<api::StorageClass>([](const Meta& meta, Volumes& in) { return in.remove_class(meta.name()); }),
      storage_ears<api::CSINode>([](const Meta& meta, Volumes& in) { return in.remove_csi_node(meta.name()); }),
      storage_ears<api::CSIDriver>([](const Meta& meta, Volumes& in) { return in.remove_csi_driver(meta.name()); }),
      storage_ears<api::CSIStorageCapacity>(
          [](const Meta& meta, Volumes& in) { return in.remove_capacity(meta.namespace_(), meta.name()); }),
      storage_ears<api::VolumeAttachment>(
          [](const Meta& meta, Volumes& in) { return in.remove_attachment(meta.name()); }),
  };
  return all;
}

}  // namespace

void Scheduler::seen(const std::shared_ptr<const Message>& object, WallTime now) {
  if (object->GetDescriptor() == api::Pod::descriptor()) {
    pod_seen(std::static_pointer_cast<const api::Pod>(object), now);
    return;
  }
  const auto found = all_ears().find(object->GetDescriptor());
  if (found != all_ears().end()) happened(found->second.seen(*object, cluster_), now);
}

void Scheduler::gone(const std::shared_ptr<const Message>& object, WallTime now) {
  if (object->GetDescriptor() == api::Pod::descriptor()) {
    pod_gone(std::static_pointer_cast<const api::Pod>(object), now);
    return;
  }
  const auto found = all_ears().find(object->GetDescriptor());
  if (found != all_ears().end()) happened(found->second.gone(*object, cluster_), now);
}

void Scheduler::happened(cluster::HappeningPtr what, WallTime now) {
  if (what == nullptr) return;
  queue_->happened(std::move(what), now);
}

void Scheduler::pod_seen(const PodPtr& pod, WallTime now) {
  if (cluster::is_finished(*pod)) {
    pod_gone(pod, now);
    return;
  }
  cluster_.listen(queue_->cares());
  const std::string& uid = pod->metadata().uid();
  if (!pod->spec().node_name().empty()) {
    no_longer_waiting(uid, now);
    happened(cluster_.upsert_pod(*pod), now);
    if (const auto index = cluster_.find_pod(uid)) book(*pod, *index, now);
    return;
  }
  const auto profile = profile_named(pod->spec().scheduler_name());
  if (profile) waiting_pod_seen(pod, *profile, now);
}

void Scheduler::waiting_pod_seen(const PodPtr& pod, std::size_t profile, WallTime now) {
  const std::string& uid = pod->metadata().uid();
  PodObject object = object_of(pod, profile);
  const auto known = waiting_.find(uid);
  if (known == waiting_.end()) {
    waiting_.emplace(uid, object);
    nominator_.add(object);
    queue_->add(std::move(object), now);
    return;
  }
  const PodObject before = known->second;
  known->second = object;
  if (cluster_.find_pod(uid)) return;  // it is on its way to a node
  if (!pod->status().nominated_node_name().empty() || !before.pod->status().nominated_node_name().empty()) {
    nominator_.update(before.pod->status().nominated_node_name(), object);
  }
  const auto changes = changes_between(*before.pod, *before.form, *pod, *object.form);
  cluster::HappeningPtr what;
  if (!changes.empty()) {
    what = std::make_shared<const cluster::Happening>(cluster::Happening{.subject = cluster::Subject::TargetPod,
                                                                         .changes = changes,
                                                                         .label = "TargetPodUpdate",
                                                                         .ns = pod->metadata().namespace_(),
                                                                         .name = pod->metadata().name(),
                                                                         .uid = uid});
  }
  queue_->update(std::move(object), std::move(what), now);
}

void Scheduler::no_longer_waiting(const std::string& uid, WallTime now) {
  const auto known = waiting_.find(uid);
  if (known == waiting_.end()) return;
  const PodObject last = known->second;
  waiting_.erase(known);
  making_room_.erase(uid);
  queue_->remove(uid, now);
  take_back_promise(last, now);
}

// The room that was kept for it is free for others, if they had to respect it.
void Scheduler::take_back_promise(const PodObject& object, WallTime now) {
  if (!nominator_.remove(object.uid())) return;
  if (!queue_->cares()) return;
  auto left = std::make_shared<const cluster::PlacedPod>(cluster_.imagine(*object.pod, object.form, cluster::kNoNode));
  queue_->happened(
      std::make_shared<const cluster::Happening>(cluster::Happening{.subject = cluster::Subject::AssignedPod,
                                                                    .changes = cluster::Change::Delete,
                                                                    .label = "AssignedPodDelete",
                                                                    .pod_before = std::move(left)}),
      now, object.priority());
}

void Scheduler::pod_gone(const PodPtr& pod, WallTime now) {
  const std::string uid = pod->metadata().uid();
  cluster_.listen(queue_->cares());
  no_longer_waiting(uid, now);
  unbook(uid);
  happened(cluster_.remove_pod(uid), now);
}

}  // namespace rescheduler::scheduler
