#include "placement/plugins/resource_scoring.h"

namespace rescheduler::placement {
namespace {

std::int64_t request_for(const cluster::NodeRequirements& requirements,
                         const std::string& name,
                         Counting counting,
                         const cluster::SymbolTable& symbols) {
  const cluster::PodRequests& requests = requirements.requests;
  if (name == "cpu") return counting == Counting::Plain ? requests.plain.cpu : requests.scored_cpu;
  if (name == "memory") return counting == Counting::Plain ? requests.plain.memory : requests.scored_memory;
  if (name == "ephemeral-storage") return requests.plain.ephemeral_storage;
  const auto symbol = symbols.find(name);
  return symbol ? requests.plain.other(*symbol) : 0;
}

}  // namespace

std::vector<std::int64_t> requests_for(const cluster::NodeRequirements& requirements,
                                       const std::vector<ResourceWeight>& resources,
                                       Counting counting,
                                       const cluster::SymbolTable& symbols) {
  std::vector<std::int64_t> requests;
  for (const ResourceWeight& resource : resources) {
    requests.push_back(request_for(requirements, resource.name, counting, symbols));
  }
  return requests;
}

Shares shares_of(const cluster::NodeRequirements& requirements,
                 const cluster::NodeInfo& node,
                 const std::vector<ResourceWeight>& resources,
                 Counting counting,
                 const cluster::SymbolTable& symbols) {
  Shares shares;
  shares.reserve(resources.size());
  for (const ResourceWeight& resource : resources) {
    Share share{0, 0, 0, resource.weight};
    const std::int64_t request = request_for(requirements, resource.name, counting, symbols);
    const bool plain = counting == Counting::Plain;
    if (resource.name == "cpu") {
      share.allocatable = node.node->allocatable.cpu;
      share.before = plain ? node.requested.cpu : node.nonzero_cpu;
    } else if (resource.name == "memory") {
      share.allocatable = node.node->allocatable.memory;
      share.before = plain ? node.requested.memory : node.nonzero_memory;
    } else if (resource.name == "ephemeral-storage") {
      share.allocatable = node.node->allocatable.ephemeral_storage;
      share.before = node.requested.ephemeral_storage;
    } else if (const auto symbol = symbols.find(resource.name); symbol && request != 0) {
      // A resource that the pod does not request does not affect the score.
      share.allocatable = node.node->allocatable.other(*symbol);
      share.before = node.requested.other(*symbol);
    }
    if (share.allocatable == 0) share.before = 0;
    share.with = share.allocatable == 0 ? 0 : share.before + request;
    shares.push_back(share);
  }
  return shares;
}

}  // namespace rescheduler::placement
