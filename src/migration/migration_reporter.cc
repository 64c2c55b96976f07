#include "migration/migration_reporter.h"

#include <fmt/format.h>

#include "base/log.h"
#include "kube/value/time.h"
#include "migration/keys.h"
#include "migration/messages.h"

namespace rescheduler::migration {
namespace {

std::string workload_of(const api::Migration& migration) {
  const auto& workload = migration.status().workload();
  const std::string& name = workload.name().empty() ? migration.spec().pod() : workload.name();
  return migration.metadata().namespace_() + "/" + name;
}

std::string kind_of(const api::Migration& migration) {
  const std::string& kind = migration.status().workload().kind();
  return kind.empty() ? std::string("Pod") : kind;
}

std::string pod_of(const api::Migration& migration) {
  return migration.metadata().namespace_() + "/" + migration.spec().pod();
}

// The log lines of the guides name the kind of the workload, so each kind has its own message.
const Phrase& begins(const std::string& kind) {
  if (kind == "ReplicaSet") return messages::kBeginsReplicaSet;
  if (kind == "StatefulSet") return messages::kBeginsStatefulSet;
  if (kind == "Job") return messages::kBeginsJob;
  return messages::kBeginsDeployment;
}
const Phrase& replaced_by(const std::string& kind) {
  if (kind == "ReplicaSet") return messages::kReplacedByReplicaSet;
  if (kind == "StatefulSet") return messages::kReplacedByStatefulSet;
  if (kind == "Job") return messages::kReplacedByJob;
  return messages::kReplacedByDeployment;
}

// The log line of a step that writes the record.
std::optional<LogLine> line_for_phase(const api::Migration& migration, const Step& step) {
  const std::string name = migration.metadata().name();
  const std::string kind = kind_of(migration);
  const std::string& phase = step.status.phase();
  if (phase == "Preparing") {
    if (kind == "Pod") return LogLine{messages::kBeginsDirect, {{"pod", pod_of(migration)}, {"migration", name}}};
    return LogLine{begins(kind),
                   {{"deployment", workload_of(migration)}, {"mode", step.status.mode()}, {"migration", name}}};
  }
  if (phase == "CleaningUp" && step.status.has_landed() && kind != "Pod") {
    return LogLine{replaced_by(kind),
                   {{"newPod", step.status.replacement()}, {"targetNode", step.status.landed()}, {"migration", name}}};
  }
  return std::nullopt;
}

kube::EventRecord about(const api::Migration& migration, bool there) {
  const api::MigrationSpec& spec = migration.spec();
  kube::EventRecord record;
  record.type = there ? kube::EventType::Normal : kube::EventType::Warning;
  record.reason = there ? "Rescheduled" : "ReschedulingFailed";
  record.action = "Rescheduling";
  const std::string why = spec.reason().empty() ? spec.strategy() : spec.reason();
  record.note = there ? fmt::format("Pod {} moved from {} to {} as {} ({})", spec.pod(), source_of(migration),
                                    migration.status().landed(), migration.status().replacement(), why)
                      : fmt::format("Pod {} was not moved from {} to {}: {}", spec.pod(), source_of(migration),
                                    spec.target(), migration.status().message());
  return record;
}

}  // namespace

std::optional<LogLine> log_line_for(const api::Migration& migration, const Step& step) {
  const std::string name = migration.metadata().name();
  const std::string pod = pod_of(migration);
  switch (step.what) {
    case StepType::MarkWorkload:
      return LogLine{messages::kIntentWritten,
                     {{"preferredNode", migration.spec().target()}, {"avoidNode", step.node}, {"migration", name}}};
    case StepType::CreateBudget: return LogLine{messages::kBudgetCreated, {{"pdb", step.name}, {"migration", name}}};
    case StepType::Evict: return LogLine{messages::kEvicted, {{"pod", pod}, {"migration", name}}};
    case StepType::MarkPod: return LogLine{messages::kMarkedFirst, {{"pod", pod}, {"migration", name}}};
    case StepType::Retire: return LogLine{messages::kRetired, {{"pod", pod}, {"migration", name}}};
    case StepType::CreateCopy:
      return LogLine{messages::kCopyCreated, {{"pod", step.name}, {"targetNode", step.node}, {"migration", name}}};
    case StepType::DeletePod: return LogLine{messages::kPodDeleted, {{"pod", step.pod.name}, {"migration", name}}};
    case StepType::Write: return line_for_phase(migration, step);
    default: return std::nullopt;
  }
}

std::optional<LogLine> log_line_for(const api::Migration& migration, StepType what, const StepRefusal& refusal) {
  if (what == StepType::Nominate) return std::nullopt;
  const bool evicting = what == StepType::Evict || what == StepType::Preflight;
  return LogLine{evicting ? messages::kNotEvicted : messages::kStepRefused,
                 {{"pod", pod_of(migration)}, {"err", refusal.message}, {"migration", migration.metadata().name()}}};
}

LogLine last_log_line(const api::Migration& migration) {
  const MoveResult result = result_of(migration);
  const std::string name = migration.metadata().name();
  const bool pod = kind_of(migration) == "Pod";
  if (has_moved(result)) {
    return {pod ? messages::kDoneDirect : messages::kDone,
            {{"deployment", workload_of(migration)}, {"result", name_of(result)}, {"migration", name}}};
  }
  return {pod ? messages::kFailedDirect : messages::kFailed,
          {{"deployment", workload_of(migration)},
           {"result", name_of(result)},
           {"err", migration.status().message()},
           {"migration", name}}};
}

double unavailable_seconds(const api::Migration& migration) {
  const api::MigrationStatus& status = migration.status();
  if (!status.has_evicted()) return 0;
  WallTime until = status.has_finished() ? kube::wall_time(status.finished()) : kube::wall_time(status.evicted());
  for (const api::MigrationStep& step : status.steps()) {
    if (step.name() == to_string(Phase::CleaningUp)) until = kube::wall_time(step.at());
  }
  return std::max(0.0, std::chrono::duration<double>(until - kube::wall_time(status.evicted())).count());
}

void MigrationReporter::done(const api::Migration& migration, const Step& step) const {
  if (const auto line = log_line_for(migration, step)) log_message(LogLevel::Info, line->phrase, line->fields);
}

void MigrationReporter::refused(const api::Migration& migration,
                                StepType what,
                                const std::optional<StepRefusal>& before,
                                const std::optional<StepRefusal>& now) const {
  if (!now || (before && before->message == now->message)) return;
  if (const auto line = log_line_for(migration, what, *now)) log_message(LogLevel::Warning, line->phrase, line->fields);
}

void MigrationReporter::ended(const api::Migration& migration) {
  const MoveResult result = result_of(migration);
  const api::MigrationStatus& status = migration.status();
  const LogLine line = last_log_line(migration);
  log_message(has_moved(result) ? LogLevel::Info : LogLevel::Warning, line.phrase, line.fields);
  const std::string mode = status.mode().empty() ? std::string("None") : status.mode();
  metrics_
      .counter("rescheduler_migrations_total", "Migrations that have ended.",
               {{"mode", mode}, {"result", std::string(to_string(result))}, {"strategy", migration.spec().strategy()}})
      .add();
  if (!has_moved(result)) {
    // The label is the phase of the failure: messages contain pod names and would create an unlimited number of series.
    std::string where = "Pending";
    for (const api::MigrationStep& step : status.steps()) {
      if (step.name() == to_string(Phase::CleaningUp)) break;
      for (const Phase phase : {Phase::Preparing, Phase::Evicting, Phase::Replacing, Phase::Surging, Phase::Retiring,
                                Phase::Creating, Phase::RollingBack}) {
        if (step.name() == to_string(phase)) where = step.name();
      }
    }
    metrics_
        .counter("rescheduler_migration_failures_total", "Migrations that did not move their pod, by phase and result.",
                 {{"phase", where}, {"result", std::string(to_string(result))}})
        .add();
  }
  if (status.has_started() && status.has_finished()) {
    static const std::vector<double> buckets{0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600};
    const double took =
        std::chrono::duration<double>(kube::wall_time(status.finished()) - kube::wall_time(status.started())).count();
    metrics_
        .histogram("rescheduler_migration_duration_seconds", "Duration of migrations, from the first step to the end.",
                   buckets, {{"mode", mode}})
        .observe(took);
  }
  metrics_
      .counter("rescheduler_unavailable_replica_seconds_total",
               "Time for which workloads lacked a replica because of a move.")
      .add(unavailable_seconds(migration));
  record_event(migration);
}

void MigrationReporter::record_event(const api::Migration& migration) const {
  if (recorder_ == nullptr) return;
  const api::MigrationStatus& status = migration.status();
  const std::string& ns = migration.metadata().namespace_();
  const bool there = has_moved(result_of(migration));
  const kube::EventRecord record = about(migration, there);

  kube::EventRecord pod = record;
  pod.regarding = {
      .api_version = "v1", .kind = "Pod", .ns = ns, .name = migration.spec().pod(), .uid = migration.spec().pod_uid()};
  if (there) {
    pod.regarding.name = status.replacement();
    pod.regarding.uid = status.replacement_uid();
  }
  recorder_->record(std::move(pod));

  if (status.has_workload()) {
    kube::EventRecord workload = record;
    workload.regarding = {.api_version = status.workload().kind() == "Job" ? "batch/v1" : "apps/v1",
                          .kind = status.workload().kind(),
                          .ns = ns,
                          .name = status.workload().name(),
                          .uid = status.workload().uid()};
    recorder_->record(std::move(workload));
  }
  // Events on both nodes, so that each node shows the pods that came and left.
  std::vector<std::string> nodes{source_of(migration)};
  if (there && status.landed() != nodes.front()) nodes.push_back(status.landed());
  for (const std::string& where : nodes) {
    if (where.empty()) continue;
    kube::EventRecord node = record;
    node.regarding = {.api_version = "v1", .kind = "Node", .name = where, .uid = where};
    recorder_->record(std::move(node));
  }
}

void MigrationReporter::under_way(const std::map<std::string, int>& by_phase) {
  for (auto& [phase, count] : shown_) count = 0;
  for (const auto& [phase, count] : by_phase) shown_[phase] = count;
  for (const auto& [phase, count] : shown_) {
    metrics_.gauge("rescheduler_migrations_under_way", "Migrations that have not ended, by phase.", {{"phase", phase}})
        .set(count);
  }
}

}  // namespace rescheduler::migration
