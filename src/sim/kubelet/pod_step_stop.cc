// The end of pods: deletion, deadline, out of memory, power loss.
#include <algorithm>

#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "kube/value/time.h"
#include "sim/kubelet/container_status.h"
#include "sim/kubelet/pod_status.h"
#include "sim/kubelet/pod_step.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

void PodStep::end_everything(int exit_code, std::string_view reason) {
  for (std::size_t i = 0; i < run_.containers.size(); ++i) {
    ContainerRun& container = run_.containers[i];
    if (container.state == RunState::Running) {
      show_ended(status(i), exit_code, reason, scene_.wall);
      container.failed = exit_code != 0;
    }
    container.state = RunState::Done;
    container.next = container.exit_at = kNever;
  }
}

void PodStep::stop_for_deletion() {
  if (run_.stage == Stage::Bound || run_.stage == Stage::Finished) {
    run_.stage = Stage::Finished;
    removable_ = true;
    return;
  }
  const Duration left = std::max(kube::wall_time(pod_.metadata().deletion_timestamp()) - scene_.wall, Duration{0});
  if (run_.stage != Stage::Stopping) {
    bool any = false;
    for (std::size_t i = 0; i < run_.containers.size(); ++i) {
      if (run_.containers[i].state != RunState::Running) continue;
      note(false, "Killing", fmt::format("Stopping container {}", spec(i).name()), i);
      any = true;
    }
    run_.stage = Stage::Stopping;
    run_.next = any ? scene_.now + jittered(scene_.settings.stop_time) : scene_.now;
  }
  // A second deletion can have a shorter grace period.
  if (run_.next > scene_.now + left) {
    run_.next = scene_.now + left;
    run_.hard_kill = true;
  }
  if (scene_.now < run_.next) return;
  end_everything(run_.hard_kill ? 137 : 0, run_.hard_kill ? "Error" : "Completed");
  run_.stage = Stage::Finished;
  removable_ = true;
  report_pod(pod_, false, true, scene_.wall);
}

void PodStep::exceed_deadline() {
  end_everything(137, "Error");
  run_.stage = Stage::Finished;
  constexpr std::string_view kMessage = "Pod was active on the node longer than the specified deadline";
  notes_.push_back({false, "DeadlineExceeded", std::string(kMessage)});
  set_condition(*pod_.mutable_status(), {"PodReadyToStartContainers", "False"}, scene_.wall);
  report_failed(pod_, "DeadlineExceeded", kMessage, scene_.wall);
}

void PodStep::kill_for_memory(std::string_view name) {
  for (std::size_t i = 0; i < run_.containers.size(); ++i) {
    ContainerRun& container = run_.containers[i];
    if (spec(i).name() != name || container.state != RunState::Running) continue;
    container.plan = ExitPlan::Oom;
    container.exit_at = container.next = scene_.now;
  }
}

void PodStep::restart_after_power_loss() {
  if (run_.stage == Stage::Stopping) {
    run_.next = scene_.now;
    return;
  }
  if (run_.stage != Stage::Active) return;
  notes_.push_back({false, "SandboxChanged", "Pod sandbox changed, it will be killed and re-created."});
  for (std::size_t i = 0; i < run_.containers.size(); ++i) {
    ContainerRun& container = run_.containers[i];
    if (container.state == RunState::Done) continue;
    if (container.state == RunState::Running) {
      show_ended(status(i), 255, "Unknown", scene_.wall);
      container.failed = !restarts(i, 255);
    }
    container.next = container.exit_at = kNever;
    if (container.failed) {
      container.state = RunState::Done;
      continue;
    }
    if (container.state != RunState::Waiting) show_waiting(status(i), "ContainerCreating", {});
    container.state = RunState::Waiting;
    container.backoff = {};  // a real kubelet keeps the backoff only in memory
    container.ready_at = scene_.now;
  }
  run_.stage = Stage::Starting;
  run_.next = scene_.now + jittered(scene_.settings.start_delay);
  settle();
  report_pod(pod_, false, run_.stage == Stage::Finished, scene_.wall);
}

// Everything that the status does not show starts now.
void PodStep::resume(PodRun& run, const api::Pod& pod) {
  const auto& spec = pod.spec();
  const auto& reported = pod.status();
  const bool whole = reported.init_container_statuses_size() == spec.init_containers_size()
                     && reported.container_statuses_size() == spec.containers_size();
  if (reported.phase() != "Running" || !whole) return;
  const auto take = [&run, &spec](const api::ContainerStatus& status, bool init) {
    ContainerRun& container = run.containers.emplace_back();
    const auto& state = status.state();
    container.once = state.has_running() || state.has_terminated() || status.last_state().has_terminated();
    if (state.has_running()) container.state = RunState::Running;
    if (state.has_terminated()) {
      container.failed = state.terminated().exit_code() != 0;
      const bool again = !init
                         && (spec.restart_policy() == "Always" || spec.restart_policy().empty()
                             || (spec.restart_policy() == "OnFailure" && container.failed));
      container.state = again ? RunState::Exited : RunState::Done;
    }
    if (container.state != RunState::Waiting) container.next = SteadyTime{};  // check it in the next step
  };
  for (const auto& status : reported.init_container_statuses()) take(status, true);
  for (const auto& status : reported.container_statuses()) take(status, false);
  run.stage = Stage::Active;
}

}  // namespace rescheduler::sim
