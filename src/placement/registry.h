// All plugins this program knows, in the order in which those that nobody asked for have their say. A profile, the
// configuration that may name plugins and the reference of it are made from this.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "placement/args.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

// `args` is null where the profile has none for it: then the plugin's defaults hold.
using PluginFactory = std::function<std::unique_ptr<Plugin>(const PluginArgs* args)>;

struct RegisteredPlugin {
  std::string name;
  PluginFactory make;
  int weight = 1;       // of its scores, unless a profile says otherwise
  bool unasked = true;  // part of a profile that says nothing of plugins
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
