// Jobs and cron jobs.
#include <array>
#include <limits>

#include <fmt/format.h>

#include "kube/proto/batch.pb.h"
#include "sim/kinds/cron.h"
#include "sim/kinds/pods/pod_rules.h"
#include "sim/kinds/rules.h"
#include "sim/kinds/typed_rules.h"

namespace rescheduler::sim {
namespace {

constexpr std::string_view kControllerUid = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kJobName = "batch.kubernetes.io/job-name";
// The old names without the prefix; pods get both.
constexpr std::string_view kOldControllerUid = "controller-uid";
constexpr std::string_view kOldJobName = "job-name";
constexpr std::size_t kMostCronJobName = 52;  // 63 minus 11 characters for "-<minutes>"
constexpr int kMostIndexedParallelism = 100'000;

// --- Job ---

// For Jobs and for the job templates of CronJobs.
void default_job_spec(api::JobSpec& spec) {
  if (!spec.has_completions() && !spec.has_parallelism()) spec.set_completions(1);
  if (!spec.has_parallelism()) spec.set_parallelism(1);
  if (!spec.has_backoff_limit()) {
    spec.set_backoff_limit(spec.has_backoff_limit_per_index() ? std::numeric_limits<std::int32_t>::max() : 6);
  }
  if (!spec.has_completion_mode()) spec.set_completion_mode("NonIndexed");
  if (!spec.has_suspend()) spec.set_suspend(false);
  if (!spec.has_pod_replacement_policy()) {
    spec.set_pod_replacement_policy(spec.has_pod_failure_policy() ? "Failed" : "TerminatingOrFailed");
  }
  if (!spec.has_manual_selector()) spec.set_manual_selector(false);
}

void default_job(api::Job& job) {
  auto& spec = *job.mutable_spec();
  default_job_spec(spec);
  auto& metadata = *job.mutable_metadata();
  if (metadata.labels().empty()) *metadata.mutable_labels() = spec.template_().metadata().labels();
  spec.mutable_template_()->mutable_metadata();
  default_pod_spec(*spec.mutable_template_()->mutable_spec());
}

// The pods of a Job are those with its uid, so users need no selector.
void prepare_job(api::Job& job, const RuleContext&, Faults&) {
  job.mutable_status()->Clear();
  auto& spec = *job.mutable_spec();
  if (spec.manual_selector()) return;
  auto& labels = *spec.mutable_template_()->mutable_metadata()->mutable_labels();
  for (const std::string_view name : {kOldJobName, kJobName}) {
    labels.try_emplace(std::string(name), job.metadata().name());
  }
  for (const std::string_view uid : {kOldControllerUid, kControllerUid}) {
    labels.try_emplace(std::string(uid), job.metadata().uid());
  }
  spec.mutable_selector()->mutable_match_labels()->try_emplace(std::string(kControllerUid), job.metadata().uid());
}

void check_completion_mode(const api::JobSpec& spec, const At& at, Faults& faults) {
  const std::string& mode = spec.completion_mode();
  if (mode != "NonIndexed" && mode != "Indexed") {
    faults.not_supported(at.child("completionMode").str(), mode, {"NonIndexed", "Indexed"});
  }
  if (mode == "Indexed") {
    if (!spec.has_completions()) {
      faults.required(at.child("completions").str(), "when completion mode is Indexed");
    }
    if (spec.parallelism() > kMostIndexedParallelism) {
      faults.invalid(at.child("parallelism").str(), fmt::format("{}", spec.parallelism()),
                     "must be less than or equal to 100000 when completion mode is Indexed");
    }
    return;
  }
  if (spec.has_backoff_limit_per_index()) {
    faults.invalid(at.child("backoffLimitPerIndex").str(), fmt::format("{}", spec.backoff_limit_per_index()),
                   "requires indexed completion mode");
  }
  if (spec.has_max_failed_indexes()) {
    faults.invalid(at.child("maxFailedIndexes").str(), fmt::format("{}", spec.max_failed_indexes()),
                   "requires indexed completion mode");
  }
}

void check_job_restarts(const api::JobSpec& spec, const At& at, Faults& faults) {
  const std::string& policy = spec.template_().spec().restart_policy();
  const At here = at.child("template.spec.restartPolicy");
  if (policy == "Always" || policy.empty()) {
    faults.required(here.str(), "valid values: \"OnFailure\", \"Never\"");
  } else if (policy != "OnFailure" && policy != "Never") {
    faults.not_supported(here.str(), policy, {"OnFailure", "Never"});
  } else if (spec.has_pod_failure_policy() && policy != "Never") {
    faults.invalid(here.str(), kube::json_string(policy),
                   "only \"Never\" is supported when podFailurePolicy is specified");
  }
}

void check_job_spec(const api::JobSpec& spec, const At& at, Faults& faults) {
  check_not_negative(spec.parallelism(), at.child("parallelism"), faults);
  check_not_negative(spec.completions(), at.child("completions"), faults);
  check_not_negative(spec.active_deadline_seconds(), at.child("activeDeadlineSeconds"), faults);
  check_not_negative(spec.backoff_limit(), at.child("backoffLimit"), faults);
  check_not_negative(spec.ttl_seconds_after_finished(), at.child("ttlSecondsAfterFinished"), faults);
  check_completion_mode(spec, at, faults);
  if (spec.has_pod_replacement_policy()) {
    const std::vector<std::string> allowed = spec.has_pod_failure_policy()
                                                 ? std::vector<std::string>{"Failed"}
                                                 : std::vector<std::string>{"Failed", "TerminatingOrFailed"};
    check_one_of(spec.pod_replacement_policy(), allowed, at.child("podReplacementPolicy"), faults);
  }
  check_pod_template(spec.template_(), at.child("template"), faults);
  check_job_restarts(spec, at, faults);
}

void check_has_label(const api::Job& job, std::string_view key, const std::string& value, Faults& faults) {
  const auto& labels = job.spec().template_().metadata().labels();
  const auto found = labels.find(std::string(key));
  const std::string at = fmt::format("spec.template.metadata.labels[{}]", key);
  if (found == labels.end()) return faults.required(at, fmt::format("must be '{}'", value));
  if (found->second != value) faults.invalid(at, json_of(labels), fmt::format("must be '{}'", value));
}

void check_job(const api::Job& job, Faults& faults) {
  const auto& spec = job.spec();
  const At at("spec");
  if (!spec.manual_selector() && spec.has_selector()) {
    check_has_label(job, kOldControllerUid, job.metadata().uid(), faults);
    check_has_label(job, kOldJobName, job.metadata().name(), faults);
    check_has_label(job, kControllerUid, job.metadata().uid(), faults);
    check_has_label(job, kJobName, job.metadata().name(), faults);
  }
  check_job_spec(spec, at, faults);
  if (!spec.has_selector()) {
    faults.required("spec.selector");
  } else {
    check_selector(spec.selector(), at.child("selector"), faults);
  }
  if (!spec.has_selector() || !selects(spec.selector(), spec.template_().metadata().labels())) {
    faults.invalid("spec.template.metadata.labels", json_of(spec.template_().metadata().labels()),
                   "`selector` does not match template `labels`");
  }
}

// The template without the fields that can change while a Job is suspended: the scheduling directives.
api::PodTemplateSpec without_directives(const api::PodTemplateSpec& pod_template) {
  api::PodTemplateSpec rest = pod_template;
  rest.clear_metadata();
  auto& spec = *rest.mutable_spec();
  spec.clear_node_selector();
  spec.clear_tolerations();
  spec.clear_scheduling_gates();
  if (spec.has_affinity()) {
    spec.mutable_affinity()->clear_node_affinity();
    if (spec.affinity().ByteSizeLong() == 0) spec.clear_affinity();
  }
  return rest;
}

void check_job_update(const api::Job& before, const api::Job& after, Faults& faults) {
  const auto& old = before.spec();
  const auto& now = after.spec();
  const At at("spec");
  if (now.completion_mode() != "Indexed") {
    if (old.has_completions() != now.has_completions() || old.completions() != now.completions()) {
      faults.invalid("spec.completions", now.has_completions() ? fmt::format("{}", now.completions()) : "null",
                     "field is immutable");
    }
  } else if (old.completions() != now.completions() && now.completions() != now.parallelism()) {
    faults.invalid("spec.completions", fmt::format("{}", now.completions()),
                   "can only be modified in tandem with spec.parallelism");
  }
  check_immutable(old.selector(), now.selector(), at.child("selector"), faults);
  const bool directives_may_change = old.suspend() && !before.status().has_start_time();
  const bool kept = directives_may_change
                        ? same(without_directives(old.template_()), without_directives(now.template_()))
                        : same(old.template_(), now.template_());
  if (!kept) {
    faults.invalid("spec.template", json_of(static_cast<const Message&>(now.template_())), "field is immutable");
  }
  check_immutable(old.completion_mode(), now.completion_mode(), at.child("completionMode"), faults);
  check_immutable(old.pod_failure_policy(), now.pod_failure_policy(), at.child("podFailurePolicy"), faults);
  check_immutable(old.success_policy(), now.success_policy(), at.child("successPolicy"), faults);
  check_immutable(old.managed_by(), now.managed_by(), at.child("managedBy"), faults);
}

// --- CronJob ---

void default_cron_job(api::CronJob& cron) {
  auto& spec = *cron.mutable_spec();
  if (spec.concurrency_policy().empty()) spec.set_concurrency_policy("Allow");
  if (!spec.has_suspend()) spec.set_suspend(false);
  if (!spec.has_successful_jobs_history_limit()) spec.set_successful_jobs_history_limit(3);
  if (!spec.has_failed_jobs_history_limit()) spec.set_failed_jobs_history_limit(1);
  spec.mutable_job_template()->mutable_metadata();
  auto& pods = *spec.mutable_job_template()->mutable_spec()->mutable_template_();
  pods.mutable_metadata();
  default_pod_spec(*pods.mutable_spec());
}

void check_schedule(const api::CronJobSpec& spec, Faults& faults) {
  if (spec.schedule().empty()) return faults.required("spec.schedule");
  const std::string fault = cron_fault(spec.schedule());
  if (!fault.empty()) faults.invalid("spec.schedule", kube::json_string(spec.schedule()), fault);
  if (spec.schedule().find("TZ") != std::string::npos) {
    faults.invalid("spec.schedule", kube::json_string(spec.schedule()),
                   "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
}

void check_cron_job(const api::CronJob& cron, Faults& faults) {
  const auto& spec = cron.spec();
  const At at("spec");
  check_schedule(spec, faults);
  check_not_negative(spec.starting_deadline_seconds(), at.child("startingDeadlineSeconds"), faults);
  check_one_of(spec.concurrency_policy(), {"Allow", "Forbid", "Replace"}, at.child("concurrencyPolicy"), faults);
  const At jobs = at.child("jobTemplate.spec");
  api::JobSpec filled = spec.job_template().spec();  // the defaults that the Job gets
  default_job_spec(filled);
  check_job_spec(filled, jobs, faults);
  if (spec.job_template().spec().has_selector()) {
    faults.invalid(jobs.child("selector").str(),
                   json_of(static_cast<const Message&>(spec.job_template().spec().selector())),
                   "`selector` will be auto-generated");
  }
  if (spec.job_template().spec().manual_selector()) {
    faults.not_supported(jobs.child("manualSelector").str(), "true", {"nil", "false"});
  }
  check_not_negative(spec.successful_jobs_history_limit(), at.child("successfulJobsHistoryLimit"), faults);
  check_not_negative(spec.failed_jobs_history_limit(), at.child("failedJobsHistoryLimit"), faults);
  if (cron.metadata().name().size() > kMostCronJobName) {
    faults.invalid("metadata.name", kube::json_string(cron.metadata().name()), "must be no more than 52 characters");
  }
}

}  // namespace

KindRules job_rules() {
  KindRules rules;
  add_status_rules<api::Job>(rules);
  add_generation<api::Job>(rules);
  rules.defaults = on<api::Job>(default_job);
  rules.on_create = on<api::Job>(prepare_job);
  rules.validate = on<api::Job>(check_job);
  rules.validate_update = on_both<api::Job>(check_job_update);
  rules.field = on<api::Job>([](const api::Job& job, std::string_view field, std::string& scratch) {
    if (field != "status.successful") return static_cast<std::string*>(nullptr);
    scratch = fmt::format("{}", job.status().succeeded());
    return &scratch;
  });
  rules.selectable_fields = {"status.successful"};
  return rules;
}

KindRules cron_job_rules() {
  KindRules rules;
  add_status_rules<api::CronJob>(rules);
  add_generation<api::CronJob>(rules);
  rules.defaults = on<api::CronJob>(default_cron_job);
  rules.validate = on<api::CronJob>(check_cron_job);
  return rules;
}

}  // namespace rescheduler::sim
