#include "sim/kubelet/container_status.h"

#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "sim/load/profile.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {
namespace {

// 64 hexadecimal digits: arbitrary, but the same in every run.
std::string digest(std::string_view a, std::string_view b, std::string_view c) {
  return fmt::format("{:016x}{:016x}{:016x}{:016x}", seed_of(a, b, c), seed_of(b, c, a), seed_of(c, a, b),
                     seed_of(c, b, a));
}

void keep_ended_state(api::ContainerStatus& status) {
  if (status.state().has_terminated()) {
    *status.mutable_last_state()->mutable_terminated() = status.state().terminated();
  }
}

}  // namespace

void show_created(api::ContainerStatus& status, const api::Container& container, std::string_view reason) {
  status.set_name(container.name());
  status.set_image(container.image());
  status.set_image_id("");
  status.set_ready(false);
  status.set_started(false);
  status.set_restart_count(0);
  status.mutable_last_state();  // Kubernetes writes lastState even if it is empty
  show_waiting(status, reason, {});
}

void show_waiting(api::ContainerStatus& status, std::string_view reason, std::string_view message) {
  keep_ended_state(status);
  auto& waiting = *status.mutable_state()->mutable_waiting();
  status.mutable_state()->clear_running();
  status.mutable_state()->clear_terminated();
  waiting.set_reason(std::string(reason));
  if (message.empty()) {
    waiting.clear_message();
  } else {
    waiting.set_message(std::string(message));
  }
  status.set_ready(false);
  status.set_started(false);
}

void show_running(api::ContainerStatus& status, std::string_view owner, bool again, WallTime now) {
  keep_ended_state(status);
  if (again) status.set_restart_count(status.restart_count() + 1);
  status.mutable_state()->clear_waiting();
  status.mutable_state()->clear_terminated();
  *status.mutable_state()->mutable_running()->mutable_started_at() = stamp(now);
  status.set_image_id(fmt::format("{}@sha256:{}", status.image(), digest("image", status.image(), "")));
  status.set_container_id(
      fmt::format("containerd://{}", digest(owner, status.name(), fmt::format("{}", status.restart_count()))));
  status.set_started(true);
  status.set_ready(false);
}

void show_ended(api::ContainerStatus& status, int exit_code, std::string_view reason, WallTime now) {
  api::ContainerStateTerminated ended;
  ended.set_exit_code(exit_code);
  ended.set_reason(std::string(reason));
  if (status.state().has_running()) *ended.mutable_started_at() = status.state().running().started_at();
  *ended.mutable_finished_at() = stamp(now);
  if (!status.container_id().empty()) ended.set_container_id(status.container_id());
  status.mutable_state()->clear_waiting();
  status.mutable_state()->clear_running();
  *status.mutable_state()->mutable_terminated() = std::move(ended);
  status.set_ready(false);
  status.set_started(false);
}

}  // namespace rescheduler::sim
