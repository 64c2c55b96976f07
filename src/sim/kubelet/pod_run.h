// What a kubelet keeps of a pod besides the pod's status: its stage, and the times of the next events.
//
// The stages of a pod:
//
//   Bound --admitted--> Starting --sandbox--> Active --all ended for good--> Finished
//     |                     |                    |                              ^
//     +--rejected-----------|--------------------|------------------------------+
//                           +---terminating------+--> Stopping --containers ended--> Finished
//
// The states of a container within Active (and its ContainerStatus):
//
//   Waiting, Exited, CrashBackOff, PullBackOff --image present--> Running
//                                              --pull fails-----> PullFailed (waiting) --> PullBackOff (waiting)
//   Running --exit-----------> Exited (terminated) or, with a restart delay, CrashBackOff (waiting)
//           --exit for good--> Done (terminated)
//
// Kept small, because there are hundreds of thousands of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/kubelet/restart_backoff.h"
#include "sim/load/load_model.h"
#include "sim/time/agenda.h"

namespace rescheduler::sim {

// The parts of "ns/name".
inline std::string_view namespace_in(std::string_view key) { return key.substr(0, key.find('/')); }
inline std::string_view name_in(std::string_view key) { return key.substr(key.find('/') + 1); }

inline constexpr SteadyTime kNever = SteadyTime::max();

enum class Stage : std::uint8_t { Bound, Starting, Active, Stopping, Finished };
enum class RunState : std::uint8_t { Waiting, PullFailed, PullBackOff, Running, Exited, CrashBackOff, Done };
enum class ExitPlan : std::uint8_t { Complete, Crash, Oom };

struct ContainerRun {
  SteadyTime next = kNever;     // time of the next check
  SteadyTime exit_at = kNever;  // Running: when it exits by itself
  SteadyTime ready_at{};        // Running: when it becomes ready. Exited, CrashBackOff: when it ended
  RestartBackoff backoff{};     // of restarts, or of image pulls while they fail
  RunState state = RunState::Waiting;
  ExitPlan plan = ExitPlan::Complete;
  bool once = false;    // has run before
  bool failed = false;  // Done: exit code is not 0
};

struct PodRun {
  std::string key;                       // ns/name
  std::vector<ContainerRun> containers;  // init containers, then containers, in the order of the spec
  Agenda::Ticket timer{};
  SteadyTime next = kNever;          // Starting: the sandbox is ready. Stopping: the containers have ended
  SteadyTime deadline = kNever;      // activeDeadlineSeconds
  std::int64_t cpu = 0, memory = 0;  // requests, once admitted
  std::unique_ptr<std::map<std::string, std::int64_t>> other_resources{};
  LoadModel::PodId load = LoadModel::kNoPod;
  std::uint32_t node = 0;
  std::uint16_t ip = 0;
  Stage stage = Stage::Bound;
  bool used = false;
  bool admitted = false;
  bool orphan = false;      // the object is deleted or has a final phase, but containers can still run
  bool hard_kill = false;   // Stopping: containers do not end within the grace period
  bool power_lost = false;  // the node was dead since the last step
  bool warned = false;      // an Event about its annotations was written
};

static_assert(sizeof(PodRun) + sizeof(ContainerRun) < 300);

}  // namespace rescheduler::sim
