#include "cluster/feed.h"

#include <fmt/format.h>

#include "cluster/objects/pods.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/core_storage.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/proto/storage.pb.h"

namespace rescheduler::cluster {
namespace {

using google::protobuf::Message;
using Meta = api::ObjectMeta;

ClusterEventPtr upsert_pod(const api::Pod& pod, Cluster& to) {
  if (is_finished(pod)) return to.remove_pod(uid_of(pod));
  if (pod.spec().node_name().empty()) return nullptr;
  if (!pod.metadata().uid().empty()) return to.upsert_pod(pod);
  api::Pod named = pod;
  named.mutable_metadata()->set_uid(uid_of(pod));
  return to.upsert_pod(named);
}

struct Row {
  const kube::ResourceType* kind;
  std::function<ClusterEventPtr(const Message&, Cluster&)> upsert;
  std::function<ClusterEventPtr(const Message&, Cluster&)> remove;
};

template <class T, class Upsert, class Remove>
Row row(Upsert upsert, Remove remove) {
  return {&kube::resource_of<T>(),
          [upsert](const Message& object, Cluster& to) { return upsert(static_cast<const T&>(object), to); },
          [remove](const Message& object, Cluster& from) { return remove(static_cast<const T&>(object), from); }};
}

// Namespaces, Services, owners and PodDisruptionBudgets affect how a pod is placed, but they free no resources. Their
// changes create no event.
template <class T, class Upsert, class Remove>
Row quiet_row(Upsert upsert, Remove remove) {
  return row<T>(
      [upsert](const T& object, Cluster& to) -> ClusterEventPtr {
        upsert(object.metadata(), object, to);
        return nullptr;
      },
      [remove](const T& object, Cluster& from) -> ClusterEventPtr {
        remove(object.metadata(), from);
        return nullptr;
      });
}

template <class T>
Row workload_row(std::string_view kind) {
  return quiet_row<T>(
      [kind](const Meta& meta, const T& owner, Cluster& to) {
        to.owners().upsert_workload(kind, meta.namespace_(), meta.name(), owner.spec().selector());
      },
      [kind](const Meta& meta, Cluster& from) { from.owners().remove_workload(kind, meta.namespace_(), meta.name()); });
}

template <class T, class Remove>
Row storage_row(Remove remove) {
  return row<T>([](const T& object, Cluster& to) { return to.volumes().upsert(object); },
                [remove](const T& object, Cluster& from) { return remove(object.metadata(), from.volumes()); });
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      quiet_row<api::Namespace>([](const Meta&, const auto& ns, Cluster& to) { to.upsert_namespace(ns); },
                                [](const Meta& meta, Cluster& from) { from.remove_namespace(meta.name()); }),
      row<api::Node>([](const auto& node, Cluster& to) { return to.upsert_node(node); },
                     [](const auto& node, Cluster& from) { return from.remove_node(node.metadata().name()); }),
      row<api::Pod>(upsert_pod, [](const auto& pod, Cluster& from) { return from.remove_pod(uid_of(pod)); }),
      quiet_row<api::Service>(
          [](const Meta& meta, const auto& service, Cluster& to) {
            to.owners().upsert_service(meta.namespace_(), meta.name(), service.spec().selector());
          },
          [](const Meta& meta, Cluster& from) { from.owners().remove_service(meta.namespace_(), meta.name()); }),
      quiet_row<api::ReplicationController>(
          [](const Meta& meta, const auto& owner, Cluster& to) {
            to.owners().upsert_replication_controller(meta.namespace_(), meta.name(), owner.spec().selector());
          },
          [](const Meta& meta, Cluster& from) {
            from.owners().remove_workload("ReplicationController", meta.namespace_(), meta.name());
          }),
      workload_row<api::ReplicaSet>("ReplicaSet"),
      workload_row<api::StatefulSet>("StatefulSet"),
      quiet_row<api::PodDisruptionBudget>(
          [](const Meta&, const auto& budget, Cluster& to) { to.budgets().upsert(budget); },
          [](const Meta& meta, Cluster& from) { from.budgets().remove(meta.namespace_(), meta.name()); }),
      storage_row<api::PersistentVolume>([](const Meta& meta, Volumes& in) { return in.remove_volume(meta.name()); }),
      storage_row<api::PersistentVolumeClaim>(
          [](const Meta& meta, Volumes& in) { return in.remove_claim(meta.namespace_(), meta.name()); }),
      storage_row<api::StorageClass>([](const Meta& meta, Volumes& in) { return in.remove_class(meta.name()); }),
      storage_row<api::CSINode>([](const Meta& meta, Volumes& in) { return in.remove_csi_node(meta.name()); }),
      storage_row<api::CSIDriver>([](const Meta& meta, Volumes& in) { return in.remove_csi_driver(meta.name()); }),
      storage_row<api::CSIStorageCapacity>(
          [](const Meta& meta, Volumes& in) { return in.remove_capacity(meta.namespace_(), meta.name()); }),
      storage_row<api::VolumeAttachment>(
          [](const Meta& meta, Volumes& in) { return in.remove_attachment(meta.name()); }),
  };
  return all;
}

const Row* row_of(const Message& object) {
  static const auto by_kind = [] {
    boost::unordered_flat_map<const google::protobuf::Descriptor*, const Row*> found;
    for (const Row& one : rows()) found.emplace(one.kind->make()->GetDescriptor(), &one);
    return found;
  }();
  const auto found = by_kind.find(object.GetDescriptor());
  return found == by_kind.end() ? nullptr : found->second;
}

}  // namespace

const std::vector<const kube::ResourceType*>& model_kinds() {
  static const std::vector<const kube::ResourceType*> all = [] {
    std::vector<const kube::ResourceType*> kinds;
    for (const Row& one : rows()) kinds.push_back(one.kind);
    return kinds;
  }();
  return all;
}

ClusterEventPtr apply(const Message& object, FeedAction action, Cluster& to) {
  const Row* row = row_of(object);
  if (row == nullptr) return nullptr;
  return action == FeedAction::Upsert ? row->upsert(object, to) : row->remove(object, to);
}

std::string uid_of(const api::Pod& pod) {
  if (!pod.metadata().uid().empty()) return pod.metadata().uid();
  return fmt::format("{}/{}", pod.metadata().namespace_(), pod.metadata().name());
}

}  // namespace rescheduler::cluster
