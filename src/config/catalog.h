// Which plugins a configuration may name: where each can have a say, whether it does unasked, and what settings it
// takes. Reading knows no plugin but by this list.
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

// How a plugin's `args` are read into a profile and printed out of it. `read` takes the fields it knows - the caller
// refuses the others - and tells the reader what is wrong; the profile has settings for the plugin afterwards, defaults
// where nothing or nonsense was written. What `print` writes, `read` understands.
struct PluginArgsFormat {
  const Table* table = nullptr;  // null: it takes none
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

// Those that are enabled by default are so in this order.
using PluginCatalog = std::vector<KnownPlugin>;

const KnownPlugin* find_plugin(const PluginCatalog& catalog, std::string_view name);  // nullptr: unknown

// The plugins of a registry, each with the points it says it has.
PluginCatalog catalog_of(const placement::Registry& registry);
const PluginCatalog& default_catalog();  // of this program's

}  // namespace rescheduler::config
