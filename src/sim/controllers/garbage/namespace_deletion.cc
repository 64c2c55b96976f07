#include "sim/controllers/garbage/namespace_deletion.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kube/codec/metadata.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/repeated.h"
#include "sim/server/removal.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kFinalizer = "kubernetes";
// Seconds for objects with finalizers of other components; the estimate of the real controller.
constexpr std::int64_t kFinalizerEstimate = 15;

bool can_be_emptied(const Kind& kind) {
  if (!kind.namespaced) return false;
  return kind.verbs.empty() || std::ranges::find(kind.verbs, "delete") != kind.verbs.end();
}

bool is_ours(const api::Namespace& ns) {
  const auto& finalizers = ns.spec().finalizers();
  return ns.metadata().has_deletion_timestamp() && std::ranges::find(finalizers, kFinalizer) != finalizers.end();
}

// Seconds until the objects of this kind can be gone; -1 if there are none.
std::int64_t time_left(const Store& store, const Kind& kind, const std::string& ns) {
  std::int64_t longest = -1;
  store.for_each(kind, ns, "", [&longest](const VersionPtr& version) {
    const ObjectPtr object = version->object();
    const api::ObjectMeta& metadata = kube::metadata_of(*object);
    longest = std::max(longest,
                       metadata.finalizers().empty() ? metadata.deletion_grace_period_seconds() : kFinalizerEstimate);
    return true;
  });
  return longest;
}

}  // namespace

NamespaceDeletion::NamespaceDeletion(const ControllerScope& scope)
    : server_(scope.server), queue_(server_.agenda(), scope.lag, [this](const std::string& name) { reconcile(name); }) {
  const Kind& namespaces = server_.kinds().of<api::Namespace>();
  server_.store().for_each(namespaces, "", "", [this](const VersionPtr& version) {
    changed(Change{version->number(), Change::What::Added, nullptr, version});
    return true;
  });
  on_namespaces_ = server_.store().subscribe(&namespaces, [this](const Change& change) { changed(change); });
}

void NamespaceDeletion::changed(const Change& change) {
  if (change.what == Change::What::Deleted) return;
  const auto ns = change.after->as<api::Namespace>();
  if (is_ours(*ns)) queue_.add(ns->metadata().name());
}

void NamespaceDeletion::reconcile(const std::string& name) {
  const VersionPtr version = server_.store().find(server_.kinds().of<api::Namespace>(), "", name);
  if (!version || !is_ours(*version->as<api::Namespace>())) return;
  api::DeleteOptions options;
  options.set_propagation_policy("Background");
  std::int64_t left = -1;
  bool failed = false;
  for (const Kind* kind : server_.kinds().served()) {
    if (!can_be_emptied(*kind) || time_left(server_.store(), *kind, name) < 0) continue;
    failed = !server_.remove_collection(*kind, ListQuery{.ns = name}, options) || failed;
    left = std::max(left, time_left(server_.store(), *kind, name));
  }
  if (failed) return queue_.add_after_failure(name);
  queue_.forget_failures(name);
  // Half of the estimate plus one second, as the real controller does.
  if (left >= 0) return queue_.add_after(name, std::chrono::seconds{left / 2 + 1});
  finalize(*version);
}

// Like POST namespaces/<name>/finalize, the only way to change spec.finalizers.
void NamespaceDeletion::finalize(const Version& version) {
  auto ns = std::make_unique<api::Namespace>(*version.as<api::Namespace>());
  kube::erase_if(*ns->mutable_spec()->mutable_finalizers(), [](const auto& one) { return one == kFinalizer; });
  const std::string name = ns->metadata().name();
  const Kind& kind = version.kind();
  const bool held = has_finalizers(kind, *ns);
  server_.store().put(kind, std::move(ns), version.managed_fields());
  if (!held) server_.store().erase(kind, "", name);
}

}  // namespace rescheduler::sim
