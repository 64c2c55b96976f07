#include "cli/view/balance.h"

#include <algorithm>
#include <cmath>

namespace rescheduler::cli {
namespace {

// 0: even, 1: as uneven as can be.
double unevenness(const std::vector<double>& shares) {
  if (shares.size() < 2) return 0;
  const auto count = static_cast<double>(shares.size());
  double mean = 0;
  for (const double share : shares) mean += share / count;
  double variance = 0;
  for (const double share : shares) variance += (share - mean) * (share - mean) / count;
  const double worst = mean * (1 - mean);
  return worst <= 0 ? 0 : std::min(1.0, std::sqrt(variance / worst));
}

}  // namespace

double balance_score(const std::vector<NodeState>& nodes) {
  std::vector<double> cpu;
  std::vector<double> memory;
  for (const NodeState& node : nodes) {
    if (node.health != NodeState::Health::Ready) continue;
    cpu.push_back(std::clamp(node.cpu.used_share(), 0.0, 1.0));
    memory.push_back(std::clamp(node.memory.used_share(), 0.0, 1.0));
  }
  return 100 * (1 - (unevenness(cpu) + unevenness(memory)) / 2);
}

}  // namespace rescheduler::cli
