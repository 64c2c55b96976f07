#include "placement/registry.h"

#include <algorithm>

#include "placement/plugins/plugins.h"

namespace rescheduler::placement {

const PluginFactory* Registry::find(std::string_view name) const {
  const auto found = std::ranges::find(plugins_, name, &RegisteredPlugin::name);
  return found == plugins_.end() ? nullptr : &found->make;
}

const Registry& Registry::standard() {
  static const Registry registry(all_plugins());
  return registry;
}

}  // namespace rescheduler::placement
