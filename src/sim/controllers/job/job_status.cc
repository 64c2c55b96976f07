#include "sim/controllers/job/job_status.h"

#include <algorithm>

#include "kube/proto/batch.pb.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

std::optional<int> wanted_completions(const api::JobSpec& spec) {
  if (!spec.has_completions()) return std::nullopt;
  return spec.completions();
}

bool is_indexed(const api::JobSpec& spec) { return spec.completion_mode() == "Indexed"; }

int wanted_active(const api::JobSpec& spec, int succeeded, int active) {
  const int parallelism = spec.has_parallelism() ? spec.parallelism() : 1;
  const auto completions = wanted_completions(spec);
  // After the first success of a work queue Job, active pods finish and no pod is added.
  if (!completions) return succeeded > 0 ? std::min(active, parallelism) : parallelism;
  return std::clamp(*completions - succeeded, 0, parallelism);
}

bool reached_its_aim(const api::JobSpec& spec, int succeeded, int active) {
  const auto completions = wanted_completions(spec);
  return completions ? succeeded >= *completions : succeeded > 0 && active == 0;
}

std::chrono::seconds wait_after_failures(int failures) {
  if (failures <= 0) return std::chrono::seconds{0};
  return std::min<std::chrono::seconds>(std::chrono::seconds{10} * (1LL << std::min(failures - 1, 20)),
                                        std::chrono::seconds{600});
}

const api::JobCondition* find_condition(const api::JobStatus& status, std::string_view type) {
  for (const api::JobCondition& condition : status.conditions()) {
    if (condition.type() == type) return &condition;
  }
  return nullptr;
}

bool has_condition(const api::JobStatus& status, std::string_view type) {
  const api::JobCondition* condition = find_condition(status, type);
  return condition && condition->status() == "True";
}

const api::JobCondition* finish(const api::JobStatus& status) {
  for (const std::string_view type : {"Complete", "Failed"}) {
    if (has_condition(status, type)) return find_condition(status, type);
  }
  return nullptr;
}

bool set_condition(api::JobStatus& status,
                   std::string_view type,
                   bool is,
                   std::string_view reason,
                   std::string_view message,
                   WallTime now) {
  api::JobCondition* condition = nullptr;
  for (api::JobCondition& one : *status.mutable_conditions()) {
    if (one.type() == type) condition = &one;
  }
  if (condition && condition->status() == (is ? "True" : "False")) return false;
  if (!condition && !is) return false;
  if (!condition) condition = status.add_conditions();
  condition->set_type(std::string(type));
  condition->set_status(is ? "True" : "False");
  condition->set_reason(std::string(reason));
  condition->set_message(std::string(message));
  *condition->mutable_last_probe_time() = stamp(now);
  *condition->mutable_last_transition_time() = stamp(now);
  return true;
}

}  // namespace rescheduler::sim
