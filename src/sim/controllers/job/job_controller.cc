#include "sim/controllers/job/job_controller.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kube/events/event_record.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/controllers/job/index_set.h"
#include "sim/controllers/job/job_status.h"
#include "sim/controllers/pods/ownership.h"
#include "sim/controllers/pods/pod_template.h"
#include "sim/controllers/replica_set/scale_down_order.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

using kube::EventType;

namespace {

constexpr std::string_view kReporter = "job-controller";
constexpr std::string_view kTracking = "batch.kubernetes.io/job-tracking";
constexpr std::string_view kIndexKey = "batch.kubernetes.io/job-completion-index";
constexpr int kMostAtOnce = 500;  // pods created or deleted in one reconcile

WriteContext as_manager() { return {.manager = "kube-controller-manager"}; }

std::optional<int> index_of(const PodView& pod) {
  const std::set<int> indexes = parse_indexes(pod.label(kIndexKey));
  if (indexes.size() != 1) return std::nullopt;
  return *indexes.begin();
}

std::string left_out(const api::JobSpec& spec) {
  if (spec.has_pod_failure_policy()) return "podFailurePolicy";
  if (spec.has_success_policy()) return "successPolicy";
  if (spec.has_backoff_limit_per_index()) return "backoffLimitPerIndex";
  return {};
}

bool replaces_only_failed(const api::JobSpec& spec) { return spec.pod_replacement_policy() == "Failed"; }

bool drop_tracking(api::ObjectMeta& metadata) {
  auto& finalizers = *metadata.mutable_finalizers();
  const auto gone = std::remove(finalizers.begin(), finalizers.end(), kTracking);
  const bool had = gone != finalizers.end();
  finalizers.erase(gone, finalizers.end());
  return had;
}

}  // namespace

struct JobController::Look {
  std::string key;
  std::shared_ptr<const api::Job> job;
  WallTime now;
  api::JobStatus status;
  std::vector<const PodView*> active{};  // valid until the first write to a pod
  std::vector<std::string> counted{};    // names of pods whose end the status now counts
  std::set<int> done{};                  // indexes
  int terminating = 0;
  bool new_failure = false;

  const api::JobSpec& spec() const { return job->spec(); }
  const std::string& ns() const { return job->metadata().namespace_(); }
  int at_work() const { return static_cast<int>(active.size()); }
};

JobController::JobController(const ControllerScope& scope)
    : server_(scope.server),
      pods_(scope.pods),
      events_(scope.events),
      queue_(server_.agenda(), scope.lag, [this](const std::string& key) { reconcile(key); }),
      orphans_(server_.agenda(), scope.lag, [this](const std::string& key) { free_orphan(key); }),
      pods_control_(server_, events_, std::string(kReporter), [this](const std::string& key) {
        queue_.add_after_failure(key);
      }) {
  const Kind& jobs = server_.kinds().of<api::Job>();
  server_.store().for_each(jobs, "", "", [this](const VersionPtr& version) {
    job_changed(Change{version->number(), Change::What::Added, nullptr, version});
    return true;
  });
  on_jobs_ = server_.store().subscribe(&jobs, [this](const Change& change) { job_changed(change); });
  on_pods_ = pods_.subscribe([this](const PodView* before, const PodView* after) { pod_changed(before, after); });
}

void JobController::job_changed(const Change& change) {
  const auto job = change.after->as<api::Job>();
  if (change.what != Change::What::Deleted) {
    queue_.add(key_of(job->metadata().namespace_(), job->metadata().name()));
    return;
  }
  trouble_.erase(job->metadata().uid());
  for (const PodView* pod : pods_.of_owner(job->metadata().uid())) orphans_.add(pod->key());
}

void JobController::pod_changed(const PodView* before, const PodView* after) {
  const PodView& pod = after ? *after : *before;
  if (!pod.owned_by("Job")) return;
  queue_.add(key_of(pod.ns(), pod.owner()->name));
  if (after && after->terminating() && after->has_finalizers()) orphans_.add(after->key());
}

void JobController::free_orphan(const std::string& key) {
  const auto [ns, name] = split_key(key);
  const PodView* pod = pods_.find(ns, name);
  if (!pod || !pod->has_finalizers()) return;
  if (pod->owner()) {
    const auto job = server_.find<api::Job>(ns, pod->owner()->name);
    const bool ours = job && job->metadata().uid() == pod->owner_uid();
    if (ours && !job->metadata().has_deletion_timestamp() && !finish(job->status())) return;  // counted later
  }
  release({name}, ns);
}

void JobController::release(const std::vector<std::string>& pods, const std::string& ns) {
  for (const std::string& name : pods) {
    const auto freed = server_.modify<api::Pod>(
        ns, name, [](api::Pod& pod) { drop_tracking(*pod.mutable_metadata()); }, {}, as_manager());
    if (!freed && freed.error().code != 404) orphans_.add_after_failure(key_of(ns, name));
  }
}

void JobController::reconcile(const std::string& key) {
  const auto [ns, name] = split_key(key);
  Look look{key, server_.find<api::Job>(ns, name), server_.agenda().wall_now(), {}};
  if (!look.job || look.spec().has_managed_by()) return;
  if (finish(look.job->status())) return look_after_finished(*look.job);
  if (look.job->metadata().has_deletion_timestamp() || pods_control_.under_way(key)) return;
  if (const std::string unknown = left_out(look.spec()); !unknown.empty()) {
    return note(*look.job, EventType::Warning, "Unsupported",
                fmt::format("The embedded cluster does not run Jobs with {}", unknown));
  }
  look.status = look.job->status();
  look.done = parse_indexes(look.status.completed_indexes());
  count(look);
  if (!look.spec().suspend() && !look.status.has_start_time()) *look.status.mutable_start_time() = stamp(look.now);
  decide_end(look);
  suspend_or_resume(look);
  if (!write_status(look)) return queue_.add_after_failure(key);
  queue_.forget_failures(key);
  release(look.counted, look.ns());
  if (finish(look.status)) return;
  if (!look.counted.empty()) return queue_.add(key);  // the views have changed: reconcile again
  manage(look);
}

void JobController::count(Look& look) {
  int ready = 0;
  for (const PodView* pod : pods_.of_owner(look.job->metadata().uid())) {
    const bool gives_up = pod->terminating() && !replaces_only_failed(look.spec());
    if (pod->finished() || gives_up) {
      if (pod->has_finalizers()) count_end(look, *pod);
    } else if (!pod->terminating()) {
      look.active.push_back(pod);
      ready += pod->ready() ? 1 : 0;
    }
    if (pod->terminating() && !pod->finished()) ++look.terminating;
  }
  look.status.set_active(look.at_work());
  look.status.set_ready(ready);
  look.status.set_terminating(look.terminating);
  look.status.mutable_uncounted_terminated_pods();
  if (is_indexed(look.spec())) {
    look.status.set_succeeded(static_cast<int>(look.done.size()));
    look.status.set_completed_indexes(format_indexes(look.done));
  }
}

void JobController::count_end(Look& look, const PodView& pod) {
  // The finalizer can belong to another component.
  const auto whole = server_.find<api::Pod>(pod.ns(), pod.name());
  const auto& finalizers = whole->metadata().finalizers();
  if (std::ranges::find(finalizers, kTracking) == finalizers.end()) return;
  look.counted.emplace_back(pod.name());
  Trouble& trouble = trouble_[look.job->metadata().uid()];
  if (pod.phase() == PodPhase::Succeeded) {
    trouble = {};
    if (!is_indexed(look.spec())) {
      look.status.set_succeeded(look.status.succeeded() + 1);
    } else if (const auto index = index_of(pod); index && *index < look.spec().completions()) {
      look.done.insert(*index);
    }
    return;
  }
  look.status.set_failed(look.status.failed() + 1);
  look.new_failure = true;
  ++trouble.failures;
  trouble.last = look.now;
}

int JobController::restarts(const Look& look) const {
  if (look.spec().template_().spec().restart_policy() != "OnFailure") return 0;
  int sum = 0;
  for (const PodView* view : look.active) {
    if (view->restarts() == 0) continue;
    const auto pod = server_.find<api::Pod>(view->ns(), view->name());
    for (const auto& container : pod->status().init_container_statuses()) sum += container.restart_count();
    for (const auto& container : pod->status().container_statuses()) sum += container.restart_count();
  }
  return sum;
}

void JobController::decide_end(Look& look) {
  api::JobStatus& status = look.status;
  const int limit = look.spec().has_backoff_limit() ? look.spec().backoff_limit() : 6;
  const int again = restarts(look);
  const bool too_often = (look.new_failure && status.failed() > limit) || (again > 0 && again >= limit);
  const bool running = status.has_start_time() && !look.spec().suspend();
  const auto deadline = std::chrono::seconds{look.spec().active_deadline_seconds()};
  const bool timed = running && look.spec().has_active_deadline_seconds();
  const WallTime started = moment(status.start_time());
  if (!has_condition(status, "FailureTarget") && !has_condition(status, "SuccessCriteriaMet")) {
    if (too_often) {
      set_condition(status, "FailureTarget", true, "BackoffLimitExceeded",
                    "Job has reached the specified backoff limit", look.now);
    } else if (timed && look.now >= started + deadline) {
      set_condition(status, "FailureTarget", true, "DeadlineExceeded", "Job was active longer than specified deadline",
                    look.now);
    } else if (!look.spec().suspend() && reached_its_aim(look.spec(), status.succeeded(), look.at_work())) {
      set_condition(status, "SuccessCriteriaMet", true, "CompletionsReached",
                    "Reached expected number of succeeded pods", look.now);
    }
  }
  if (timed && look.now < started + deadline) queue_.add_after(look.key, started + deadline - look.now);
  // The final condition waits until the last pod has ended.
  if (look.at_work() > 0 || look.terminating > 0) return;
  if (const api::JobCondition* target = find_condition(status, "FailureTarget"); target) {
    const api::JobCondition why = *target;
    set_condition(status, "Failed", true, why.reason(), why.message(), look.now);
    note(*look.job, EventType::Warning, why.reason(), why.message());
  } else if (has_condition(status, "SuccessCriteriaMet")) {
    set_condition(status, "Complete", true, "CompletionsReached", "Reached expected number of succeeded pods",
                  look.now);
    *status.mutable_completion_time() = stamp(look.now);
    note(*look.job, EventType::Normal, "Completed", "Job completed");
  }
}

void JobController::suspend_or_resume(Look& look) {
  if (has_condition(look.status, "FailureTarget") || has_condition(look.status, "SuccessCriteriaMet")) return;
  if (look.spec().suspend()) {
    if (set_condition(look.status, "Suspended", true, "JobSuspended", "Job suspended", look.now)) {
      note(*look.job, EventType::Normal, "Suspended", "Job suspended");
    }
    look.status.clear_start_time();
  } else if (set_condition(look.status, "Suspended", false, "JobResumed", "Job resumed", look.now)) {
    note(*look.job, EventType::Normal, "Resumed", "Job resumed");
    *look.status.mutable_start_time() = stamp(look.now);
  }
}

bool JobController::write_status(Look& look) {
  const auto written = server_.modify_status<api::Job>(
      look.ns(), look.job->metadata().name(), [&look](api::Job& job) { *job.mutable_status() = look.status; },
      as_manager());
  return written || written.error().code == 404;
}

void JobController::delete_pods(Look& look, std::size_t most) {
  sort_for_deletion(look.active, look.active, look.now);
  std::vector<std::string> names;
  for (const PodView* pod : look.active) {
    if (names.size() < most) names.emplace_back(pod->name());
  }
  for (const std::string& name : names) {
    const PodView* pod = pods_.find(look.ns(), name);
    if (!pod) continue;
    if (!pods_control_.remove(*look.job, *pod).empty()) queue_.add_after_failure(look.key);
  }
}

void JobController::manage(Look& look) {
  const bool ending = has_condition(look.status, "FailureTarget") || has_condition(look.status, "SuccessCriteriaMet");
  if (ending || look.spec().suspend()) return delete_pods(look, kMostAtOnce);
  const int wanted = wanted_active(look.spec(), look.status.succeeded(), look.at_work());
  if (look.at_work() > wanted) return delete_pods(look, static_cast<std::size_t>(look.at_work() - wanted));
  int missing = wanted - look.at_work();
  if (replaces_only_failed(look.spec())) missing -= look.terminating;
  if (missing <= 0) return;
  if (const auto trouble = trouble_.find(look.job->metadata().uid()); trouble != trouble_.end()) {
    const WallTime earliest = trouble->second.last + wait_after_failures(trouble->second.failures);
    if (look.now < earliest) return queue_.add_after(look.key, earliest - look.now);
  }
  create_pods(look, std::min(missing, kMostAtOnce));
}

void JobController::create_pods(Look& look, int missing) {
  const bool indexed = is_indexed(look.spec());
  std::set<int> taken = look.done;
  for (const PodView* pod : look.active) {
    if (const auto index = indexed ? index_of(*pod) : std::nullopt) taken.insert(*index);
  }
  int next = 0;
  for (int i = 0; i < missing && !pods_control_.failed(look.key); ++i) {
    while (taken.contains(next)) ++next;
    if (indexed && next >= look.spec().completions()) break;
    pods_control_.create(look.key, *look.job, new_pod(*look.job, indexed ? std::optional(next) : std::nullopt));
    ++next;
  }
  if (!pods_control_.take_fault(look.key).empty()) queue_.add_after_failure(look.key);
}

std::unique_ptr<api::Pod> JobController::new_pod(const api::Job& job, std::optional<int> index) const {
  const std::string& name = job.metadata().name();
  auto pod = pod_from_template(job.spec().template_(), job.metadata().namespace_(), controller_reference(job));
  api::ObjectMeta& metadata = *pod->mutable_metadata();
  metadata.add_finalizers(std::string(kTracking));
  auto& labels = *metadata.mutable_labels();
  for (const char* prefix : {"", "batch.kubernetes.io/"}) {
    labels[std::string(prefix) + "job-name"] = name;
    labels[std::string(prefix) + "controller-uid"] = job.metadata().uid();
  }
  if (!index) {
    metadata.set_generate_name(pod_name_prefix(name));
    return pod;
  }
  const std::string number = std::to_string(*index);
  labels[std::string(kIndexKey)] = number;
  (*metadata.mutable_annotations())[std::string(kIndexKey)] = number;
  metadata.set_generate_name(pod_name_prefix(name + "-" + number));
  if (pod->spec().hostname().empty()) pod->mutable_spec()->set_hostname(name + "-" + number);
  return pod;
}

void JobController::look_after_finished(const api::Job& job) {
  trouble_.erase(job.metadata().uid());
  std::vector<std::string> held;
  for (const PodView* pod : pods_.of_owner(job.metadata().uid())) {
    if (pod->has_finalizers() && (pod->finished() || pod->terminating())) held.emplace_back(pod->name());
  }
  release(held, job.metadata().namespace_());
  if (!job.spec().has_ttl_seconds_after_finished() || job.metadata().has_deletion_timestamp()) return;
  const WallTime now = server_.agenda().wall_now();
  const WallTime until = moment(finish(job.status())->last_transition_time())
                         + std::chrono::seconds{job.spec().ttl_seconds_after_finished()};
  const std::string key = key_of(job.metadata().namespace_(), job.metadata().name());
  if (now < until) return queue_.add_after(key, until - now);
  api::DeleteOptions options;
  options.set_propagation_policy("Foreground");
  options.mutable_preconditions()->set_uid(job.metadata().uid());
  const auto removed =
      server_.remove(server_.kinds().of<api::Job>(), job.metadata().namespace_(), job.metadata().name(), options);
  if (!removed && removed.error().code != 404) queue_.add_after_failure(key);
}

void JobController::note(const api::Job& job, EventType type, std::string_view reason, std::string text) {
  events_.note(kube::ref_to(job), type, reason, "", std::move(text), kReporter);
}

}  // namespace rescheduler::sim
