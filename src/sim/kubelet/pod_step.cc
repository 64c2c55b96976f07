#include "sim/kubelet/pod_step.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/duration.h"
#include "sim/kubelet/container_status.h"
#include "sim/kubelet/pod_status.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

using std::chrono::seconds;

PodStep::PodStep(const Scene& scene, PodRun& run, api::Pod& pod)
    : scene_(scene),
      run_(run),
      pod_(pod),
      orders_(orders_of(pod, scene.node)),
      inits_(static_cast<std::size_t>(pod.spec().init_containers_size())) {
  orders_.faults.crash |= scene.faults.crash;
  orders_.faults.oom |= scene.faults.oom;
  orders_.faults.image_pull_fails |= scene.faults.image_pull_fails;
  orders_.faults.unready |= scene.faults.unready;
  if (!orders_.mistake.empty() && !run_.warned) {
    run_.warned = true;
    notes_.push_back({true, "InvalidAnnotation", orders_.mistake});
  }
}

const api::Container& PodStep::spec(std::size_t index) const {
  return index < inits_ ? pod_.spec().init_containers(static_cast<int>(index))
                        : pod_.spec().containers(static_cast<int>(index - inits_));
}

api::ContainerStatus& PodStep::status(std::size_t index) {
  return index < inits_ ? *pod_.mutable_status()->mutable_init_container_statuses(static_cast<int>(index))
                        : *pod_.mutable_status()->mutable_container_statuses(static_cast<int>(index - inits_));
}

bool PodStep::sidecar(std::size_t index) const { return index < inits_ && is_sidecar(pod_, static_cast<int>(index)); }

std::string PodStep::pod_name() const {
  const auto& meta = pod_.metadata();
  return fmt::format("{}_{}({})", meta.name(), meta.namespace_(), meta.uid());
}

void PodStep::note(bool warning, std::string_view reason, std::string text, std::size_t index) {
  notes_.push_back(
      {warning, std::string(reason), std::move(text),
       fmt::format("spec.{}{{{}}}", index < inits_ ? "initContainers" : "containers", spec(index).name())});
}

PodStep::Duration PodStep::jittered(Duration nominal) {
  const double factor = 1 + scene_.settings.jitter * (2 * scene_.rng.unit() - 1);
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::nano>(nominal) * factor);
}

// --- starting ---

void PodStep::admit() {
  run_.containers.assign(inits_ + static_cast<std::size_t>(pod_.spec().containers_size()), ContainerRun{});
  Duration delay = orders_.start_delay ? *orders_.start_delay : jittered(scene_.settings.start_delay);
  if (scene_.slow) delay *= scene_.settings.slow_factor;
  run_.stage = Stage::Starting;
  run_.next = scene_.now + delay;
  if (pod_.spec().has_active_deadline_seconds())
    run_.deadline = scene_.now + seconds{pod_.spec().active_deadline_seconds()};

  api::PodStatus& reported = *pod_.mutable_status();
  *reported.mutable_start_time() = stamp(scene_.wall);
  reported.set_host_ip(std::string(scene_.host_ip));
  reported.clear_host_ips();
  reported.add_host_ips()->set_ip(std::string(scene_.host_ip));
  reported.clear_init_container_statuses();
  reported.clear_container_statuses();
  for (std::size_t i = 0; i < run_.containers.size(); ++i) {
    auto& added = i < inits_ ? *reported.add_init_container_statuses() : *reported.add_container_statuses();
    show_created(added, spec(i), inits_ > 0 ? "PodInitializing" : "ContainerCreating");
  }
  report_pod(pod_, false, false, scene_.wall);
}

void PodStep::reject(std::string_view reason, std::string_view message) {
  run_.stage = Stage::Finished;
  notes_.push_back({true, std::string(reason), std::string(message)});
  report_failed(pod_, reason, fmt::format("Pod was rejected: {}", message), scene_.wall);
}

void PodStep::run_due() {
  if (pod_.metadata().has_deletion_timestamp()) return stop_for_deletion();
  if (run_.stage == Stage::Finished || run_.stage == Stage::Bound) return;
  if (scene_.now >= run_.deadline) return exceed_deadline();
  if (run_.stage == Stage::Starting && scene_.now >= run_.next) {
    run_.stage = Stage::Active;
    api::PodStatus& reported = *pod_.mutable_status();
    const std::string_view ip = pod_.spec().host_network() ? scene_.host_ip : scene_.pod_ip;
    reported.set_pod_ip(std::string(ip));
    reported.clear_pod_ips();
    reported.add_pod_ips()->set_ip(std::string(ip));
  }
  if (run_.stage != Stage::Active) return;
  apply_probes();
  // A container that starts can let the next one start. Each pass advances at least one container.
  bool moved = true;
  while (moved) {
    moved = begin_next();
    for (std::size_t i = 0; i < run_.containers.size(); ++i) {
      if (run_.containers[i].next > scene_.now) continue;
      due(i);
      moved = true;
    }
  }
  settle();
  report_pod(pod_, true, run_.stage == Stage::Finished, scene_.wall);
}

// Since the last step, an injected probe failure can have started or ended, and an injected crash can have started.
void PodStep::apply_probes() {
  for (std::size_t i = inits_; i < run_.containers.size(); ++i) {
    ContainerRun& container = run_.containers[i];
    if (container.state != RunState::Running) continue;
    if (orders_.faults.crash && container.plan == ExitPlan::Complete) {
      plan_exit(container);
      container.next = std::min(container.ready_at, container.exit_at);
    }
    if (scene_.now < container.ready_at) continue;
    if (status(i).ready() == orders_.faults.unready) container.next = scene_.now;
  }
}

bool PodStep::initialized(std::size_t index) const {
  const ContainerRun& container = run_.containers[index];
  return sidecar(index) ? container.once : container.state == RunState::Done && !container.failed;
}

// Starts the init containers one by one, then all others at once. True if something became due.
bool PodStep::begin_next() {
  const auto begin = [this](std::size_t index) {
    ContainerRun& container = run_.containers[index];
    if (container.state != RunState::Waiting || container.next != kNever) return false;
    container.next = scene_.now;
    return true;
  };
  for (std::size_t i = 0; i < inits_; ++i)
    if (!initialized(i)) return begin(i);
  bool any = false;
  for (std::size_t i = inits_; i < run_.containers.size(); ++i) any = begin(i) || any;
  return any;
}

void PodStep::due(std::size_t index) {
  switch (run_.containers[index].state) {
    case RunState::Waiting:
    case RunState::PullBackOff:
    case RunState::Exited:
    case RunState::CrashBackOff: return try_to_start(index);
    case RunState::PullFailed: return back_off_pull(index);
    case RunState::Running: return check_running(index);
    case RunState::Done: run_.containers[index].next = kNever; return;
  }
}

void PodStep::try_to_start(std::size_t index) {
  if (orders_.faults.image_pull_fails) return fail_pull(index);
  start(index);
}

// --- images that cannot be pulled ---

void PodStep::fail_pull(std::size_t index) {
  ContainerRun& container = run_.containers[index];
  const std::string& image = spec(index).image();
  const std::string why = fmt::format("failed to pull and unpack image \"{}\": injected fault", image);
  note(false, "Pulling", fmt::format("Pulling image \"{}\"", image), index);
  note(true, "Failed", fmt::format("Failed to pull image \"{}\": {}", image, why), index);
  note(true, "Failed", "Error: ErrImagePull", index);
  show_waiting(status(index), "ErrImagePull", why);
  container.backoff.restarted(scene_.now, scene_.now, scene_.settings);
  container.state = RunState::PullFailed;
  container.next = scene_.now + scene_.settings.pull_time;
}

void PodStep::back_off_pull(std::size_t index) {
  ContainerRun& container = run_.containers[index];
  const std::string& image = spec(index).image();
  note(false, "BackOff", fmt::format("Back-off pulling image \"{}\"", image), index);
  note(true, "Failed", "Error: ImagePullBackOff", index);
  const std::string before = status(index).state().waiting().message();
  show_waiting(status(index), "ImagePullBackOff",
               fmt::format("Back-off pulling image \"{}\": ErrImagePull: {}", image, before));
  container.state = RunState::PullBackOff;
  container.next = scene_.now + container.backoff.wait(scene_.now, scene_.settings);
}

// --- running ---

void PodStep::start(std::size_t index) {
  ContainerRun& container = run_.containers[index];
  if (container.state == RunState::PullBackOff) container.backoff = {};
  if (container.once) container.backoff.restarted(container.ready_at, scene_.now, scene_.settings);
  note(false, "Pulled", fmt::format("Container image \"{}\" already present on machine", spec(index).image()), index);
  note(false, "Created", "Container created", index);
  note(false, "Started", "Container started", index);
  show_running(status(index), pod_.metadata().uid(), container.once, scene_.wall);
  container.state = RunState::Running;
  container.once = true;
  plan_exit(container);
  if (!lasting(index)) {
    container.exit_at = scene_.now + jittered(scene_.settings.init_time);
    container.plan = ExitPlan::Complete;
    container.ready_at = kNever;
  } else if (index < inits_) {
    container.exit_at = kNever;
    container.ready_at = scene_.now;
  } else {
    container.ready_at = scene_.now + ready_delay(spec(index));
  }
  container.next = std::min(container.ready_at, container.exit_at);
}

void PodStep::plan_exit(ContainerRun& container) {
  container.exit_at = kNever;
  container.plan = ExitPlan::Complete;
  if (orders_.faults.crash || orders_.faults.oom) {
    container.plan = orders_.faults.oom ? ExitPlan::Oom : ExitPlan::Crash;
    container.exit_at = scene_.now + jittered(scene_.settings.crash_after);
  } else if (orders_.run_for) {
    container.exit_at = scene_.now + *orders_.run_for;
  }
  // Never at the time of its start: else restarts without delay would repeat for ever at the same virtual time.
  container.exit_at = std::max(container.exit_at, scene_.now + std::chrono::milliseconds{1});
}

PodStep::Duration PodStep::ready_delay(const api::Container& container) {
  if (orders_.ready_delay) return *orders_.ready_delay;
  Duration delay = scene_.settings.ready_delay;
  if (container.has_startup_probe()) delay += seconds{container.startup_probe().initial_delay_seconds()};
  if (container.has_readiness_probe()) {
    // The first probe runs within the first period after the initial delay.
    const auto& probe = container.readiness_probe();
    const seconds period{probe.period_seconds() > 0 ? probe.period_seconds() : 10};
    delay += seconds{probe.initial_delay_seconds()}
             + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(period) * scene_.rng.unit());
  }
  return delay;
}

void PodStep::check_running(std::size_t index) {
  ContainerRun& container = run_.containers[index];
  if (scene_.now >= container.exit_at) {
    switch (container.plan) {
      case ExitPlan::Oom: return end(index, 137, "OOMKilled");
      case ExitPlan::Crash: return end(index, orders_.exit_code != 0 ? orders_.exit_code : 1, "Error");
      case ExitPlan::Complete:
        const int code = lasting(index) ? orders_.exit_code : 0;
        return end(index, code, code == 0 ? "Completed" : "Error");
    }
  }
  const bool unready = orders_.faults.unready && index >= inits_;
  status(index).set_ready(!unready);
  container.next = container.exit_at;
  if (unready) {
    note(true, "Unhealthy", "Readiness probe failed: injected fault", index);
    container.next = std::min(container.exit_at, scene_.now + scene_.settings.probe_period);
  }
}

bool PodStep::restarts(std::size_t index, int exit_code) const {
  if (sidecar(index)) return true;
  const std::string& policy = pod_.spec().restart_policy();
  if (index < inits_) return exit_code != 0 && policy != "Never";
  return policy != "Never" && (policy != "OnFailure" || exit_code != 0);
}

void PodStep::end(std::size_t index, int exit_code, std::string_view reason) {
  ContainerRun& container = run_.containers[index];
  show_ended(status(index), exit_code, reason, scene_.wall);
  container.exit_at = kNever;
  container.ready_at = scene_.now;  // from here on: the time of its end
  if (!restarts(index, exit_code)) {
    container.state = RunState::Done;
    container.failed = exit_code != 0;
    container.next = kNever;
    if (index < inits_) status(index).set_ready(exit_code == 0);
    return;
  }
  const Duration wait = container.backoff.wait(scene_.now, scene_.settings);
  container.state = wait == Duration{0} ? RunState::Exited : RunState::CrashBackOff;
  container.next = scene_.now + std::max(wait, scene_.settings.restart_delay);
  if (wait == Duration{0}) return;
  const std::string& name = spec(index).name();
  note(true, "BackOff", fmt::format("Back-off restarting failed container {} in pod {}", name, pod_name()), index);
  show_waiting(
      status(index), "CrashLoopBackOff",
      fmt::format("back-off {} restarting failed container={} pod={}", kube::format_duration(wait), name, pod_name()));
}

// Finishes the pod if all containers have ended for good.
void PodStep::settle() {
  const bool failed_init = std::any_of(run_.containers.begin(), run_.containers.begin() + static_cast<long>(inits_),
                                       [](const ContainerRun& container) { return container.failed; });
  const bool all_done = std::all_of(run_.containers.begin() + static_cast<long>(inits_), run_.containers.end(),
                                    [](const ContainerRun& container) { return container.state == RunState::Done; });
  if (!failed_init && !all_done) return;
  end_everything(0, "Completed");  // sidecars
  run_.stage = Stage::Finished;
}

// --- the outcome ---

std::uint64_t PodStep::running() const {
  std::uint64_t bits = 0;
  std::size_t bit = 0;
  for (std::size_t i = 0; i < run_.containers.size() && bit < 64; ++i) {
    if (!lasting(i)) continue;
    if (run_.containers[i].state == RunState::Running) bits |= std::uint64_t{1} << bit;
    ++bit;
  }
  return bits;
}

SteadyTime PodStep::next_due() const {
  switch (run_.stage) {
    case Stage::Bound:
    case Stage::Finished: return kNever;
    case Stage::Stopping: return run_.next;
    case Stage::Starting: return std::min(run_.next, run_.deadline);
    case Stage::Active: break;
  }
  SteadyTime next = run_.deadline;
  for (const ContainerRun& container : run_.containers) next = std::min(next, container.next);
  return next;
}

}  // namespace rescheduler::sim
