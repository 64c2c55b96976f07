// The annotations that control the embedded cluster. kubectl, scenarios and tests all use them.
// A real cluster ignores them.
#pragma once

#include <string_view>

namespace rescheduler::sim {

// On pods, usually through the pod template of a workload.
inline constexpr std::string_view kCpuProfile = "sim.rescheduler.io/cpu";          // a load profile: load/profile.h
inline constexpr std::string_view kMemoryProfile = "sim.rescheduler.io/memory";    // the same for memory
inline constexpr std::string_view kRunFor = "sim.rescheduler.io/run-for";          // "90s": then all containers exit
inline constexpr std::string_view kExitCode = "sim.rescheduler.io/exit-code";      // exit code after run-for; default 0
inline constexpr std::string_view kStartDelay = "sim.rescheduler.io/start-delay";  // time from bound to running
inline constexpr std::string_view kReadyDelay = "sim.rescheduler.io/ready-delay";  // time from running to ready
// Node names, comma-separated, or "*": nodes where containers crash soon after start, cannot pull their image, or are
// killed for lack of memory.
inline constexpr std::string_view kCrashOn = "sim.rescheduler.io/crash-on";
inline constexpr std::string_view kImagePullFailsOn = "sim.rescheduler.io/image-pull-fails-on";
inline constexpr std::string_view kOomOn = "sim.rescheduler.io/oom-on";

// On nodes. frozen: the kubelet stops reporting and acting, but containers go on. dead: all containers stop too. slow:
// starting takes ten times as long. Absent: healthy.
inline constexpr std::string_view kNodeFault = "sim.rescheduler.io/fault";

}  // namespace rescheduler::sim
