#include "placement/framework.h"

#include <algorithm>

#include "placement/registry.h"

namespace rescheduler::placement {

Result<std::unique_ptr<Framework>> Framework::make(const Profile& profile, const Registry& registry) {
  std::unique_ptr<Framework> framework(new Framework(profile));
  const auto plugin_named = [&](const std::string& name) -> Result<const Plugin*> {
    if (const Plugin* known = framework->find(name)) return known;
    const PluginFactory* factory = registry.find(name);
    if (factory == nullptr) {
      return fail(Errc::Invalid, "profile '{}' enables the plugin '{}', which this program does not have",
                  profile.scheduler_name, name);
    }
    const auto args = profile.args.find(name);
    auto plugin = (*factory)(args == profile.args.end() ? nullptr : &args->second);
    plugin->slot_ = framework->plugins_.size();
    return framework->plugins_.emplace_back(std::move(plugin)).get();
  };
  for (std::size_t point = 0; point < kPointCount; ++point) {
    for (const PluginUse& use : profile.plugins[point]) {
      const auto plugin = plugin_named(use.name);
      if (!plugin) return fail(plugin.error());
      if (!(*plugin)->points().has(static_cast<Point>(point))) {
        return fail(Errc::Invalid, "profile '{}': the plugin '{}' does not implement the extension point {}",
                    profile.scheduler_name, use.name, kPointNames[point]);
      }
      framework->by_point_[point].push_back(*plugin);
      if (static_cast<Point>(point) == Point::Score) framework->scoring_.push_back({*plugin, use.weight});
    }
  }
  if (auto whole = framework->check_pairs(); !whole) return fail(std::move(whole.error()));
  return framework;
}

// A plugin that stores data at the first point cannot run at the second point without it.
Result<void> Framework::check_pairs() const {
  const std::pair<Point, Point> pairs[] = {{Point::PreFilter, Point::Filter}, {Point::PreScore, Point::Score}};
  for (const auto& [first, second] : pairs) {
    for (const Plugin* plugin : at(second)) {
      if (!plugin->points().has(first) || std::ranges::find(at(first), plugin) != at(first).end()) continue;
      return fail(Errc::Invalid, "profile '{}' enables the plugin '{}' at {} but not at {}, which it needs",
                  profile_.scheduler_name, plugin->name(), name_of(second), name_of(first));
    }
  }
  return {};
}

const Plugin* Framework::find(std::string_view name) const {
  const auto found = std::ranges::find_if(plugins_, [&](const auto& plugin) { return plugin->name() == name; });
  return found == plugins_.end() ? nullptr : found->get();
}

void Framework::prepare(cluster::Cluster& cluster, const PodContext& context) const {
  for (const auto& plugin : plugins_) plugin->prepare(cluster, context);
}

}  // namespace rescheduler::placement
