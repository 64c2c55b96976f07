#include "usage/estimate.h"

namespace rescheduler::usage {
namespace {

double share(std::int64_t requested, std::int64_t otherwise, std::int64_t allocatable) {
  const std::int64_t amount = requested > 0 ? requested : otherwise;
  // A node that has nothing to give is full with the first pod.
  return allocatable > 0 ? static_cast<double>(amount) / static_cast<double>(allocatable) : 1.0;
}

}  // namespace

cluster::Loads estimate(const cluster::NodeNeeds& needs, const cluster::Node& node, const EstimateSettings& settings) {
  cluster::Loads loads{};
  loads[cluster::kCpuLoad] = share(needs.requests.plain.cpu, settings.cpu, node.allocatable.cpu);
  loads[cluster::kMemoryLoad] = share(needs.requests.plain.memory, settings.memory, node.allocatable.memory);
  return loads;
}

}  // namespace rescheduler::usage
