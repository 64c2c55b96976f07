// All plugins of this program. Plugins that are enabled by default run in this order. Profiles, the check of plugin
// names in the configuration, and the configuration reference are derived from it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "placement/args.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

// `args` is null if the profile has none for the plugin: then its defaults apply.
using PluginFactory = std::function<std::unique_ptr<Plugin>(const PluginArgs* args)>;

struct RegisteredPlugin {
  std::string name;
  PluginFactory make;
  int weight = 1;  // of its scores, unless a profile sets another one
  bool enabled_by_default = true;
};

class Registry {
 public:
  Registry() = default;
  explicit Registry(std::vector<RegisteredPlugin> plugins) : plugins_(std::move(plugins)) {}

  void add(RegisteredPlugin plugin) { plugins_.push_back(std::move(plugin)); }
  const PluginFactory* find(std::string_view name) const;
  const std::vector<RegisteredPlugin>& plugins() const { return plugins_; }

  static const Registry& standard();  // every plugin of this program

 private:
  std::vector<RegisteredPlugin> plugins_;
};

}  // namespace rescheduler::placement
