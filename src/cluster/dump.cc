#include "cluster/dump.h"

#include <algorithm>
#include <functional>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "cluster/objects/pods.h"
#include "kube/codec/json.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/core_storage.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/proto/storage.pb.h"

namespace rescheduler::cluster {
namespace {

// The model knows pods by their uid, which a dump that a person wrote may leave out.
api::Pod with_uid(const api::Pod& pod) {
  api::Pod named = pod;
  named.mutable_metadata()->set_uid(fmt::format("{}/{}", pod.metadata().namespace_(), pod.metadata().name()));
  return named;
}

void take_pod(const api::Pod& pod, Cluster& into, Dump& dump) {
  if (is_finished(pod)) return;
  if (pod.metadata().uid().empty()) return take_pod(with_uid(pod), into, dump);
  if (pod.spec().node_name().empty()) {
    dump.waiting.push_back(std::make_shared<const api::Pod>(pod));
  } else {
    into.upsert_pod(pod);
  }
}

template <class Workload>
void take_workload(std::string_view kind, const Workload& owner, Cluster& into) {
  const auto& meta = owner.metadata();
  into.owners().upsert_workload(kind, meta.namespace_(), meta.name(), owner.spec().selector());
}

void take_service(const api::Service& service, Cluster& into) {
  const auto& meta = service.metadata();
  into.owners().upsert_service(meta.namespace_(), meta.name(), service.spec().selector());
}

void take_replication_controller(const api::ReplicationController& owner, Cluster& into) {
  const auto& meta = owner.metadata();
  into.owners().upsert_replication_controller(meta.namespace_(), meta.name(), owner.spec().selector());
}

struct Taker {
  const kube::ResourceType* kind;
  std::function<void(const google::protobuf::Message&, Cluster&, Dump&)> take;
};

template <class T, class Take>
Taker taker(Take take) {
  return {&kube::resource_of<T>(), [take](const google::protobuf::Message& object, Cluster& into, Dump& dump) {
            take(static_cast<const T&>(object), into, dump);
          }};
}

template <class T>
Taker storage_taker() {
  return taker<T>([](const T& object, Cluster& into, Dump&) { into.volumes().upsert(object); });
}

const std::vector<Taker>& takers() {
  static const std::vector<Taker> all = {
      taker<api::Namespace>([](const auto& ns, Cluster& into, Dump&) { into.upsert_namespace(ns); }),
      taker<api::Node>([](const auto& node, Cluster& into, Dump&) { into.upsert_node(node); }),
      taker<api::Pod>(take_pod),
      taker<api::Service>([](const auto& service, Cluster& into, Dump&) { take_service(service, into); }),
      taker<api::ReplicationController>(
          [](const auto& owner, Cluster& into, Dump&) { take_replication_controller(owner, into); }),
      taker<api::ReplicaSet>([](const auto& owner, Cluster& into, Dump&) { take_workload("ReplicaSet", owner, into); }),
      taker<api::StatefulSet>(
          [](const auto& owner, Cluster& into, Dump&) { take_workload("StatefulSet", owner, into); }),
      taker<api::PodDisruptionBudget>([](const auto& budget, Cluster& into, Dump&) { into.budgets().upsert(budget); }),
      storage_taker<api::PersistentVolume>(),
      storage_taker<api::PersistentVolumeClaim>(),
      storage_taker<api::StorageClass>(),
      storage_taker<api::CSINode>(),
      storage_taker<api::CSIDriver>(),
      storage_taker<api::CSIStorageCapacity>(),
      storage_taker<api::VolumeAttachment>(),
  };
  return all;
}

const Taker* taker_of(const kube::ResourceType* kind) {
  const auto found = std::ranges::find(takers(), kind, &Taker::kind);
  return found == takers().end() ? nullptr : &*found;
}

std::string_view text_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view{};
}

}  // namespace

const std::vector<const kube::ResourceType*>& model_kinds() {
  static const std::vector<const kube::ResourceType*> all = [] {
    std::vector<const kube::ResourceType*> kinds;
    for (const Taker& one : takers()) kinds.push_back(one.kind);
    return kinds;
  }();
  return all;
}

void take_object(const google::protobuf::Message& object, Cluster& into, Dump& dump) {
  const Taker* taker = taker_of(kube::find_resource(*object.GetDescriptor()));
  if (taker != nullptr) taker->take(object, into, dump);
}

Result<Dump> read_dump(std::string_view text, Cluster& into) {
  boost::system::error_code problem;
  const boost::json::value document = boost::json::parse(text, problem);
  if (problem)
    return fail(Errc::Invalid, "not JSON: {}; give the output of `kubectl get ... -o json`", problem.message());
  const auto* list = document.if_object();
  const auto* items = list == nullptr ? nullptr : list->if_contains("items");
  if (items == nullptr || !items->is_array()) {
    return fail(Errc::Invalid, "there is no list of objects in it; give the output of `kubectl get ... -o json`");
  }
  Dump dump;
  dump.pod = text_of(*list, "pod");
  if (const auto* start = list->if_contains("nextStartNodeIndex"); start != nullptr && start->is_int64()) {
    dump.next_start = static_cast<std::size_t>(start->get_int64());
  }
  for (const boost::json::value& item : items->get_array()) {
    const auto* object = item.if_object();
    if (object == nullptr) return fail(Errc::Invalid, "the list holds something that is no object");
    const auto kind_name = text_of(*object, "kind");
    const Taker* taker = taker_of(kube::find_type(text_of(*object, "apiVersion"), kind_name));
    if (taker == nullptr) {
      dump.skipped.emplace_back(kind_name);
      continue;
    }
    const auto message = taker->kind->make();
    if (auto read = kube::from_json(boost::json::serialize(item), *message); !read) {
      return fail(std::move(read.error()).within(fmt::format("an object of kind {}", kind_name)));
    }
    taker->take(*message, into, dump);
  }
  return dump;
}

}  // namespace rescheduler::cluster
