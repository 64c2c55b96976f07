// What a kubelet remembers of a pod beyond the pod's own status: where it stands, and what happens when.
//
// A pod's stages:
//
//   Bound --admitted--> Starting --sandbox--> Active --all ended for good--> Finished
//     |                     |                    |                              ^
//     +--refused------------|--------------------|------------------------------+
//                           +---being deleted----+--> Stopping --containers ended
//
// A container's states within Active (and its ContainerStatus):
//
//   Waiting --start--> Running --exit--> Exited (terminated) --restart--> Running
//      |  ^                 |                                                ^
//      |  |                 +--exit--> CrashBackOff (waiting) ----restart----+
//   PullFailed --> PullBackOff      +--exit for good--> Done (terminated)
//
// Kept small: there are hundreds of thousands of them.
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

// Of "ns/name".
inline std::string_view namespace_in(std::string_view key) { return key.substr(0, key.find('/')); }
inline std::string_view name_in(std::string_view key) { return key.substr(key.find('/') + 1); }

inline constexpr SteadyTime kNever = SteadyTime::max();

enum class Stage : std::uint8_t { Bound, Starting, Active, Stopping, Finished };
enum class RunState : std::uint8_t { Waiting, PullFailed, PullBackOff, Running, Exited, CrashBackOff, Done };
enum class ExitPlan : std::uint8_t { Complete, Crash, Oom };

struct ContainerRun {
  SteadyTime next = kNever;     // when it has to be looked at
  SteadyTime exit_at = kNever;  // Running: when it ends by itself
  SteadyTime ready_at{};        // Running: when it is ready. Exited, CrashBackOff: when it ended
  RestartBackoff backoff{};     // of restarts, or of pulls while it cannot be pulled
  RunState state = RunState::Waiting;
  ExitPlan plan = ExitPlan::Complete;
  bool once = false;    // it has run before
  bool failed = false;  // Done: not with exit code 0
};

struct PodRun {
  std::string key;                       // ns/name
  std::vector<ContainerRun> containers;  // init containers, then the others, as the spec has them
  Agenda::Ticket timer{};
  SteadyTime next = kNever;          // Starting: the sandbox is ready. Stopping: the containers have ended
  SteadyTime deadline = kNever;      // activeDeadlineSeconds
  std::int64_t cpu = 0, memory = 0;  // what it takes of its node, once admitted
  std::unique_ptr<std::map<std::string, std::int64_t>> other_resources{};
  LoadModel::PodId load = LoadModel::kNoPod;
  std::uint32_t node = 0;
  std::uint16_t ip = 0;
  Stage stage = Stage::Bound;
  bool used = false;
  bool admitted = false;
  bool orphan = false;      // its object is gone, its containers are not
  bool hard_kill = false;   // Stopping: they will not make it within the grace period
  bool power_lost = false;  // its node went down with it
  bool warned = false;      // about its annotations
};

static_assert(sizeof(PodRun) + sizeof(ContainerRun) < 300);

}  // namespace rescheduler::sim
