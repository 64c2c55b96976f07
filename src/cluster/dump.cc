#include "cluster/dump.h"

#include <functional>
#include <map>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

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

bool is_over(const api::Pod& pod) { return pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed"; }

void take(const std::shared_ptr<const api::Pod>& pod, Cluster& into, Dump& dump) {
  if (is_over(*pod)) return;
  if (pod->spec().node_name().empty()) {
    dump.waiting.push_back(pod);
  } else {
    into.upsert_pod(*pod);
  }
}

using Taker = std::function<Result<void>(std::string_view json, Cluster& into, Dump& dump)>;

template <class T, class Use>
Taker taker(Use use) {
  return [use](std::string_view json, Cluster& into, Dump& dump) -> Result<void> {
    auto object = std::make_shared<T>();
    if (auto read = kube::from_json(json, *object); !read) return fail(std::move(read.error()));
    use(std::shared_ptr<const T>(std::move(object)), into, dump);
    return {};
  };
}

template <class T>
Taker storage_taker() {
  return taker<T>([](const std::shared_ptr<const T>& object, Cluster& into, Dump&) { into.volumes().upsert(*object); });
}

template <class T>
Taker workload_taker(std::string_view kind) {
  return taker<T>([kind](const std::shared_ptr<const T>& object, Cluster& into, Dump&) {
    const auto& meta = object->metadata();
    into.owners().upsert_workload(kind, meta.namespace_(), meta.name(), object->spec().selector());
  });
}

const std::map<std::string, Taker, std::less<>>& takers() {
  static const std::map<std::string, Taker, std::less<>> all = {
      {"Pod", taker<api::Pod>(take)},
      {"Node", taker<api::Node>([](const auto& node, Cluster& into, Dump&) { into.upsert_node(*node); })},
      {"Namespace", taker<api::Namespace>([](const auto& ns, Cluster& into, Dump&) { into.upsert_namespace(*ns); })},
      {"Service", taker<api::Service>([](const auto& service, Cluster& into, Dump&) {
         const auto& meta = service->metadata();
         into.owners().upsert_service(meta.namespace_(), meta.name(), service->spec().selector());
       })},
      {"ReplicationController", taker<api::ReplicationController>([](const auto& owner, Cluster& into, Dump&) {
         const auto& meta = owner->metadata();
         into.owners().upsert_replication_controller(meta.namespace_(), meta.name(), owner->spec().selector());
       })},
      {"ReplicaSet", workload_taker<api::ReplicaSet>("ReplicaSet")},
      {"StatefulSet", workload_taker<api::StatefulSet>("StatefulSet")},
      {"PodDisruptionBudget", taker<api::PodDisruptionBudget>(
                                  [](const auto& budget, Cluster& into, Dump&) { into.budgets().upsert(*budget); })},
      {"PersistentVolume", storage_taker<api::PersistentVolume>()},
      {"PersistentVolumeClaim", storage_taker<api::PersistentVolumeClaim>()},
      {"StorageClass", storage_taker<api::StorageClass>()},
      {"CSINode", storage_taker<api::CSINode>()},
      {"CSIDriver", storage_taker<api::CSIDriver>()},
      {"CSIStorageCapacity", storage_taker<api::CSIStorageCapacity>()},
      {"VolumeAttachment", storage_taker<api::VolumeAttachment>()},
  };
  return all;
}

std::string_view text_of(const boost::json::object& object, std::string_view key) {
  const auto* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view{};
}

}  // namespace

Result<bool> take_object(std::string_view kind, std::string_view json, Cluster& into, Dump& dump) {
  const auto found = takers().find(kind);
  if (found == takers().end()) return false;
  if (auto taken = found->second(json, into, dump); !taken) {
    return fail(std::move(taken.error()).within(fmt::format("an object of kind {}", kind)));
  }
  return true;
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
  for (const boost::json::value& item : items->get_array()) {
    const auto* object = item.if_object();
    if (object == nullptr) return fail(Errc::Invalid, "the list holds something that is no object");
    const auto kind = text_of(*object, "kind");
    const auto taken = take_object(kind, boost::json::serialize(item), into, dump);
    if (!taken) return fail(taken.error());
    if (!*taken) dump.skipped.emplace_back(kind);
  }
  return dump;
}

}  // namespace rescheduler::cluster
