#include "config/rescheduling_settings.h"

#include <algorithm>

namespace rescheduler::config {

std::string_view to_string(Strategy strategy) {
  const auto index = static_cast<std::size_t>(strategy);
  return index < kStrategyNames.size() ? kStrategyNames[index] : std::string_view{};
}

std::optional<Strategy> strategy_named(std::string_view name) {
  const auto* const found = std::ranges::find(kStrategyNames, name);
  if (found == kStrategyNames.end()) return std::nullopt;
  return static_cast<Strategy>(found - kStrategyNames.begin());
}

std::vector<std::string_view> strategy_names() { return {kStrategyNames.begin(), kStrategyNames.end()}; }

StrategyMode configured_mode(const ReschedulingSettings& settings, Strategy strategy) {
  const auto found = settings.modes.find(strategy);
  if (found != settings.modes.end()) return found->second;
  const bool enabled =
      strategy == Strategy::NodeMaintenance
      || std::ranges::find(settings.enabled_strategies, to_string(strategy)) != settings.enabled_strategies.end();
  return enabled ? StrategyMode::Act : StrategyMode::Off;
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
