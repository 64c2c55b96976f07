#include "config/read_profiles.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string>

#include <fmt/core.h>

#include "config/configuration.h"
#include "config/read.h"
#include "config/resolve.h"

namespace rescheduler::config {
namespace {

using kube::ScalarType;
using kube::YamlKind;
using kube::YamlReader;
using placement::Point;
using placement::PointSet;

constexpr std::string_view kRemovedPlugins[] = {"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"};

bool is_removed(std::string_view name) { return std::ranges::find(kRemovedPlugins, name) != std::end(kRemovedPlugins); }

bool is_known(const YamlReader& at, const std::string& name, const PluginCatalog& catalog) {
  if (find_plugin(catalog, name) != nullptr) return true;
  at.problem(is_removed(name) ? fmt::format("plugin {} was removed; use NodeVolumeLimits", name)
                              : fmt::format("there is no plugin '{}'", name));
  return false;
}

// The set of plugins that is read: of one extension point, or multiPoint.
struct Place {
  std::string_view name;
  std::optional<Point> point{};
};

// A list of maps with a name. A list of names, a single map and a single name are accepted as well.
struct Entries {
  std::vector<YamlReader> readers;
  bool in_short = false;
};

Entries entries_of(YamlReader& set, std::string_view field) {
  Entries entries;
  if (!set.has(field)) return entries;
  const YamlReader list = set.child(field);
  if (list.node().kind == YamlKind::Sequence) {
    entries.readers = set.items(field);
  } else {
    entries.readers = {list};
    entries.in_short = true;
  }
  for (const YamlReader& reader : entries.readers) entries.in_short |= reader.node().kind == YamlKind::Scalar;
  if (entries.in_short)
    list.note(fmt::format("is a short form; kube-scheduler accepts only a list of maps, \"- name: X\""));
  return entries;
}

std::string name_of(YamlReader& entry) {
  if (entry.node().kind == YamlKind::Scalar) return entry.as_string();
  std::string name;
  entry.read("name", name);
  if (name.empty()) entry.problem("name", "is required");
  return name;
}

// Also refuses all other fields of the entry.
int weight_in(YamlReader& entry) {
  std::int64_t weight = 0;
  if (entry.node().kind == YamlKind::Map) {
    entry.read("weight", weight, 0, std::numeric_limits<int>::max());
    entry.refuse_unknown_fields();
  }
  return static_cast<int>(weight);
}

void read_enabled(YamlReader& set, const Place& place, const PluginCatalog& catalog, PluginSet& into) {
  std::set<std::string> seen;
  for (YamlReader& entry : entries_of(set, "enabled").readers) {
    PluginChoice choice;
    choice.name = name_of(entry);
    choice.weight = weight_in(entry);
    if (choice.name.empty() || !is_known(entry, choice.name, catalog)) continue;
    if (place.point && !find_plugin(catalog, choice.name)->points.has(*place.point)) {
      entry.problem(fmt::format("plugin {} does not implement the extension point {}", choice.name, place.name));
      continue;
    }
    if (!seen.insert(choice.name).second) {
      entry.problem(fmt::format("plugin {} is enabled twice", choice.name));
      continue;
    }
    if (choice.weight != 0 && place.point && place.point != Point::Score) {
      entry.note("weight", "has no effect: only the extension point score uses weights");
    }
    into.enabled.push_back(std::move(choice));
  }
}

void read_disabled(YamlReader& set, const PluginCatalog& catalog, PluginSet& into) {
  for (YamlReader& entry : entries_of(set, "disabled").readers) {
    std::string name = name_of(entry);
    (void)weight_in(entry);  // kube-scheduler has the field here too; it has no effect
    if (name.empty()) continue;
    if (name != "*" && find_plugin(catalog, name) == nullptr) {
      entry.note(fmt::format("has no effect: there is no plugin '{}'", name));
    }
    into.disabled.push_back(std::move(name));
  }
}

void read_set(YamlReader& plugins, const Place& place, const PluginCatalog& catalog, PluginSet& into) {
  YamlReader set = plugins.child(place.name);
  read_enabled(set, place, catalog, into);
  read_disabled(set, catalog, into);
  set.refuse_unknown_fields();
}

// Extension points of kube-scheduler features that are disabled by default. No plugin here implements them.
void read_unused_points(YamlReader& plugins) {
  for (const char* name : {"placementGenerate", "placementScore", "podGroupPostFilter"}) {
    if (!plugins.has(name)) continue;
    YamlReader set = plugins.child(name);
    if (!set.items("enabled").empty()) set.problem("enabled", "no plugin implements this extension point");
    if (!set.items("disabled").empty())
      set.note("disabled", "has no effect: no plugin implements this extension point");
    set.refuse_unknown_fields();
  }
}

PluginChoices read_plugins(YamlReader plugins, const PluginCatalog& catalog) {
  PluginChoices choices;
  read_set(plugins, {"multiPoint"}, catalog, choices.multi_point);
  for (std::size_t i = 0; i < placement::kPointCount; ++i) {
    read_set(plugins, {placement::kPointNames[i], static_cast<Point>(i)}, catalog, choices.points[i]);
  }
  read_unused_points(plugins);
  plugins.refuse_unknown_fields();
  return choices;
}

void read_args(YamlReader args, const KnownPlugin& plugin, Profile& profile) {
  std::string version;
  std::string kind;
  args.read("apiVersion", version);
  args.read("kind", kind);
  if (!version.empty() && version != kConfigurationV1 && version != kConfigurationV1Beta3) {
    args.problem("apiVersion", fmt::format("must be {} or {}", kConfigurationV1, kConfigurationV1Beta3));
  }
  if (!kind.empty() && kind != plugin.name + "Args") {
    args.problem("kind", fmt::format("must be {}Args for the plugin {}", plugin.name, plugin.name));
  }
  if (plugin.args.table != nullptr) plugin.args.read(args, profile);
  args.refuse_unknown_fields();
}

void read_plugin_config(YamlReader& from, const PluginCatalog& catalog, Profile& profile) {
  std::set<std::string> seen;
  for (YamlReader& entry : from.items("pluginConfig")) {
    const std::string name = name_of(entry);
    const YamlReader args = entry.child("args");
    if (entry.node().kind == YamlKind::Map) entry.refuse_unknown_fields();
    if (name.empty() || !is_known(entry, name, catalog)) continue;
    if (!seen.insert(name).second) {
      entry.problem("name", fmt::format("plugin {} has two entries in pluginConfig; keep one", name));
      continue;
    }
    if (!profile.uses(name)) entry.note(fmt::format("has no effect: {} is not enabled in this profile", name));
    read_args(args, *find_plugin(catalog, name), profile);
  }
}

void add_default_args(const PluginCatalog& catalog, Profile& profile) {
  for (const KnownPlugin& plugin : catalog) {
    if (plugin.args.table == nullptr || profile.args.contains(plugin.name) || !profile.uses(plugin.name)) continue;
    kube::YamlNode nothing;
    kube::YamlProblems none("");
    YamlReader defaults(nothing, none);
    plugin.args.read(defaults, profile);
  }
}

}  // namespace

Profile read_profile(YamlReader from, const PluginCatalog& catalog) {
  Profile profile;
  if (from.has("schedulerName")) {
    from.read("schedulerName", profile.scheduler_name);
    if (profile.scheduler_name.empty()) from.problem("schedulerName", "must not be empty");
  }
  if (profile.scheduler_name == "default-scheduler") {
    from.note(
        "schedulerName",
        "is the name that kube-scheduler uses; stop kube-scheduler, otherwise both schedulers place the same pods");
  }
  if (from.has("percentageOfNodesToScore")) {
    std::int64_t percentage = 0;
    from.read("percentageOfNodesToScore", percentage, 0, 100);
    profile.percentage_of_nodes_to_score = static_cast<int>(percentage);
  }
  profile.plugins = resolve_plugins(read_plugins(from.child("plugins"), catalog), catalog);
  read_plugin_config(from, catalog, profile);
  add_default_args(catalog, profile);
  from.refuse_unknown_fields();

  const auto sorts = profile.at(Point::QueueSort).size();
  if (sorts != 1) from.problem("plugins", fmt::format("exactly one queueSort plugin is needed, found {}", sorts));
  if (profile.at(Point::Bind).empty()) from.problem("plugins", "at least one bind plugin is needed");
  return profile;
}

void check_profiles(const std::vector<YamlReader>& places, std::vector<Profile>& profiles) {
  if (profiles.size() == 1 && profiles[0].scheduler_name.empty()) profiles[0].scheduler_name = kDefaultSchedulerName;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const std::string& name = profiles[i].scheduler_name;
    if (name.empty() && places[i].node().find("schedulerName") == nullptr) {
      places[i].problem("schedulerName", "is required if there are several profiles");
    }
    for (std::size_t j = 0; j < i && !name.empty(); ++j) {
      if (profiles[j].scheduler_name == name) {
        places[i].problem("schedulerName", fmt::format("is already used by profiles[{}]", j));
        break;
      }
    }
    // All profiles share one scheduling queue, so there is only one order.
    if (profiles[i].at(Point::QueueSort) != profiles[0].at(Point::QueueSort)) {
      places[i].problem("plugins", "queueSort must be the same in all profiles");
    }
  }
}

}  // namespace rescheduler::config
