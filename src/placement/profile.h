// One scheduler profile: its plugins at each extension point, their order, weights and arguments. It is an entry of
// `profiles[]` in the configuration file after multiPoint, `*` and the defaults are applied.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placement/args.h"
#include "placement/points.h"

namespace rescheduler::placement {

struct PluginUse {
  std::string name;
  int weight = 1;  // of its scores; not used at the other points
  friend bool operator==(const PluginUse&, const PluginUse&) = default;
};

struct Profile {
  std::string scheduler_name;
  std::optional<int> percentage_of_nodes_to_score;            // unset: the configuration's global value, or all nodes
  std::array<std::vector<PluginUse>, kPointCount> plugins{};  // by Point, in the order in which they run
  std::map<std::string, PluginArgs, std::less<>> args{};      // by plugin; has an entry for every plugin with arguments

  const std::vector<PluginUse>& at(Point point) const { return plugins[static_cast<std::size_t>(point)]; }
  std::vector<PluginUse>& at(Point point) { return plugins[static_cast<std::size_t>(point)]; }
  bool uses(std::string_view plugin, Point point) const {
    return std::ranges::find(at(point), plugin, &PluginUse::name) != at(point).end();
  }
  bool uses(std::string_view plugin) const {  // at any point
    return std::ranges::any_of(
        plugins, [&](const auto& uses) { return std::ranges::find(uses, plugin, &PluginUse::name) != uses.end(); });
  }
  template <class Args>
  const Args* args_of(std::string_view plugin) const {  // null: no arguments
    const auto found = args.find(plugin);
    return found == args.end() ? nullptr : std::get_if<Args>(&found->second);
  }
};

}  // namespace rescheduler::placement
