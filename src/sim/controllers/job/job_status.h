// The arithmetic and the conditions of a Job. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace rescheduler::api {
class Job;
class JobCondition;
class JobSpec;
class JobStatus;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// Empty without a fixed number of completions: then the Job is complete after the first success, as soon as no pod is
// active.
std::optional<int> wanted_completions(const api::JobSpec& spec);
bool is_indexed(const api::JobSpec& spec);

// The allowed number of active pods, given the succeeded and active ones.
int wanted_active(const api::JobSpec& spec, int succeeded, int active);
bool reached_its_aim(const api::JobSpec& spec, int succeeded, int active);

// 10 s after the first failure since the last success, doubling up to 10 min.
std::chrono::seconds wait_after_failures(int failures);

const api::JobCondition* find_condition(const api::JobStatus& status, std::string_view type);  // null: none
bool has_condition(const api::JobStatus& status, std::string_view type);                       // status is True
// Complete or Failed; null: not yet.
const api::JobCondition* finish(const api::JobStatus& status);
bool set_condition(api::JobStatus& status,
                   std::string_view type,
                   bool is,
                   std::string_view reason,
                   std::string_view message,
                   WallTime now);

}  // namespace rescheduler::sim
