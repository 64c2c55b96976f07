#include "sim/kubelet/pod_status.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kube/proto/core_pod.pb.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {
namespace {

bool ran(const api::ContainerStatus& status) {
  return status.state().has_running() || status.state().has_terminated() || status.last_state().has_terminated();
}

bool any_container_started(const api::Pod& pod) { return std::ranges::any_of(pod.status().container_statuses(), ran); }

// Init containers that have not completed (sidecars: not started) yet.
std::vector<std::string> incomplete(const api::Pod& pod) {
  std::vector<std::string> names;
  for (int i = 0; i < pod.status().init_container_statuses_size(); ++i) {
    const auto& status = pod.status().init_container_statuses(i);
    if (is_sidecar(pod, i) ? !status.started() : !status.ready()) names.push_back(status.name());
  }
  return names;
}

bool restarts(const api::Pod& pod, int exit_code) {
  const std::string& policy = pod.spec().restart_policy();
  return policy != "Never" && (policy != "OnFailure" || exit_code != 0);
}

std::string_view phase_of(const api::Pod& pod, bool terminal) {
  const auto& status = pod.status();
  for (int i = 0; i < status.init_container_statuses_size(); ++i) {
    const auto& init = status.init_container_statuses(i);
    const bool failed = init.state().has_terminated() && init.state().terminated().exit_code() != 0;
    if (failed && !is_sidecar(pod, i) && pod.spec().restart_policy() == "Never") return "Failed";
  }
  if (!any_container_started(pod) && !incomplete(pod).empty()) return "Pending";
  if (!std::ranges::all_of(status.container_statuses(), ran)) return "Pending";
  bool going_on = false;
  bool failed = false;
  for (const auto& container : status.container_statuses()) {
    if (container.state().has_running()) return "Running";
    const auto& ended =
        container.state().has_terminated() ? container.state().terminated() : container.last_state().terminated();
    going_on = going_on || restarts(pod, ended.exit_code());
    failed = failed || ended.exit_code() != 0;
  }
  if (going_on && !terminal) return "Running";
  return failed ? "Failed" : "Succeeded";
}

void report_initialized(api::Pod& pod, WallTime now) {
  api::PodStatus& status = *pod.mutable_status();
  const auto missing = incomplete(pod);
  if (status.phase() == "Succeeded") {
    set_condition(status, {"Initialized", "True", "PodCompleted"}, now);
  } else if (missing.empty() || any_container_started(pod)) {
    set_condition(status, {"Initialized", "True"}, now);
  } else {
    const std::string message = fmt::format("containers with incomplete status: [{}]", fmt::join(missing, " "));
    set_condition(status, {"Initialized", "False", "ContainersNotInitialized", message}, now);
  }
}

std::string unready_containers(const api::Pod& pod) {
  std::vector<std::string> names;
  for (int i = 0; i < pod.status().init_container_statuses_size(); ++i) {
    const auto& status = pod.status().init_container_statuses(i);
    if (is_sidecar(pod, i) && !status.ready()) names.push_back(status.name());
  }
  for (const auto& status : pod.status().container_statuses())
    if (!status.ready()) names.push_back(status.name());
  if (names.empty()) return {};
  return fmt::format("containers with unready status: [{}]", fmt::join(names, " "));
}

std::string closed_gates(const api::Pod& pod) {
  std::vector<std::string> messages;
  for (const auto& gate : pod.spec().readiness_gates()) {
    const api::PodCondition* condition = find_condition(pod.status(), gate.condition_type());
    if (condition == nullptr) {
      messages.push_back(
          fmt::format("corresponding condition of pod readiness gate \"{}\" does not exist.", gate.condition_type()));
    } else if (condition->status() != "True") {
      messages.push_back(fmt::format("the status of pod readiness gate \"{}\" is not \"True\", but {}",
                                     gate.condition_type(), condition->status()));
    }
  }
  return fmt::format("{}", fmt::join(messages, ", "));
}

void report_readiness(api::Pod& pod, WallTime now) {
  api::PodStatus& status = *pod.mutable_status();
  if (status.phase() == "Succeeded" || status.phase() == "Failed") {
    const std::string_view reason = status.phase() == "Failed" ? "PodFailed" : "PodCompleted";
    set_condition(status, {"Ready", "False", reason}, now);
    set_condition(status, {"ContainersReady", "False", reason}, now);
    return;
  }
  const std::string unready = unready_containers(pod);
  if (!unready.empty()) {
    set_condition(status, {"Ready", "False", "ContainersNotReady", unready}, now);
    set_condition(status, {"ContainersReady", "False", "ContainersNotReady", unready}, now);
    return;
  }
  const std::string gates = closed_gates(pod);
  if (gates.empty()) {
    set_condition(status, {"Ready", "True"}, now);
  } else {
    set_condition(status, {"Ready", "False", "ReadinessGatesNotReady", gates}, now);
  }
  set_condition(status, {"ContainersReady", "True"}, now);
}

}  // namespace

bool is_sidecar(const api::Pod& pod, int init_container) {
  return pod.spec().init_containers(init_container).restart_policy() == "Always";
}

void report_pod(api::Pod& pod, bool sandbox, bool terminal, WallTime now) {
  api::PodStatus& status = *pod.mutable_status();
  status.set_phase(std::string(phase_of(pod, terminal)));
  status.set_observed_generation(pod.metadata().generation());
  set_condition(status, {"PodReadyToStartContainers", sandbox ? "True" : "False"}, now);
  report_initialized(pod, now);
  report_readiness(pod, now);
  set_condition(status, {"PodScheduled", "True"}, now);
}

void report_failed(api::Pod& pod, std::string_view reason, std::string_view message, WallTime now) {
  api::PodStatus& status = *pod.mutable_status();
  status.set_phase("Failed");
  status.set_reason(std::string(reason));
  status.set_message(std::string(message));
  status.set_observed_generation(pod.metadata().generation());
  if (!status.has_start_time()) *status.mutable_start_time() = stamp(now);
  if (find_condition(status, "Ready") != nullptr) report_readiness(pod, now);
}

}  // namespace rescheduler::sim
