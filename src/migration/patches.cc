#include "migration/patches.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kube/codec/json.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/value/repeated.h"
#include "kube/value/time.h"
#include "migration/intent.h"
#include "migration/keys.h"

namespace rescheduler::migration {
namespace {

namespace json = boost::json;

json::object precondition(const std::string& uid, const std::string& version) {
  return {{"uid", uid}, {"resourceVersion", version}};
}

WrittenIntent intent_of(const api::Migration& migration) {
  WrittenIntent intent;
  intent.migration = migration.metadata().name();
  intent.pod = migration.spec().pod();
  intent.source = source_of(migration);
  intent.target = migration.spec().target();
  intent.expires = kube::format_time(deadline_of(migration));
  return intent;
}

std::string workload_patch(const ObservedWorkload& workload,
                           const std::string* migration,
                           const std::string& intent,
                           std::optional<std::int32_t> replicas) {
  json::object metadata = precondition(workload.uid, workload.version);
  if (migration != nullptr) {
    metadata["labels"] = json::object{{kMigrationLabel, *migration}};
    metadata["annotations"] = json::object{{kIntentAnnotation, intent}};
  } else {
    metadata["labels"] = json::object{{kMigrationLabel, nullptr}};
    metadata["annotations"] = json::object{{kIntentAnnotation, nullptr}};
  }
  json::object patch{{"metadata", std::move(metadata)}};
  if (replicas) patch["spec"] = json::object{{"replicas", *replicas}};
  return json::serialize(patch);
}

template <class Named>
void drop_tokens(Named& from) {
  kube::erase_if(from, [](const auto& one) { return one.name().starts_with("kube-api-access-"); });
}

void set_amount(api::IntOrString& into, const std::string& text) {
  const bool number = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (number) {
    into.set_type(0);
    into.set_int_val(static_cast<std::int32_t>(std::stoi(text)));
  } else {
    into.set_type(1);
    into.set_str_val(text);
  }
}

}  // namespace

std::string status_patch(const api::Migration& migration, const api::MigrationStatus& status) {
  const auto& meta = migration.metadata();
  std::string text = kube::to_json(status);
  return fmt::format(R"({{"metadata":{},"status":{}}})",
                     json::serialize(precondition(meta.uid(), meta.resource_version())), text);
}

std::string mark_workload_patch(const api::Migration& migration,
                                const ObservedWorkload& workload,
                                std::int32_t replicas,
                                const std::string& avoid) {
  WrittenIntent intent = intent_of(migration);
  intent.avoid = avoid;
  std::optional<std::int32_t> scaled;
  if (replicas >= 0) {
    scaled = replicas;
    intent.surged_from = workload.desired;
    intent.surged_to = replicas;
  }
  return workload_patch(workload, &migration.metadata().name(), to_text(intent), scaled);
}

std::string retire_patch(const api::Migration& migration, const ObservedWorkload& workload, std::int32_t replicas) {
  return workload_patch(workload, &migration.metadata().name(), to_text(intent_of(migration)), replicas);
}

std::string unmark_workload_patch(const ObservedWorkload& workload, bool keep_label) {
  std::optional<std::int32_t> replicas;
  if (workload.surged_to && workload.desired == *workload.surged_to) replicas = workload.surged_from;
  if (!keep_label) return workload_patch(workload, nullptr, {}, replicas);
  json::object metadata = precondition(workload.uid, workload.version);
  metadata["annotations"] = json::object{{kIntentAnnotation, nullptr}};
  json::object patch{{"metadata", std::move(metadata)}};
  if (replicas) patch["spec"] = json::object{{"replicas", *replicas}};
  return json::serialize(patch);
}

std::string mark_pod_patch(const std::string& migration, const api::Pod& pod) {
  json::object metadata = precondition(pod.metadata().uid(), pod.metadata().resource_version());
  const auto before = pod.metadata().annotations().find(std::string(kDeletionCost));
  metadata["labels"] = json::object{{kMigrationLabel, migration}};
  metadata["annotations"] =
      json::object{{kDeletionCost, kLowestCost},
                   {kCostBefore, before == pod.metadata().annotations().end() ? std::string() : before->second}};
  return json::serialize(json::object{{"metadata", std::move(metadata)}});
}

std::string unmark_pod_patch(const api::Pod& pod) {
  const auto& annotations = pod.metadata().annotations();
  json::object metadata = precondition(pod.metadata().uid(), pod.metadata().resource_version());
  metadata["labels"] = json::object{{kMigrationLabel, nullptr}};
  json::object undone{{kCostBefore, nullptr}};
  const auto cost = annotations.find(std::string(kDeletionCost));
  const auto before = annotations.find(std::string(kCostBefore));
  // If another client has changed the deletion cost since, its value stays.
  if (cost != annotations.end() && cost->second == kLowestCost && before != annotations.end()) {
    if (before->second.empty()) {
      undone[kDeletionCost] = nullptr;
    } else {
      undone[kDeletionCost] = before->second;
    }
  }
  metadata["annotations"] = std::move(undone);
  return json::serialize(json::object{{"metadata", std::move(metadata)}});
}

std::string nominate_patch(const ObservedPod& pod, const std::string& node) {
  return json::serialize(json::object{{"metadata", json::object{{"uid", pod.uid}}},
                                      {"status", json::object{{"nominatedNodeName", node}}}});
}

std::string release_copy_patch(const api::Pod& pod) {
  json::array gates;
  for (const auto& gate : pod.spec().scheduling_gates()) {
    if (gate.name() != kGate) gates.push_back(json::object{{"name", gate.name()}});
  }
  return json::serialize(json::object{
      {"metadata", precondition(pod.metadata().uid(), pod.metadata().resource_version())},
      {"spec", json::object{{"schedulingGates", gates.empty() ? json::value(nullptr) : std::move(gates)}}}});
}

std::string unmark_copy_patch(const ObservedPod& pod) {
  json::object metadata{{"uid", pod.uid}};
  metadata["labels"] = json::object{{kMigrationLabel, nullptr}};
  metadata["annotations"] = json::object{{kCopyOf, nullptr}};
  return json::serialize(json::object{{"metadata", std::move(metadata)}});
}

api::Eviction eviction_of(const std::string& ns, const ObservedPod& pod) {
  api::Eviction eviction;
  eviction.mutable_metadata()->set_namespace_(ns);
  eviction.mutable_metadata()->set_name(pod.name);
  eviction.mutable_delete_options()->mutable_preconditions()->set_uid(pod.uid);
  return eviction;
}

api::PodDisruptionBudget budget_for(const api::Migration& migration,
                                    const MigrationSettings& settings,
                                    const api::Pod& pod) {
  api::PodDisruptionBudget budget;
  auto& meta = *budget.mutable_metadata();
  meta.set_namespace_(migration.metadata().namespace_());
  meta.set_name(migration.status().budget());
  (*meta.mutable_labels())[std::string(kMigrationLabel)] = migration.metadata().name();
  // The garbage collector deletes the budget if everything else fails.
  auto& owner = *meta.add_owner_references();
  owner.set_api_version("rescheduler.io/v1alpha1");
  owner.set_kind("Migration");
  owner.set_name(migration.metadata().name());
  owner.set_uid(migration.metadata().uid());
  auto& spec = *budget.mutable_spec();
  spec.set_unhealthy_pod_eviction_policy("AlwaysAllow");
  if (!settings.min_available.empty()) {
    set_amount(*spec.mutable_min_available(), settings.min_available);
  } else {
    set_amount(*spec.mutable_max_unavailable(),
               settings.max_unavailable_budget.empty() ? std::string("1") : settings.max_unavailable_budget);
  }
  auto& labels = *spec.mutable_selector()->mutable_match_labels();
  for (const auto& [key, value] : pod.metadata().labels()) {
    // Drops the labels of one replica, one revision or one node (Kubernetes 1.35 copies node labels to pods).
    const bool own = key == kMigrationLabel || key == "pod-template-hash" || key == "controller-revision-hash"
                     || key == "statefulset.kubernetes.io/pod-name" || key == "apps.kubernetes.io/pod-index"
                     || key.starts_with("topology.kubernetes.io/");
    if (!own) labels[key] = value;
  }
  return budget;
}

std::string sanitised_manifest(const api::Pod& pod) {
  api::Pod clean;
  const auto& from = pod.metadata();
  auto& meta = *clean.mutable_metadata();
  meta.set_namespace_(from.namespace_());
  meta.set_name(from.name());
  *meta.mutable_labels() = from.labels();
  *meta.mutable_annotations() = from.annotations();
  meta.mutable_labels()->erase(std::string(kMigrationLabel));
  for (const std::string_view ours : {kCopyOf, kCostBefore, std::string_view("rescheduler.io/predicted-load")}) {
    meta.mutable_annotations()->erase(std::string(ours));
  }
  auto& spec = *clean.mutable_spec();
  spec = pod.spec();
  spec.clear_node_name();
  spec.clear_ephemeral_containers();
  spec.clear_scheduling_gates();
  // Drops the token volumes that the API server added. It would add them again or reject the duplicates.
  drop_tokens(*spec.mutable_volumes());
  const auto without_token = [](auto& containers) {
    for (auto& container : containers) drop_tokens(*container.mutable_volume_mounts());
  };
  without_token(*spec.mutable_containers());
  without_token(*spec.mutable_init_containers());
  return kube::to_json(clean);
}

std::string copy_name(const std::string& pod, WallTime now) {
  constexpr std::string_view kPrefix = "rescheduled-";
  std::string_view base = pod;
  if (base.starts_with(kPrefix)) {
    const auto dash = base.rfind('-');
    const bool numbered = dash > kPrefix.size()
                          && std::ranges::all_of(base.substr(dash + 1), [](char c) { return c >= '0' && c <= '9'; });
    if (numbered) base = base.substr(kPrefix.size(), dash - kPrefix.size());
  }
  constexpr std::size_t kRoom = 253 - kPrefix.size() - 12;
  base = base.substr(0, kRoom);
  while (!base.empty() && (base.back() == '.' || base.back() == '-')) base.remove_suffix(1);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  std::string name = fmt::format("{}{}-{}", kPrefix, base, seconds);
  // A copy that is moved again within the second of its creation.
  return name == pod ? fmt::format("{}{}-{}", kPrefix, base, seconds + 1) : name;
}

Result<api::Pod> copy_from(const api::Migration& migration, const std::string& name) {
  api::Pod pod;
  auto read = kube::from_json(migration.status().manifest(), pod);
  if (!read) return fail(std::move(read.error()).within("the manifest in the record"));
  pod.mutable_metadata()->set_name(name);
  (*pod.mutable_metadata()->mutable_labels())[std::string(kMigrationLabel)] = migration.metadata().name();
  (*pod.mutable_metadata()->mutable_annotations())[std::string(kCopyOf)] = migration.spec().pod_uid();
  pod.mutable_spec()->add_scheduling_gates()->set_name(std::string(kGate));
  return pod;
}

}  // namespace rescheduler::migration
