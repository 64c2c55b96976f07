// Measured usage of pods, as a load source reports it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "net/task.h"
#include "usage/sample.h"

namespace rescheduler::usage {

class Source;

struct PodUse {
  std::string ns{};
  std::string name{};
  double cpu = 0;     // cores
  double memory = 0;  // bytes
  WallTime at{};
};

// The usable values: finite, not negative, and neither stale nor from the future.
std::vector<PodUse> sift_pods(std::vector<PodUse> all, const SampleRules& rules, WallTime now);

struct PodReading {
  std::vector<PodUse> pods{};
  std::string source{};  // its name
};
// The usage of pods from the first of these sources that has usable values. The error has the reason of each.
net::Task<Result<PodReading>> read_pods(std::span<const std::unique_ptr<Source>> sources,
                                        SampleRules rules,
                                        WallTime now);

}  // namespace rescheduler::usage
