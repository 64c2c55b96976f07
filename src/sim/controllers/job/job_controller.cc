#include "sim/controllers/job/job_controller.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kube/events/event_record.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/repeated.h"
#include "kube/value/time.h"
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
constexpr int kMostAtOnce = 500;  // pods created, or deleted when a Job ends or is suspended, in one reconcile

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
  return kube::erase_if(*metadata.mutable_finalizers(), [](const auto& finalizer) { return finalizer == kTracking; });
}

}  // namespace

struct JobController::ReconcileState {
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
  pod_failures_.erase(job->metadata().uid());
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
  ReconcileState state{key, server_.find<api::Job>(ns, name), server_.agenda().wall_now(), {}};
  if (!state.job || state.spec().has_managed_by()) return;
  if (finish(state.job->status())) return look_after_finished(*state.job);
  if (state.job->metadata().has_deletion_timestamp() || pods_control_.under_way(key)) return;
  if (const std::string unknown = left_out(state.spec()); !unknown.empty()) {
    return note(*state.job, EventType::Warning, "Unsupported",
                fmt::format("The embedded cluster does not run Jobs with {}", unknown));
  }
  state.status = state.job->status();
  state.done = parse_indexes(state.status.completed_indexes());
  count(state);
  if (!state.spec().suspend() && !state.status.has_start_time()) *state.status.mutable_start_time() = stamp(state.now);
  decide_end(state);
  suspend_or_resume(state);
  if (!write_status(state)) return queue_.add_after_failure(key);
  queue_.forget_failures(key);
  release(state.counted, state.ns());
  if (finish(state.status)) return;
  if (!state.counted.empty()) return queue_.add(key);  // the views have changed: reconcile again
  manage(state);
}

void JobController::count(ReconcileState& state) {
  int ready = 0;
  for (const PodView* pod : pods_.of_owner(state.job->metadata().uid())) {
    const bool gives_up = pod->terminating() && !replaces_only_failed(state.spec());
    if (pod->finished() || gives_up) {
      if (pod->has_finalizers()) count_end(state, *pod);
    } else if (!pod->terminating()) {
      state.active.push_back(pod);
      ready += pod->ready() ? 1 : 0;
    }
    if (pod->terminating() && !pod->finished()) ++state.terminating;
  }
  state.status.set_active(state.at_work());
  state.status.set_ready(ready);
  state.status.set_terminating(state.terminating);
  state.status.mutable_uncounted_terminated_pods();
  if (is_indexed(state.spec())) {
    state.status.set_succeeded(static_cast<int>(state.done.size()));
    state.status.set_completed_indexes(format_indexes(state.done));
  }
}

void JobController::count_end(ReconcileState& state, const PodView& pod) {
  // The finalizer can belong to another component.
  const auto whole = server_.find<api::Pod>(pod.ns(), pod.name());
  const auto& finalizers = whole->metadata().finalizers();
  if (std::ranges::find(finalizers, kTracking) == finalizers.end()) return;
  state.counted.emplace_back(pod.name());
  PodFailures& pod_failures = pod_failures_[state.job->metadata().uid()];
  if (pod.phase() == PodPhase::Succeeded) {
    pod_failures = {};
    if (!is_indexed(state.spec())) {
      state.status.set_succeeded(state.status.succeeded() + 1);
    } else if (const auto index = index_of(pod); index && *index < state.spec().completions()) {
      state.done.insert(*index);
    }
    return;
  }
  state.status.set_failed(state.status.failed() + 1);
  state.new_failure = true;
  ++pod_failures.failures;
  pod_failures.last = state.now;
}

int JobController::restarts(const ReconcileState& state) const {
  if (state.spec().template_().spec().restart_policy() != "OnFailure") return 0;
  int sum = 0;
  for (const PodView* view : state.active) {
    if (view->restarts() == 0) continue;
    const auto pod = server_.find<api::Pod>(view->ns(), view->name());
    for (const auto& container : pod->status().init_container_statuses()) sum += container.restart_count();
    for (const auto& container : pod->status().container_statuses()) sum += container.restart_count();
  }
  return sum;
}

void JobController::decide_end(ReconcileState& state) {
  api::JobStatus& status = state.status;
  const int limit = state.spec().has_backoff_limit() ? state.spec().backoff_limit() : 6;
  const int again = restarts(state);
  const bool too_often = (state.new_failure && status.failed() > limit) || (again > 0 && again >= limit);
  const bool running = status.has_start_time() && !state.spec().suspend();
  const auto deadline = std::chrono::seconds{state.spec().active_deadline_seconds()};
  const bool timed = running && state.spec().has_active_deadline_seconds();
  const WallTime started = kube::wall_time(status.start_time());
  if (!has_condition(status, "FailureTarget") && !has_condition(status, "SuccessCriteriaMet")) {
    if (too_often) {
      set_condition(status, "FailureTarget", true, "BackoffLimitExceeded",
                    "Job has reached the specified backoff limit", state.now);
    } else if (timed && state.now >= started + deadline) {
      set_condition(status, "FailureTarget", true, "DeadlineExceeded", "Job was active longer than specified deadline",
                    state.now);
    } else if (!state.spec().suspend() && reached_its_aim(state.spec(), status.succeeded(), state.at_work())) {
      set_condition(status, "SuccessCriteriaMet", true, "CompletionsReached",
                    "Reached expected number of succeeded pods", state.now);
    }
  }
  if (timed && state.now < started + deadline) queue_.add_after(state.key, started + deadline - state.now);
  // The final condition waits until the last pod has ended.
  if (state.at_work() > 0 || state.terminating > 0) return;
  if (const api::JobCondition* target = find_condition(status, "FailureTarget"); target) {
    const api::JobCondition why = *target;
    set_condition(status, "Failed", true, why.reason(), why.message(), state.now);
    note(*state.job, EventType::Warning, why.reason(), why.message());
  } else if (has_condition(status, "SuccessCriteriaMet")) {
    set_condition(status, "Complete", true, "CompletionsReached", "Reached expected number of succeeded pods",
                  state.now);
    *status.mutable_completion_time() = stamp(state.now);
    note(*state.job, EventType::Normal, "Completed", "Job completed");
  }
}

void JobController::suspend_or_resume(ReconcileState& state) {
  if (has_condition(state.status, "FailureTarget") || has_condition(state.status, "SuccessCriteriaMet")) return;
  if (state.spec().suspend()) {
    if (set_condition(state.status, "Suspended", true, "JobSuspended", "Job suspended", state.now)) {
      note(*state.job, EventType::Normal, "Suspended", "Job suspended");
    }
    state.status.clear_start_time();
  } else if (set_condition(state.status, "Suspended", false, "JobResumed", "Job resumed", state.now)) {
    note(*state.job, EventType::Normal, "Resumed", "Job resumed");
    *state.status.mutable_start_time() = stamp(state.now);
  }
}

bool JobController::write_status(ReconcileState& state) {
  const auto written = server_.modify_status<api::Job>(
      state.ns(), state.job->metadata().name(), [&state](api::Job& job) { *job.mutable_status() = state.status; },
      as_manager());
  return written || written.error().code == 404;
}

void JobController::delete_pods(ReconcileState& state, std::size_t most) {
  sort_for_deletion(state.active, state.active, state.now);
  std::vector<std::string> names;
  for (const PodView* pod : state.active) {
    if (names.size() < most) names.emplace_back(pod->name());
  }
  for (const std::string& name : names) {
    const PodView* pod = pods_.find(state.ns(), name);
    if (!pod) continue;
    if (!pods_control_.remove(*state.job, *pod).empty()) queue_.add_after_failure(state.key);
  }
}

void JobController::manage(ReconcileState& state) {
  const bool ending = has_condition(state.status, "FailureTarget") || has_condition(state.status, "SuccessCriteriaMet");
  if (ending || state.spec().suspend()) return delete_pods(state, kMostAtOnce);
  const int wanted = wanted_active(state.spec(), state.status.succeeded(), state.at_work());
  if (state.at_work() > wanted) return delete_pods(state, static_cast<std::size_t>(state.at_work() - wanted));
  int missing = wanted - state.at_work();
  if (replaces_only_failed(state.spec())) missing -= state.terminating;
  if (missing <= 0) return;
  if (const auto pod_failures = pod_failures_.find(state.job->metadata().uid()); pod_failures != pod_failures_.end()) {
    const WallTime earliest = pod_failures->second.last + wait_after_failures(pod_failures->second.failures);
    if (state.now < earliest) return queue_.add_after(state.key, earliest - state.now);
  }
  create_pods(state, std::min(missing, kMostAtOnce));
}

void JobController::create_pods(ReconcileState& state, int missing) {
  const bool indexed = is_indexed(state.spec());
  std::set<int> taken = state.done;
  for (const PodView* pod : state.active) {
    if (const auto index = indexed ? index_of(*pod) : std::nullopt) taken.insert(*index);
  }
  int next = 0;
  for (int i = 0; i < missing && !pods_control_.failed(state.key); ++i) {
    while (taken.contains(next)) ++next;
    if (indexed && next >= state.spec().completions()) break;
    pods_control_.create(state.key, *state.job, new_pod(*state.job, indexed ? std::optional(next) : std::nullopt));
    ++next;
  }
  if (!pods_control_.take_fault(state.key).empty()) queue_.add_after_failure(state.key);
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
  pod_failures_.erase(job.metadata().uid());
  std::vector<std::string> held;
  for (const PodView* pod : pods_.of_owner(job.metadata().uid())) {
    if (pod->has_finalizers() && (pod->finished() || pod->terminating())) held.emplace_back(pod->name());
  }
  release(held, job.metadata().namespace_());
  if (!job.spec().has_ttl_seconds_after_finished() || job.metadata().has_deletion_timestamp()) return;
  const WallTime now = server_.agenda().wall_now();
  const WallTime until = kube::wall_time(finish(job.status())->last_transition_time())
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
