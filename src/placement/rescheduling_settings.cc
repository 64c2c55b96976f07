#include "placement/rescheduling_settings.h"

namespace rescheduler::placement {

std::string_view to_string(Strategy strategy) {
  switch (strategy) {
    case Strategy::LoadBalancing: return "LoadBalancing";
    case Strategy::ResourceOptimization: return "ResourceOptimization";
    case Strategy::NodeMaintenance: return "NodeMaintenance";
    case Strategy::ConstraintRepair: return "ConstraintRepair";
  }
  return "";
}

std::string_view to_string(StrategyMode mode) {
  switch (mode) {
    case StrategyMode::Off: return "off";
    case StrategyMode::Observe: return "observe";
    case StrategyMode::Act: return "act";
  }
  return "";
}

}  // namespace rescheduler::placement
