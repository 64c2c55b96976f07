#include "migration/sweeper.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/log.h"
#include "cluster/objects/workloads.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/value/time.h"
#include "kube/value/wire_selectors.h"
#include "migration/intent.h"
#include "migration/keys.h"
#include "migration/messages.h"
#include "migration/migration_observer.h"
#include "migration/patches.h"

namespace rescheduler::migration {
namespace {

template <class Map>
std::string value_of(const Map& map, std::string_view key) {
  const auto found = map.find(std::string(key));
  return found == map.end() ? std::string() : found->second;
}

kube::ListSettings marked() {
  kube::ListSettings which;
  which.label_selector = std::string(kMigrationLabel);
  return which;
}

template <class T>
std::string selector_of(const T& object) {
  const auto selector = kube::compile_selector(object.spec().selector());
  return selector ? selector->to_string() : std::string();
}

// NotFound: another client deleted the object. Conflict: another client changed it, so the next sweep checks it again.
bool is_settled(const Result<void>& done, Swept& swept) {
  if (!done && done.error().code == Errc::Conflict) swept.unfinished = true;
  return done || done.error().code == Errc::NotFound || done.error().code == Errc::Conflict;
}

}  // namespace

net::Task<Result<Swept>> Sweeper::sweep() {
  Swept swept;
  auto done = co_await sweep_pods(swept);
  if (done) {
    auto next = co_await sweep_workloads<api::Deployment>("Deployment", swept);
    done = std::move(next);
  }
  if (done && std::exchange(again_, false)) {
    auto next = co_await sweep_workloads<api::Deployment>("Deployment", swept);
    done = std::move(next);
  }
  if (done) {
    auto next = co_await sweep_workloads<api::ReplicaSet>("ReplicaSet", swept);
    done = std::move(next);
  }
  if (done) {
    auto next = co_await sweep_workloads<api::StatefulSet>("StatefulSet", swept);
    done = std::move(next);
  }
  if (done) {
    auto next = co_await sweep_workloads<api::Job>("Job", swept);
    done = std::move(next);
  }
  if (done) {
    auto next = co_await sweep_budgets(swept);
    done = std::move(next);
  }
  if (done) {
    auto next = co_await look_back(swept);
    done = std::move(next);
  }
  if (!done) co_return fail(std::move(done.error()));
  co_return swept;
}

// Reads from the API server: the copy of an informer could miss a new Migration whose labels are already on an object.
net::Task<Result<bool>> Sweeper::in_charge(const std::string& ns, const std::string& migration) {
  auto found = co_await client_.get<api::Migration>(ns, migration);
  if (found) co_return !has_ended(*found);
  if (found.error().code == Errc::NotFound) co_return false;
  co_return fail(std::move(found.error()));
}

template <class T>
net::Task<Result<void>> Sweeper::sweep_workloads(std::string_view kind, Swept& swept) {
  const auto which = marked();
  auto all = co_await client_.list<T>(settings_.ns, which);
  if (!all) co_return fail(std::move(all.error()));
  for (const auto& object : *all) {
    const auto& meta = object->metadata();
    const std::string name = value_of(meta.labels(), kMigrationLabel);
    auto alive = co_await in_charge(meta.namespace_(), name);
    if (!alive) co_return fail(std::move(alive.error()));
    if (*alive) continue;
    ObservedWorkload workload;
    workload.kind = kind;
    workload.name = meta.name();
    workload.uid = meta.uid();
    workload.version = meta.resource_version();
    if constexpr (!std::is_same_v<T, api::Job>) {
      workload.desired = cluster::wanted_replicas(*object).value_or(1);
    }
    if (const auto intent = parse_intent(value_of(meta.annotations(), kIntentAnnotation))) {
      workload.surged_from = intent->surged_from;
      workload.surged_to = intent->surged_to;
    }
    // The first pass removes the intent of a Deployment and keeps the label. The second pass removes the copies of the
    // intent from the ReplicaSets, then the label.
    const bool copied = std::is_same_v<T, api::Deployment>;
    const bool intent = meta.annotations().contains(std::string(kIntentAnnotation));
    const bool once_more = copied && intent;
    if (copied && !intent) {
      const std::string selector = selector_of(*object);
      auto cleaned = co_await unmark_sets(meta.namespace_(), selector, name, swept);
      if (!cleaned) co_return cleaned;
    }
    auto done = co_await step_executor_.unmark(meta.namespace_(), workload, once_more);
    if (!is_settled(done, swept)) co_return done;
    if (once_more) again_ = true;
    log_info(messages::kSwept, {{"kind", kind}, {"name", meta.namespace_() + "/" + meta.name()}, {"migration", name}});
    ++swept.undone;
  }
  co_return Result<void>{};
}

net::Task<Result<void>> Sweeper::sweep_pods(Swept& swept) {
  const auto which = marked();
  auto all = co_await client_.list<api::Pod>(settings_.ns, which);
  if (!all) co_return fail(std::move(all.error()));
  for (const auto& pod : *all) {
    const auto& meta = pod->metadata();
    if (meta.has_deletion_timestamp()) continue;
    auto alive = co_await in_charge(meta.namespace_(), value_of(meta.labels(), kMigrationLabel));
    if (!alive) co_return fail(std::move(alive.error()));
    if (*alive) continue;
    auto done = co_await sweep_pod(*pod, meta.namespace_());
    if (!is_settled(done, swept)) co_return done;
    log_info(messages::kSwept, {{"kind", "Pod"}, {"name", meta.namespace_() + "/" + meta.name()}});
    ++swept.undone;
  }
  co_return Result<void>{};
}

net::Task<Result<void>> Sweeper::sweep_pod(const api::Pod& pod, const std::string& ns) {
  const ObservedPod observed = observed_pod(pod);
  if (observed.copy_of.empty()) {
    auto done = co_await step_executor_.unmark_pod(ns, observed.name, observed.uid);
    co_return done;
  }
  // A copy that is not ready is deleted, because the original may still exist. A copy that is ready stays.
  if (!observed.ready) {
    kube::DeleteSettings very_one;
    very_one.uid = observed.uid;
    auto done = co_await client_.remove<api::Pod>(ns, observed.name, very_one);
    co_return done;
  }
  std::string patch = unmark_copy_patch(observed);
  auto patched = co_await client_.patch<api::Pod>(ns, observed.name, std::move(patch));
  if (!patched) co_return fail(std::move(patched.error()));
  co_return Result<void>{};
}

net::Task<Result<void>> Sweeper::sweep_budgets(Swept& swept) {
  const auto which = marked();
  auto all = co_await client_.list<api::PodDisruptionBudget>(settings_.ns, which);
  if (!all) co_return fail(std::move(all.error()));
  for (const auto& budget : *all) {
    const auto& meta = budget->metadata();
    auto alive = co_await in_charge(meta.namespace_(), value_of(meta.labels(), kMigrationLabel));
    if (!alive) co_return fail(std::move(alive.error()));
    if (*alive || meta.has_deletion_timestamp()) continue;
    kube::DeleteSettings very_one;
    very_one.uid = meta.uid();
    auto done = co_await client_.remove<api::PodDisruptionBudget>(meta.namespace_(), meta.name(), very_one);
    if (!is_settled(done, swept)) co_return done;
    log_info(messages::kSwept, {{"kind", "PodDisruptionBudget"}, {"name", meta.namespace_() + "/" + meta.name()}});
    ++swept.undone;
  }
  co_return Result<void>{};
}

// The Deployment controller copies annotations to its ReplicaSets and never removes them there. It may copy the intent
// once more after the migration has cleaned up.
net::Task<Result<void>> Sweeper::look_back(Swept& swept) {
  auto all = co_await client_.list<api::Migration>(settings_.ns);
  if (!all) co_return fail(std::move(all.error()));
  std::erase_if(*all, [](const auto& migration) { return !has_ended(*migration); });
  for (const auto& migration : *all) {
    if (migration->status().workload().kind() != "Deployment") continue;
    auto done = co_await unmark_sets(migration->metadata().namespace_(), migration->status().selector(),
                                     migration->metadata().name(), swept);
    if (!done) co_return done;
  }
  auto done = co_await forget_history(std::move(*all), swept);
  co_return done;
}

net::Task<Result<void>> Sweeper::unmark_sets(std::string ns,
                                             std::string selector,
                                             std::string migration,
                                             Swept& swept) {
  if (selector.empty()) co_return Result<void>{};
  kube::ListSettings which;
  which.label_selector = std::move(selector);
  auto sets = co_await client_.list<api::ReplicaSet>(ns, which);
  if (!sets) co_return fail(std::move(sets.error()));
  for (const auto& set : *sets) {
    const auto workload = copied_intent(*set, migration);
    if (!workload) continue;
    auto done = co_await step_executor_.unmark(ns, *workload);
    if (!is_settled(done, swept)) co_return done;
    ++swept.undone;
  }
  co_return Result<void>{};
}

net::Task<Result<void>> Sweeper::forget_history(std::vector<std::shared_ptr<const api::Migration>> ended,
                                                Swept& swept) {
  if (ended.size() <= settings_.history) co_return Result<void>{};
  std::ranges::sort(ended, {}, [](const auto& migration) {
    return std::tuple(kube::wall_time(migration->status().finished()), key_of(*migration));
  });
  ended.resize(ended.size() - settings_.history);
  for (const auto& migration : ended) {
    kube::DeleteSettings very_one;
    very_one.uid = migration->metadata().uid();
    auto done = co_await client_.remove<api::Migration>(migration->metadata().namespace_(),
                                                        migration->metadata().name(), very_one);
    if (!is_settled(done, swept)) co_return done;
    ++swept.forgotten;
  }
  co_return Result<void>{};
}

}  // namespace rescheduler::migration
