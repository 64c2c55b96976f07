#include "migration/story.h"

#include <fmt/format.h>

#include "base/log.h"
#include "migration/keys.h"

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

bool is_there(MoveResult result) { return result == MoveResult::Succeeded || result == MoveResult::Elsewhere; }

// In the words of the operators' guide: its grep commands look for these.
std::string chinese(const api::Migration& migration, const Step& step) {
  const std::string name = migration.metadata().name();
  switch (step.what) {
    case Do::MarkWorkload:
      return fmt::format(R"("成功添加节点偏好" preferredNode="{}" avoidNode="{}" migration="{}")",
                         migration.spec().target(), migration.spec().source(), name);
    case Do::CreateBudget: return fmt::format(R"("创建临时PDB保护服务" pdb="{}" migration="{}")", step.name, name);
    case Do::Evict: return fmt::format(R"("优雅驱逐Pod成功" pod="{}" migration="{}")", pod_of(migration), name);
    case Do::MarkPod: return fmt::format(R"("标记迁移源Pod优先删除" pod="{}" migration="{}")", pod_of(migration), name);
    case Do::Retire:
      return fmt::format(R"("新Pod已就绪，缩容移除迁移源Pod" pod="{}" migration="{}")", pod_of(migration), name);
    case Do::CreateCopy:
      return fmt::format(R"("创建迁移目标Pod" pod="{}" targetNode="{}" migration="{}")", step.name, step.node, name);
    case Do::DeletePod: return fmt::format(R"("删除迁移Pod" pod="{}" migration="{}")", step.pod.name, name);
    case Do::Write: break;
    default: return {};
  }
  const std::string& phase = step.status.phase();
  if (phase == "Preparing") {
    return kind_of(migration) == "Pod"
               ? fmt::format(R"("开始直接迁移" pod="{}" migration="{}")", pod_of(migration), name)
               : fmt::format(R"("开始{}协调重调度" deployment="{}" mode="{}" migration="{}")", kind_of(migration),
                             workload_of(migration), step.status.mode(), name);
  }
  if (phase == "CleaningUp" && step.status.has_landed() && kind_of(migration) != "Pod") {
    return fmt::format(R"("{} Controller已重建Pod" newPod="{}" targetNode="{}" migration="{}")", kind_of(migration),
                       step.status.replacement(), step.status.landed(), name);
  }
  return {};
}

std::string english(const api::Migration& migration, const Step& step) {
  const std::string name = migration.metadata().name();
  switch (step.what) {
    case Do::MarkWorkload:
      return fmt::format(R"("intent written" preferredNode="{}" avoidNode="{}" migration="{}")",
                         migration.spec().target(), migration.spec().source(), name);
    case Do::CreateBudget: return fmt::format(R"("temporary PDB created" pdb="{}" migration="{}")", step.name, name);
    case Do::Evict: return fmt::format(R"("pod evicted" pod="{}" migration="{}")", pod_of(migration), name);
    case Do::MarkPod:
      return fmt::format(R"("pod marked as first to go" pod="{}" migration="{}")", pod_of(migration), name);
    case Do::Retire:
      return fmt::format(R"("new pod ready, scaled down" pod="{}" migration="{}")", pod_of(migration), name);
    case Do::CreateCopy:
      return fmt::format(R"("new pod created" pod="{}" targetNode="{}" migration="{}")", step.name, step.node, name);
    case Do::DeletePod: return fmt::format(R"("pod deleted" pod="{}" migration="{}")", step.pod.name, name);
    case Do::Write: break;
    default: return {};
  }
  const std::string& phase = step.status.phase();
  if (phase == "Preparing") {
    return fmt::format(R"("migration begins" {}="{}" mode="{}" migration="{}")", kind_of(migration),
                       workload_of(migration), step.status.mode(), name);
  }
  if (phase == "CleaningUp" && step.status.has_landed()) {
    return fmt::format(R"("pod replaced" newPod="{}" targetNode="{}" migration="{}")", step.status.replacement(),
                       step.status.landed(), name);
  }
  return {};
}

kube::EventRecord about(const api::Migration& migration, bool there) {
  const api::MigrationSpec& spec = migration.spec();
  kube::EventRecord record;
  record.type = there ? kube::EventType::Normal : kube::EventType::Warning;
  record.reason = there ? "Rescheduled" : "ReschedulingFailed";
  record.action = "Rescheduling";
  const std::string why = spec.reason().empty() ? spec.strategy() : spec.reason();
  record.note = there ? fmt::format("Pod {} moved from {} to {} as {} ({})", spec.pod(), spec.source(),
                                    migration.status().landed(), migration.status().replacement(), why)
                      : fmt::format("Pod {} was not moved from {} to {}: {}", spec.pod(), spec.source(), spec.target(),
                                    migration.status().message());
  return record;
}

}  // namespace

std::string line_for(const api::Migration& migration, const Step& step, Language language) {
  return language == Language::Chinese ? chinese(migration, step) : english(migration, step);
}

std::string last_line(const api::Migration& migration, Language language) {
  const MoveResult result = result_of(migration);
  const std::string& message = migration.status().message();
  const std::string name = migration.metadata().name();
  const bool pod = kind_of(migration) == "Pod";
  if (language == Language::Chinese) {
    if (is_there(result)) {
      return fmt::format(R"("{}" deployment="{}" result="{}" migration="{}")",
                         pod ? "完成直接迁移清理" : "完成协调重调度清理", workload_of(migration), name_of(result),
                         name);
    }
    return fmt::format(R"("{}" deployment="{}" result="{}" err="{}" migration="{}")",
                       pod ? "直接迁移失败，回退" : "协调重调度失败，回退", workload_of(migration), name_of(result),
                       message, name);
  }
  return fmt::format(R"("{}" workload="{}" result="{}" message="{}" migration="{}")",
                     is_there(result) ? "migration complete, nothing temporary left" : "migration failed, undone",
                     workload_of(migration), name_of(result), message, name);
}

double unavailable_seconds(const api::Migration& migration) {
  const api::MigrationStatus& status = migration.status();
  if (!status.has_evicted()) return 0;
  WallTime until = status.has_finished() ? to_wall(status.finished()) : to_wall(status.evicted());
  for (const api::MigrationStep& step : status.steps()) {
    if (step.name() == to_string(Phase::CleaningUp)) until = to_wall(step.at());
  }
  return std::max(0.0, std::chrono::duration<double>(until - to_wall(status.evicted())).count());
}

void Story::done(const api::Migration& migration, const Step& step) const {
  const std::string line = line_for(migration, step, language_);
  if (!line.empty()) log_info("{}", line);
}

void Story::ended(const api::Migration& migration) {
  const MoveResult result = result_of(migration);
  const api::MigrationStatus& status = migration.status();
  if (is_there(result)) {
    log_info("{}", last_line(migration, language_));
  } else {
    log_warning("{}", last_line(migration, language_));
  }
  const std::string mode = status.mode().empty() ? std::string("None") : status.mode();
  metrics_
      .counter("rescheduler_migrations_total", "Migrations that have ended.",
               {{"mode", mode}, {"result", std::string(to_string(result))}, {"strategy", migration.spec().strategy()}})
      .add();
  if (!is_there(result)) {
    // The phase in which it went wrong; messages name pods and would be without number.
    std::string where = "Pending";
    for (const api::MigrationStep& step : status.steps()) {
      if (step.name() == to_string(Phase::CleaningUp)) break;
      for (const Phase phase : {Phase::Preparing, Phase::Evicting, Phase::Replacing, Phase::Surging, Phase::Retiring,
                                Phase::Creating, Phase::RollingBack}) {
        if (step.name() == to_string(phase)) where = step.name();
      }
    }
    metrics_
        .counter("rescheduler_migration_failures_total", "Migrations that did not bring their pod anywhere.",
                 {{"phase", where}, {"result", std::string(to_string(result))}})
        .add();
  }
  if (status.has_started() && status.has_finished()) {
    static const std::vector<double> kSeconds{0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600};
    const double took = std::chrono::duration<double>(to_wall(status.finished()) - to_wall(status.started())).count();
    metrics_
        .histogram("rescheduler_migration_duration_seconds", "From the first step of a migration to its end.", kSeconds,
                   {{"mode", mode}})
        .observe(took);
  }
  metrics_
      .counter("rescheduler_unavailable_replica_seconds_total",
               "How long workloads lacked a replica because it was moved.")
      .add(unavailable_seconds(migration));
  tell(migration);
}

void Story::tell(const api::Migration& migration) const {
  if (recorder_ == nullptr) return;
  const api::MigrationStatus& status = migration.status();
  const std::string& ns = migration.metadata().namespace_();
  const bool there = is_there(result_of(migration));
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
  // Who looks at a node wants to know what came and what went.
  std::vector<std::string> nodes{migration.spec().source()};
  if (there && status.landed() != nodes.front()) nodes.push_back(status.landed());
  for (const std::string& where : nodes) {
    if (where.empty()) continue;
    kube::EventRecord node = record;
    node.regarding = {.api_version = "v1", .kind = "Node", .name = where, .uid = where};
    recorder_->record(std::move(node));
  }
}

void Story::under_way(const std::map<std::string, int>& by_phase) {
  for (auto& [phase, count] : shown_) count = 0;
  for (const auto& [phase, count] : by_phase) shown_[phase] = count;
  for (const auto& [phase, count] : shown_) {
    metrics_.gauge("rescheduler_migrations_under_way", "Migrations that have not ended, by phase.", {{"phase", phase}})
        .set(count);
  }
}

}  // namespace rescheduler::migration
