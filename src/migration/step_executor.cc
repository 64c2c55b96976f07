#include "migration/step_executor.h"

#include "kube/proto/apps.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/value/time.h"
#include "migration/keys.h"
#include "migration/patches.h"

namespace rescheduler::migration {
namespace {

template <class T>
Result<void> without_value(Result<T> result) {
  if (!result) return fail(std::move(result.error()));
  return {};
}

// The client must not repeat a patch: the first request may have succeeded. The controller observes and decides again.
kube::PatchOptions once(std::string subresource = {}) {
  kube::PatchOptions options;
  options.subresource = std::move(subresource);
  options.write.repeat = kube::Repeat::Never;
  return options;
}

}  // namespace

net::Task<Result<void>> StepExecutor::perform(api::Migration& migration,
                                              const ObservedState& observed,
                                              const Step& step) {
  const std::string ns = migration.metadata().namespace_();
  Result<void> done;
  std::string patch;
  kube::DeleteSettings which;
  switch (step.what) {
    case StepType::Write: done = co_await write(migration, step); break;
    case StepType::Preflight: done = co_await evict(migration, step.pod, true); break;
    case StepType::Evict: done = co_await evict(migration, step.pod, false); break;
    case StepType::MarkWorkload:
      patch = mark_workload_patch(migration, *observed.workload, step.replicas, step.node);
      done = co_await patch_workload(ns, *observed.workload, std::move(patch));
      break;
    case StepType::Retire:
      patch = retire_patch(migration, *observed.workload, step.replicas);
      done = co_await patch_workload(ns, *observed.workload, std::move(patch));
      break;
    case StepType::UnmarkWorkload: done = co_await unmark(ns, *observed.workload); break;
    case StepType::UnmarkSets:
      for (const ObservedWorkload& set : observed.copied_to) {
        done = co_await unmark(ns, set);
        if (!done) break;
      }
      break;
    case StepType::MarkPod: done = co_await mark_pod(migration, step.pod); break;
    case StepType::UnmarkPod: done = co_await unmark_pod(ns, step.pod.name, step.pod.uid); break;
    case StepType::CreateBudget: done = co_await create_budget(migration); break;
    case StepType::DeleteBudget:
      which.uid = observed.budgets.own_uid;
      done = co_await client_.remove<api::PodDisruptionBudget>(ns, migration.status().budget(), which);
      break;
    case StepType::Nominate: done = co_await nominate(migration, step); break;
    case StepType::CreateCopy: done = co_await create_copy(migration, step); break;
    case StepType::ReleaseCopy: done = co_await release_copy(migration, step.pod); break;
    case StepType::UnmarkCopy: {
      const auto options = once();
      patch = unmark_copy_patch(step.pod);
      auto unmarked = co_await client_.patch<api::Pod>(ns, step.pod.name, patch, options);
      done = without_value(std::move(unmarked));
      break;
    }
    case StepType::DeletePod:
      which.uid = step.pod.uid;
      done = co_await client_.remove<api::Pod>(ns, step.pod.name, which);
      break;
    case StepType::Wait:
    case StepType::Ended: break;
  }
  co_return done;
}

net::Task<Result<void>> StepExecutor::write(api::Migration& migration, const Step& step) {
  const std::string ns = migration.metadata().namespace_();
  api::MigrationStatus status = step.status;
  // The manifest of a bare pod is saved in the record before anything is done to the pod.
  const bool to_be_saved = status.mode() == to_string(MoveMode::Direct) && !step.pod.uid.empty();
  if (to_be_saved) {
    auto pod = co_await client_.get<api::Pod>(ns, step.pod.name);
    if (!pod) co_return fail(std::move(pod.error()));
    if (pod->metadata().uid() != step.pod.uid)
      co_return fail(Errc::Conflict, "pod {} was replaced by another pod with the same name", step.pod.name);
    status.set_manifest(sanitised_manifest(*pod));
    status.set_copy(copy_name(pod->metadata().name(), kube::wall_time(status.started())));
  }
  const auto options = once("status");
  std::string patch = status_patch(migration, status);
  auto written = co_await client_.patch<api::Migration>(ns, migration.metadata().name(), std::move(patch), options);
  if (!written) co_return fail(std::move(written.error()));
  migration = std::move(*written);
  co_return Result<void>{};
}

net::Task<Result<void>> StepExecutor::evict(const api::Migration& migration, const ObservedPod& pod, bool dry_run) {
  const std::string ns = migration.metadata().namespace_();
  kube::WriteOptions options;
  options.dry_run = dry_run;
  options.repeat = kube::Repeat::Never;  // a 429 is an answer about a PodDisruptionBudget
  api::Eviction eviction = eviction_of(ns, pod);
  auto done =
      co_await client_.create_sub<api::Pod, api::Eviction>(ns, pod.name, "eviction", std::move(eviction), options);
  co_return done;
}

net::Task<Result<void>> StepExecutor::patch_workload(const std::string& ns,
                                                     const ObservedWorkload& workload,
                                                     std::string patch) {
  const auto options = once();
  Result<void> done = fail(Errc::Unsupported, "a {} is not written to", workload.kind);
  if (workload.kind == "Deployment") {
    auto patched = co_await client_.patch<api::Deployment>(ns, workload.name, std::move(patch), options);
    done = without_value(std::move(patched));
  } else if (workload.kind == "ReplicaSet") {
    auto patched = co_await client_.patch<api::ReplicaSet>(ns, workload.name, std::move(patch), options);
    done = without_value(std::move(patched));
  } else if (workload.kind == "StatefulSet") {
    auto patched = co_await client_.patch<api::StatefulSet>(ns, workload.name, std::move(patch), options);
    done = without_value(std::move(patched));
  } else if (workload.kind == "Job") {
    auto patched = co_await client_.patch<api::Job>(ns, workload.name, std::move(patch), options);
    done = without_value(std::move(patched));
  }
  co_return done;
}

net::Task<Result<void>> StepExecutor::unmark(const std::string& ns, const ObservedWorkload& workload, bool keep_label) {
  std::string patch = unmark_workload_patch(workload, keep_label);
  auto done = co_await patch_workload(ns, workload, std::move(patch));
  co_return done;
}

net::Task<Result<void>> StepExecutor::mark_pod(const api::Migration& migration, const ObservedPod& pod) {
  const std::string ns = migration.metadata().namespace_();
  auto now = co_await client_.get<api::Pod>(ns, pod.name);
  if (!now) co_return fail(std::move(now.error()));
  if (now->metadata().uid() != pod.uid)
    co_return fail(Errc::Conflict, "pod {} was replaced by another pod with the same name", pod.name);
  const auto options = once();
  std::string patch = mark_pod_patch(migration.metadata().name(), *now);
  auto marked = co_await client_.patch<api::Pod>(ns, pod.name, std::move(patch), options);
  co_return without_value(std::move(marked));
}

net::Task<Result<void>> StepExecutor::unmark_pod(const std::string& ns,
                                                 const std::string& name,
                                                 const std::string& uid) {
  auto now = co_await client_.get<api::Pod>(ns, name);
  if (!now) co_return fail(std::move(now.error()));
  if (now->metadata().uid() != uid) co_return Result<void>{};
  const auto options = once();
  std::string patch = unmark_pod_patch(*now);
  auto unmarked = co_await client_.patch<api::Pod>(ns, name, std::move(patch), options);
  co_return without_value(std::move(unmarked));
}

net::Task<Result<void>> StepExecutor::create_budget(const api::Migration& migration) {
  auto pod = co_await client_.get<api::Pod>(migration.metadata().namespace_(), migration.spec().pod());
  if (!pod) co_return fail(std::move(pod.error()));
  api::PodDisruptionBudget budget = budget_for(migration, settings_, *pod);
  auto made = co_await client_.create(std::move(budget));
  co_return without_value(std::move(made));
}

net::Task<Result<void>> StepExecutor::nominate(const api::Migration& migration, const Step& step) {
  const auto options = once("status");
  std::string patch = nominate_patch(step.pod, step.node);
  auto done =
      co_await client_.patch<api::Pod>(migration.metadata().namespace_(), step.pod.name, std::move(patch), options);
  co_return without_value(std::move(done));
}

net::Task<Result<void>> StepExecutor::create_copy(const api::Migration& migration, const Step& step) {
  auto copy = copy_from(migration, step.name);
  if (!copy) co_return fail(std::move(copy.error()));
  auto made = co_await client_.create(std::move(*copy));
  co_return without_value(std::move(made));
}

net::Task<Result<void>> StepExecutor::release_copy(const api::Migration& migration, const ObservedPod& pod) {
  const std::string ns = migration.metadata().namespace_();
  auto now = co_await client_.get<api::Pod>(ns, pod.name);
  if (!now) co_return fail(std::move(now.error()));
  if (now->metadata().uid() != pod.uid)
    co_return fail(Errc::Conflict, "pod {} was replaced by another pod with the same name", pod.name);
  const auto options = once();
  std::string patch = release_copy_patch(*now);
  auto done = co_await client_.patch<api::Pod>(ns, pod.name, std::move(patch), options);
  co_return without_value(std::move(done));
}

}  // namespace rescheduler::migration
