// What the embedded cluster reads from annotations, so that kubectl, scenarios and tests all have the same levers.
// None of these means anything to a real cluster.
#pragma once

#include <string_view>

namespace rescheduler::sim {

// On pods (usually through a workload's template).
inline constexpr std::string_view kCpuProfile = "sim.rescheduler.io/cpu";          // a load profile: load/profile.h
inline constexpr std::string_view kMemoryProfile = "sim.rescheduler.io/memory";    // likewise
inline constexpr std::string_view kRunFor = "sim.rescheduler.io/run-for";          // "90s": then every container exits
inline constexpr std::string_view kExitCode = "sim.rescheduler.io/exit-code";      // what it exits with then; default 0
inline constexpr std::string_view kStartDelay = "sim.rescheduler.io/start-delay";  // bound -> running; else the node's
inline constexpr std::string_view kReadyDelay = "sim.rescheduler.io/ready-delay";  // running -> ready
// Node names, comma-separated, or "*": where containers crash soon after start, or cannot pull their image.
inline constexpr std::string_view kCrashOn = "sim.rescheduler.io/crash-on";
inline constexpr std::string_view kImagePullFailsOn = "sim.rescheduler.io/image-pull-fails-on";
inline constexpr std::string_view kOomOn = "sim.rescheduler.io/oom-on";

// On nodes. frozen: the kubelet stops reporting and acting, containers go on; dead: everything on it stops too;
// slow: starting takes ten times as long. Absent: healthy.
inline constexpr std::string_view kNodeFault = "sim.rescheduler.io/fault";

}  // namespace rescheduler::sim
