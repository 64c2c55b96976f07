#include "migration/protocol.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "config/rescheduling_settings.h"
#include "kube/value/time.h"
#include "migration/keys.h"

namespace rescheduler::migration {
namespace {

// Creation times come from the clocks of the API servers, in whole seconds; the clocks differ little.
constexpr std::chrono::seconds kClockSpread{10};

// A drain names only pods that its policy, or an annotation of the node, allows to move.
bool is_drain(const api::Migration& migration) {
  return migration.spec().strategy() == config::to_string(config::Strategy::NodeMaintenance);
}

std::string why_no_surge(const ObservedState& observed, const MigrationSettings& settings) {
  const ObservedWorkload& workload = *observed.workload;
  if (workload.kind != "Deployment" && workload.kind != "ReplicaSet") {
    return fmt::format("pods of a {} have identities and cannot replace each other", workload.kind);
  }
  if (!settings.coordination) return "migration.coordination is false, so the replicas of the workload are not changed";
  if (workload.autoscaled) return "an autoscaler sets the replicas of the workload";
  if (!observed.source->no_second_copy.empty()) return observed.source->no_second_copy;
  return {};
}

Step begin(const api::Migration& migration, const ObservedState& observed, const MigrationSettings& settings) {
  const auto end = [&](MoveResult result, std::string message) {
    return steps::write(ended(migration, result, std::move(message), observed.now));
  };
  const api::MigrationSpec& spec = migration.spec();
  if (observed.cancelled) return end(MoveResult::Refused, "cancelled before it began");
  if (!observed.source) return end(MoveResult::Stale, fmt::format("pod {} no longer exists", spec.pod()));
  const ObservedPod& pod = *observed.source;
  if (pod.leaving || pod.over)
    return end(MoveResult::Stale, fmt::format("pod {} is terminating or has ended", spec.pod()));
  if (pod.node.empty()) return end(MoveResult::Stale, fmt::format("pod {} has no node yet", spec.pod()));
  if (!spec.source().empty() && pod.node != spec.source()) {
    return end(MoveResult::Stale, fmt::format("pod {} is on {}, not on {}", spec.pod(), pod.node, spec.source()));
  }
  if (pod.node == spec.target())
    return end(MoveResult::Stale, fmt::format("pod {} is already on the target node", spec.pod()));
  if (!pod.protected_because.empty()) return end(MoveResult::Refused, pod.protected_because);
  if (pod.critical && !is_drain(migration)) return end(MoveResult::Refused, "the pod is system-critical");
  if (observed.workload && !observed.workload->protected_because.empty()) {
    return end(MoveResult::Refused, observed.workload->protected_because);
  }
  if (!pod.mark.empty() && pod.mark != migration.metadata().name()) {
    return end(MoveResult::Refused, fmt::format("the pod belongs to migration {}", pod.mark));
  }
  if (!observed.moved_by.empty())
    return end(MoveResult::Refused, fmt::format("{} already moves this pod", observed.moved_by));
  if (!observed.target_problem.empty()) return end(MoveResult::Refused, observed.target_problem);
  if (observed.refusal && observed.refusal->for_good) return end(MoveResult::Refused, observed.refusal->message);
  if (observed.now >= deadline_of(migration)) {
    return end(MoveResult::Refused, observed.ahead.empty()
                                        ? "the deadline passed before the move began"
                                        : "the deadline passed while the move was queued: " + observed.ahead);
  }
  if (!observed.ahead.empty() || marked_by_another(migration, observed)) return steps::wait();
  const ModeChoice choice = choose_mode(migration, observed, settings);
  if (!choice.refused.empty()) return end(MoveResult::Refused, choice.refused);

  api::MigrationStatus status = entering(migration, Phase::Preparing, choice.why, observed.now);
  status.set_mode(std::string(to_string(choice.mode)));
  status.set_mode_reason(choice.why);
  kube::set_time(*status.mutable_started(), observed.now);
  if (spec.source().empty()) status.set_source(pod.node);
  if (observed.workload) {
    status.mutable_workload()->set_kind(observed.workload->kind);
    status.mutable_workload()->set_name(observed.workload->name);
    status.mutable_workload()->set_uid(observed.workload->uid);
    status.set_selector(observed.workload->selector);
  }
  return steps::write(std::move(status));
}

}  // namespace

namespace steps {

Step wait(std::chrono::nanoseconds most) {
  Step step;
  step.what = StepType::Wait;
  step.wait = most;
  return step;
}

Step write(api::MigrationStatus status) {
  Step step;
  step.what = StepType::Write;
  step.status = std::move(status);
  return step;
}

Step conclude(const api::Migration& migration, const ObservedState& observed, MoveResult result, std::string message) {
  return write(concluded_status(migration, result, std::move(message), observed.now));
}

Step land(const api::Migration& migration,
          const ObservedState& observed,
          const std::string& pod,
          const std::string& node) {
  const MoveResult result = result_on(migration, node);
  std::string message = fmt::format("{} is ready on {}", pod, node);
  if (result == MoveResult::Elsewhere) message = fmt::format("{} is ready, but on {}", pod, node);
  if (result == MoveResult::Failed) message = fmt::format("{} is ready, but on the source node {} again", pod, node);
  api::MigrationStatus status = concluded_status(migration, result, std::move(message), observed.now);
  status.set_landed(node);
  return write(std::move(status));
}

}  // namespace steps

std::string_view to_string(StepType what) {
  switch (what) {
    case StepType::Wait: return "wait";
    case StepType::Write: return "write the record";
    case StepType::Preflight: return "check whether the pod can be evicted";
    case StepType::Evict: return "evict the pod";
    case StepType::MarkWorkload: return "write the intent on the workload";
    case StepType::UnmarkWorkload: return "remove the intent from the workload";
    case StepType::UnmarkSets: return "remove the intent from the ReplicaSets";
    case StepType::Retire: return "scale the workload down";
    case StepType::MarkPod: return "lower the pod's deletion cost";
    case StepType::UnmarkPod: return "restore the pod's deletion cost";
    case StepType::CreateBudget: return "create the temporary PodDisruptionBudget";
    case StepType::DeleteBudget: return "delete the temporary PodDisruptionBudget";
    case StepType::Nominate: return "nominate the target";
    case StepType::CreateCopy: return "create the new pod";
    case StepType::ReleaseCopy: return "release the new pod";
    case StepType::UnmarkCopy: return "remove the migration labels from the new pod";
    case StepType::DeletePod: return "delete the pod";
    case StepType::Ended: return "end";
  }
  return "";
}

ModeChoice choose_mode(const api::Migration& migration,
                       const ObservedState& observed,
                       const MigrationSettings& settings) {
  const MoveMode wanted = mode_of(migration.spec().mode());
  if (observed.source->owner.empty()) {
    if (wanted == MoveMode::Coordinated || wanted == MoveMode::MakeBeforeBreak) {
      return {.refused = fmt::format("no controller would replace a bare pod: {} is not possible", to_string(wanted))};
    }
    if (!settings.direct && !is_drain(migration)) {
      return {.refused = "moving bare pods is not enabled; set migration.direct: true"};
    }
    if (!observed.source->no_copy.empty()) return {.refused = observed.source->no_copy};
    return {MoveMode::Direct,
            observed.source->no_second_copy.empty() ? "a bare pod: its copy is ready before the pod is deleted"
                                                    : "a bare pod, and " + observed.source->no_second_copy
                                                          + ": the pod is deleted before its copy is created",
            {}};
  }
  if (!observed.workload)
    return {.refused = "the workload of the pod is gone, or rescheduler does not move pods of its kind"};
  if (wanted == MoveMode::Direct)
    return {.refused = "the controller of the pod would replace it: mode Direct is for bare pods only"};
  const std::string unsafe = why_no_surge(observed, settings);
  if (wanted == MoveMode::MakeBeforeBreak) {
    if (!unsafe.empty()) return {.refused = "make-before-break is not safe here: " + unsafe};
    return {MoveMode::MakeBeforeBreak, "requested", {}};
  }
  if (wanted == MoveMode::Coordinated) return {MoveMode::Coordinated, "requested", {}};
  const bool single = observed.workload->desired == 1;
  const bool surge = settings.surge == SurgeUse::Always || (settings.surge == SurgeUse::SingleReplicas && single);
  if (surge && unsafe.empty()) {
    return {MoveMode::MakeBeforeBreak,
            single ? "a single replica: no other pod serves while the pod is replaced"
                   : "preferred where make-before-break is safe",
            {}};
  }
  if (surge) return {MoveMode::Coordinated, "make-before-break is not safe here: " + unsafe, {}};
  return {MoveMode::Coordinated, fmt::format("the {} replaces the pod", observed.workload->kind), {}};
}

MoveResult result_on(const api::Migration& migration, const std::string& node) {
  if (node == migration.spec().target()) return MoveResult::Succeeded;
  return node == source_of(migration) ? MoveResult::Failed : MoveResult::Elsewhere;
}

const ObservedPod* replacement_in(const api::Migration& migration, const ObservedState& observed) {
  const api::MigrationStatus& status = migration.status();
  const bool by_name = status.workload().kind() == "StatefulSet";
  const WallTime earliest = status.has_youngest() ? kube::wall_time(status.youngest()) - kClockSpread : WallTime::min();
  const ObservedPod* best = nullptr;
  const auto rank = [&](const ObservedPod& pod) {
    return std::tuple(pod.node != migration.spec().target(), !pod.ready, pod.uid != status.replacement_uid(),
                      pod.created, pod.name);
  };
  for (const ObservedPod& pod : observed.pods) {
    if (pod.uid == migration.spec().pod_uid() || pod.leaving || pod.over) continue;
    if (by_name && pod.name != migration.spec().pod()) continue;
    if (!by_name && (pod.created < earliest || std::ranges::find(status.known(), pod.uid) != status.known().end())) {
      continue;
    }
    if (best == nullptr || rank(pod) < rank(*best)) best = &pod;
  }
  return best;
}

bool marked_by_another(const api::Migration& migration, const ObservedState& observed) {
  return observed.workload && !observed.workload->mark.empty()
         && observed.workload->mark != migration.metadata().name();
}

void note_known(api::MigrationStatus& status, const ObservedState& observed) {
  status.clear_known();
  status.clear_youngest();
  if (observed.pods.empty()) return;
  const WallTime youngest = std::ranges::max_element(observed.pods, {}, &ObservedPod::created)->created;
  status.mutable_youngest()->set_seconds(std::chrono::floor<std::chrono::seconds>(youngest).time_since_epoch().count());
  for (const ObservedPod& pod : observed.pods) {
    if (pod.created >= youngest - 2 * kClockSpread) status.add_known(pod.uid);
  }
}

std::string budget_problem(const ObservedState& observed, const MigrationSettings& settings) {
  if (!observed.workload || observed.workload->desired < 0 || !observed.source) return {};
  if (!observed.source->ready) return {};  // a pod that is not ready does not serve
  const std::int32_t desired = observed.workload->desired;
  const auto ready = static_cast<std::int32_t>(std::ranges::count_if(
      observed.pods, [](const ObservedPod& pod) { return pod.ready && !pod.leaving && !pod.over; }));
  const auto share = static_cast<std::int32_t>(std::int64_t{desired} * settings.max_unavailable_percent / 100);
  const std::int32_t most = std::max({1, static_cast<std::int32_t>(settings.max_unavailable), share});
  const std::int32_t lacking = std::max(0, desired - ready);
  if (lacking + 1 <= most) return {};
  return fmt::format("{} of {} replicas are not ready, and at most {} can be unavailable", lacking, desired, most);
}

std::optional<Step> follow_replacement(const api::Migration& migration,
                                       const ObservedState& observed,
                                       const ObservedPod& replacement,
                                       const MigrationSettings& settings) {
  const api::MigrationStatus& status = migration.status();
  if (status.replacement_uid() != replacement.uid) {
    api::MigrationStatus found =
        noting(migration, "Replacement", fmt::format("{} is the replacement pod", replacement.name), observed.now);
    found.set_replacement(replacement.name);
    found.set_replacement_uid(replacement.uid);
    return steps::write(std::move(found));
  }
  const bool ours = settings.scheduler_names.contains(replacement.scheduler);
  if (replacement.node.empty() && replacement.nominated.empty() && !ours && !observed.refusal) {
    Step step;
    step.what = StepType::Nominate;
    step.pod = replacement;
    step.node = migration.spec().target();
    return step;
  }
  return std::nullopt;
}

Step next_cleaning(const api::Migration& migration,
                   const ObservedState& observed,
                   const MigrationSettings& /*settings*/) {
  const std::string& name = migration.metadata().name();
  const MoveResult result = result_of(migration);
  // A copy that has replaced the deleted original stays, even if it is on the source node again.
  const bool replaced = migration.status().delete_first() && migration.status().has_landed();
  Step step;
  if (observed.source && observed.source->mark == name && !observed.source->leaving) {
    step.what = StepType::UnmarkPod;
    step.pod = *observed.source;
    return step;
  }
  if (observed.workload && observed.workload->mark == name) {
    step.what = StepType::UnmarkWorkload;
    return step;
  }
  if (!observed.copied_to.empty()) {
    step.what = StepType::UnmarkSets;
    return step;
  }
  if (observed.budgets.own) {
    step.what = StepType::DeleteBudget;
    return step;
  }
  if (observed.copy && !has_moved(result) && !replaced) {
    if (observed.copy->leaving) return steps::wait();  // until the copy is deleted
    step.what = StepType::DeletePod;
    step.pod = *observed.copy;
    return step;
  }
  if (observed.copy && observed.copy->mark == name && !observed.copy->leaving) {
    step.what = StepType::UnmarkCopy;
    step.pod = *observed.copy;
    return step;
  }
  if (observed.restored && observed.restored->mark == name && !observed.restored->leaving) {
    step.what = StepType::UnmarkCopy;
    step.pod = *observed.restored;
    return step;
  }
  return steps::write(ended(migration, result, migration.status().message(), observed.now));
}

Step next(const api::Migration& migration, const ObservedState& observed, const MigrationSettings& settings) {
  switch (phase_of(migration)) {
    case Phase::Pending: return begin(migration, observed, settings);
    case Phase::CleaningUp: return next_cleaning(migration, observed, settings);
    case Phase::Ended: {
      Step step;
      step.what = StepType::Ended;
      return step;
    }
    default: break;
  }
  switch (mode_of(migration.status().mode())) {
    case MoveMode::MakeBeforeBreak: return next_make_before_break(migration, observed, settings);
    case MoveMode::Direct: return next_direct(migration, observed, settings);
    default: return next_coordinated(migration, observed, settings);
  }
}

}  // namespace rescheduler::migration
