#include "config/effective.h"

#include "config/read.h"
#include "config/tables.h"
#include "kube/config/yaml_writer.h"

namespace rescheduler::config {
namespace {

using kube::YamlWriter;

// All defaults are disabled and each plugin is listed at its extension points, so the output depends on no default.
void print_plugins(const placement::Profile& profile, YamlWriter& to) {
  to.open("plugins");
  to.open("multiPoint");
  to.open("disabled");
  to.item();
  to.field("name", "*");
  to.close();
  to.close();
  for (std::size_t i = 0; i < placement::kPointCount; ++i) {
    if (profile.plugins[i].empty()) continue;
    to.open(placement::kPointNames[i]);
    to.open("enabled");
    for (const placement::PluginUse& use : profile.plugins[i]) {
      to.item();
      to.field("name", use.name);
      if (static_cast<placement::Point>(i) == placement::Point::Score) to.field("weight", use.weight);
    }
    to.close();
    to.close();
  }
  to.close();
}

void print_args(const Profile& profile, const PluginCatalog& catalog, YamlWriter& to) {
  if (profile.args.empty()) return to.json("pluginConfig", "[]");
  to.open("pluginConfig");
  for (const auto& [name, args] : profile.args) {
    const KnownPlugin* plugin = find_plugin(catalog, name);
    if (plugin == nullptr || plugin->args.table == nullptr) continue;
    to.item();
    to.field("name", name);
    to.open("args");
    to.field("apiVersion", kConfigurationV1);
    to.field("kind", name + "Args");
    plugin->args.print(profile, to);
    to.close();
  }
  to.close();
}

}  // namespace

std::string effective_configuration(const Configuration& configuration, const PluginCatalog& catalog) {
  YamlWriter yaml;
  yaml.field("apiVersion", kConfigurationV1);
  yaml.field("kind", "KubeSchedulerConfiguration");
  print_fields(head_table(), &configuration, yaml);
  yaml.open("profiles");
  for (const Profile& profile : configuration.profiles) {
    yaml.item();
    yaml.field("schedulerName", profile.scheduler_name);
    yaml.field("percentageOfNodesToScore",
               profile.percentage_of_nodes_to_score.value_or(configuration.percentage_of_nodes_to_score));
    print_plugins(profile, yaml);
    print_args(profile, catalog, yaml);
  }
  yaml.close();
  print_fields(tail_table(), &configuration, yaml);
  return yaml.text();
}

}  // namespace rescheduler::config
