#include "config/rescheduling_settings.h"

#include <algorithm>

namespace rescheduler::config {

std::string_view to_string(Strategy strategy) {
  switch (strategy) {
    case Strategy::LoadBalancing: return "LoadBalancing";
    case Strategy::ResourceOptimization: return "ResourceOptimization";
    case Strategy::NodeMaintenance: return "NodeMaintenance";
    case Strategy::ConstraintRepair: return "ConstraintRepair";
  }
  return "";
}

std::optional<Strategy> strategy_named(std::string_view name) {
  const auto* const found = std::ranges::find(kStrategies, name, [](Strategy one) { return to_string(one); });
  return found == kStrategies.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string_view> strategy_names() {
  std::vector<std::string_view> names;
  for (const Strategy one : kStrategies) names.push_back(to_string(one));
  return names;
}

std::string_view to_string(StrategyMode mode) {
  switch (mode) {
    case StrategyMode::Off: return "off";
    case StrategyMode::Observe: return "observe";
    case StrategyMode::Act: return "act";
  }
  return "";
}

}  // namespace rescheduler::config
