// The plugins that a configuration can name: their extension points, whether they are enabled by default, and their
// settings. The reader knows plugins only from this list.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "placement/points.h"

namespace rescheduler::placement {
class Registry;
}  // namespace rescheduler::placement

namespace rescheduler::kube {
class YamlReader;
class YamlWriter;
}  // namespace rescheduler::kube

namespace rescheduler::config {

struct Profile;
struct Table;

// Reads the `args` of a plugin into a profile, and prints them. `read` reads the fields that it knows and reports
// errors to the reader; the caller refuses unknown fields. Afterwards the profile has settings for the plugin, with
// defaults for absent and invalid fields. `read` accepts the output of `print`.
struct PluginArgsFormat {
  const Table* table = nullptr;  // null: the plugin has no settings
  std::function<void(kube::YamlReader&, Profile&)> read{};
  std::function<void(const Profile&, kube::YamlWriter&)> print{};
};

struct KnownPlugin {
  std::string name;
  placement::PointSet points{};
  bool default_enabled = false;
  int default_weight = 1;
  PluginArgsFormat args{};
};

// The order is that of the plugins that are enabled by default.
using PluginCatalog = std::vector<KnownPlugin>;

const KnownPlugin* find_plugin(const PluginCatalog& catalog, std::string_view name);  // nullptr: unknown

// The plugins of a registry, each with the extension points that it implements.
PluginCatalog catalog_of(const placement::Registry& registry);
const PluginCatalog& default_catalog();  // of placement::Registry::standard()

}  // namespace rescheduler::config
