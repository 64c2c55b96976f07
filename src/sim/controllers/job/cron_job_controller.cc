#include "sim/controllers/job/cron_job_controller.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "kube/events/event_record.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/time.h"
#include "sim/controllers/job/job_status.h"
#include "sim/controllers/pods/ownership.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

using kube::EventType;

namespace {

constexpr std::string_view kReporter = "cronjob-controller";
// Just after the minute, so that clocks with a small offset agree on the minute.
constexpr std::chrono::milliseconds kAfterTheMinute{100};
constexpr int kTooManyMissed = 100;
constexpr int kMostSteps = 100'000;  // iterations over missed times: over two months of every minute

WriteContext as_manager() { return {.manager = "kube-controller-manager"}; }

bool is_utc(const api::CronJobSpec& spec) {
  return !spec.has_time_zone() || spec.time_zone() == "UTC" || spec.time_zone() == "Etc/UTC";
}

std::optional<std::chrono::seconds> deadline_of(const api::CronJobSpec& spec) {
  if (!spec.has_starting_deadline_seconds()) return std::nullopt;
  return std::chrono::seconds{spec.starting_deadline_seconds()};
}

}  // namespace

DueTime due_time(const CronSchedule& schedule,
                 WallTime since,
                 std::optional<std::chrono::seconds> deadline,
                 WallTime now) {
  if (deadline && now - *deadline > since) since = now - *deadline;
  DueTime due;
  for (auto next = schedule.next(since); next && *next <= now && due.missed < kMostSteps; next = schedule.next(*next)) {
    due.latest = *next;
    ++due.missed;
  }
  return due;
}

CronJobController::CronJobController(const ControllerScope& scope)
    : server_(scope.server),
      events_(scope.events),
      queue_(server_.agenda(), scope.lag, [this](const std::string& key) { reconcile(key); }) {
  const auto watch = [this](const Kind& kind, void (CronJobController::*listener)(const Change&)) {
    server_.store().for_each(kind, "", "", [this, listener](const VersionPtr& version) {
      (this->*listener)(Change{version->number(), Change::What::Added, nullptr, version});
      return true;
    });
    return server_.store().subscribe(&kind, [this, listener](const Change& change) { (this->*listener)(change); });
  };
  on_jobs_ = watch(server_.kinds().of<api::Job>(), &CronJobController::job_changed);
  on_cron_jobs_ = watch(server_.kinds().of<api::CronJob>(), &CronJobController::changed);
}

void CronJobController::changed(const Change& change) {
  const auto cron = change.after->as<api::CronJob>();
  if (change.what == Change::What::Deleted) return;
  queue_.add(key_of(cron->metadata().namespace_(), cron->metadata().name()));
}

void CronJobController::job_changed(const Change& change) {
  const auto job = change.after->as<api::Job>();
  const api::OwnerReference* owner = controller_of(job->metadata());
  if (!owner || owner->kind() != "CronJob") return;
  if (change.what == Change::What::Deleted) {
    auto& known = jobs_[owner->uid()];
    known.erase(job->metadata().name());
    if (known.empty()) jobs_.erase(owner->uid());
  } else {
    jobs_[owner->uid()][job->metadata().name()] = job->metadata().namespace_();
  }
  queue_.add(key_of(job->metadata().namespace_(), owner->name()));
}

std::vector<CronJobController::JobPtr> CronJobController::jobs_of(const api::CronJob& cron) const {
  std::vector<JobPtr> jobs;
  const auto known = jobs_.find(cron.metadata().uid());
  if (known == jobs_.end()) return jobs;
  for (const auto& [name, ns] : known->second) {
    if (auto job = server_.find<api::Job>(ns, name)) jobs.push_back(std::move(job));
  }
  std::ranges::sort(jobs, {}, [](const JobPtr& job) {
    return std::pair(job->metadata().creation_timestamp().seconds(), std::string_view(job->metadata().name()));
  });
  return jobs;
}

void CronJobController::reconcile(const std::string& key) {
  const auto [ns, name] = split_key(key);
  const auto cron = server_.find<api::CronJob>(ns, name);
  if (!cron) return;
  api::CronJobStatus status = cron->status();
  const std::vector<JobPtr> jobs = jobs_of(*cron);
  note_finished(*cron, jobs, status);
  drop_history(*cron, jobs);
  if (!cron->metadata().has_deletion_timestamp() && !cron->spec().suspend()) run_if_due(*cron, status);
  const auto written = server_.modify_status<api::CronJob>(
      ns, name, [&status](api::CronJob& changed) { *changed.mutable_status() = status; }, as_manager());
  if (!written && written.error().code != 404) queue_.add_after_failure(key);
}

void CronJobController::note_finished(const api::CronJob& cron,
                                      const std::vector<JobPtr>& jobs,
                                      api::CronJobStatus& status) {
  status.clear_active();
  for (const JobPtr& job : jobs) {
    const api::JobCondition* end = finish(job->status());
    if (!end) {
      api::ObjectReference& active = *status.add_active();
      active.set_api_version("batch/v1");
      active.set_kind("Job");
      active.set_namespace_(job->metadata().namespace_());
      active.set_name(job->metadata().name());
      active.set_uid(job->metadata().uid());
      active.set_resource_version(job->metadata().resource_version());
      continue;
    }
    const bool was_active = std::ranges::any_of(cron.status().active(), [&job](const api::ObjectReference& known) {
      return known.uid() == job->metadata().uid();
    });
    if (was_active) {
      note(cron, EventType::Normal, "SawCompletedJob",
           fmt::format("Saw completed job: {}, condition: {}", job->metadata().name(), end->type()));
    }
    const bool newest = !status.has_last_successful_time()
                        || status.last_successful_time().seconds() < job->status().completion_time().seconds();
    if (end->type() == "Complete" && newest) *status.mutable_last_successful_time() = job->status().completion_time();
  }
}

void CronJobController::drop_history(const api::CronJob& cron, const std::vector<JobPtr>& jobs) {
  const auto drop = [&](std::string_view type, int keep) {
    std::vector<std::string> names;
    for (const JobPtr& job : jobs) {
      const api::JobCondition* end = finish(job->status());
      if (end && end->type() == type) names.push_back(job->metadata().name());
    }
    const auto kept = static_cast<std::size_t>(std::max(0, keep));
    for (std::size_t i = 0; i + kept < names.size(); ++i) remove(cron, names[i]);
  };
  const api::CronJobSpec& spec = cron.spec();
  drop("Complete", spec.has_successful_jobs_history_limit() ? spec.successful_jobs_history_limit() : 3);
  drop("Failed", spec.has_failed_jobs_history_limit() ? spec.failed_jobs_history_limit() : 1);
}

void CronJobController::run_if_due(const api::CronJob& cron, api::CronJobStatus& status) {
  const api::CronJobSpec& spec = cron.spec();
  if (!is_utc(spec)) {
    return note(cron, EventType::Warning, "UnknownTimeZone",
                fmt::format("The embedded cluster knows UTC only, not {}", spec.time_zone()));
  }
  const auto schedule = CronSchedule::parse(spec.schedule());
  if (!schedule) {
    return note(cron, EventType::Warning, "UnparseableSchedule",
                fmt::format("unparseable schedule {}: {}", spec.schedule(), schedule.error().message));
  }
  const WallTime now = server_.agenda().wall_now();
  const std::string key = key_of(cron.metadata().namespace_(), cron.metadata().name());
  if (const auto next = schedule->next(now)) queue_.add_after(key, *next - now + kAfterTheMinute);
  const WallTime since = cron.status().has_last_schedule_time() ? kube::wall_time(cron.status().last_schedule_time())
                                                                : kube::wall_time(cron.metadata().creation_timestamp());
  const DueTime due = due_time(*schedule, since, deadline_of(spec), now);
  if (due.missed > kTooManyMissed) {
    note(cron, EventType::Warning, "TooManyMissedTimes",
         fmt::format("too many missed start times: {}. Set or decrease .spec.startingDeadlineSeconds or check clock "
                     "skew",
                     due.missed));
  }
  if (!due.latest) return;
  if (spec.concurrency_policy() == "Forbid" && !status.active().empty()) {
    return note(cron, EventType::Normal, "JobAlreadyActive",
                "Not starting job because prior execution is running and concurrency policy is Forbid");
  }
  if (spec.concurrency_policy() == "Replace") {
    for (const api::ObjectReference& active : status.active()) remove(cron, active.name());
    status.clear_active();
  }
  if (!start(cron, *due.latest, status)) queue_.add_after_failure(key);
}

bool CronJobController::start(const api::CronJob& cron, WallTime scheduled, api::CronJobStatus& status) {
  const api::JobTemplateSpec& pattern = cron.spec().job_template();
  const auto minute = std::chrono::floor<std::chrono::minutes>(scheduled).time_since_epoch().count();
  api::Job job;
  api::ObjectMeta& metadata = *job.mutable_metadata();
  metadata.set_name(fmt::format("{}-{}", cron.metadata().name(), minute));
  metadata.set_namespace_(cron.metadata().namespace_());
  *metadata.mutable_labels() = pattern.metadata().labels();
  *metadata.mutable_annotations() = pattern.metadata().annotations();
  (*metadata.mutable_annotations())["batch.kubernetes.io/cronjob-scheduled-timestamp"] = kube::format_time(scheduled);
  *metadata.add_owner_references() = controller_reference(cron);
  *job.mutable_spec() = pattern.spec();
  const auto made = server_.create(std::move(job), as_manager());
  if (!made && made.error().reason != "AlreadyExists") {
    note(cron, EventType::Warning, "FailedCreate", fmt::format("Error creating job: {}", made.error().message));
    return false;
  }
  if (made)
    note(cron, EventType::Normal, "SuccessfulCreate", fmt::format("Created job {}", (*made)->metadata().name()));
  *status.mutable_last_schedule_time() = stamp(scheduled);
  return true;  // the creation of the Job triggers the reconcile that lists it as active
}

void CronJobController::remove(const api::CronJob& cron, const std::string& job) {
  api::DeleteOptions options;
  options.set_propagation_policy("Background");
  const auto removed = server_.remove(server_.kinds().of<api::Job>(), cron.metadata().namespace_(), job, options);
  if (removed) note(cron, EventType::Normal, "SuccessfulDelete", fmt::format("Deleted job {}", job));
}

void CronJobController::note(const api::CronJob& cron, EventType type, std::string_view reason, std::string text) {
  events_.note(kube::ref_to(cron), type, reason, "", std::move(text), kReporter);
}

}  // namespace rescheduler::sim
