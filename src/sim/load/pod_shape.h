// What the usage of a pod depends on besides its own seed and start. The pods of one workload share it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/load/profile.h"

namespace rescheduler::api {
class Pod;
}

namespace rescheduler::sim {

// The usage of a pod without the annotations. Half of the request is common in real clusters.
struct DefaultLoad {
  std::string cpu = "noisy mean=50% deviation=5% every=60s";
  std::string memory = "50%";
  // The base of percentages for a pod without the request.
  std::int64_t cpu_without_request = 20'000;  // 20m
  std::int64_t memory_without_request = std::int64_t{64} << 20;
};

struct ContainerShape {
  std::string name;
  std::int64_t cpu_ppm = 0;  // its share of the pod's usage in millionths: by requests; equal without requests
  std::int64_t memory_ppm = 0;
  std::int64_t memory_limit = 0;  // 0: none
};

struct PodShape {
  std::shared_ptr<const Profile> cpu;
  std::shared_ptr<const Profile> memory;
  std::int64_t cpu_request = 0;  // of containers and sidecars; millionths of a core
  std::int64_t cpu_limit = 0;    // 0: at least one container has none
  std::int64_t memory_request = 0;
  std::int64_t cpu_base = 0;  // the base of percentages
  std::int64_t memory_base = 0;
  bool memory_limited = false;             // at least one container has a limit
  std::vector<ContainerShape> containers;  // sidecars first, then containers, in the order of the pod
  std::string fault;                       // the error in an annotation; the default is used instead
};

class PodShapes {
 public:
  PodShapes(SeriesLibrary& library, DefaultLoad defaults);
  // The same pointer for pods that are equal in all relevant fields.
  std::shared_ptr<const PodShape> of(const api::Pod& pod);

 private:
  std::shared_ptr<const Profile> profile(std::string_view text, LoadResource resource, std::string& fault);

  SeriesLibrary& library_;
  DefaultLoad defaults_;
  struct Parsed {
    std::shared_ptr<const Profile> profile;
    std::string fault;
  };
  std::map<std::string, Parsed, std::less<>> profiles_[2];
  std::map<std::string, std::weak_ptr<const PodShape>, std::less<>> shapes_;
  std::size_t sweep_at_ = 1024;
};

}  // namespace rescheduler::sim
