#include "cli/composition/migrator.h"

#include <algorithm>

#include <fmt/format.h>

namespace rescheduler::cli {

namespace {

// The load of a node as last reported by the scheduler, as JSON. Empty: not measured.
std::string load_of(const std::string& node, const scheduler::LoadUpdate* last) {
  if (last == nullptr || last->load_summary.basis != cluster::LoadBasis::Usage) return {};
  const auto& nodes = last->nodes;
  const auto found = std::ranges::find(nodes, node, &std::pair<std::string, cluster::NodeLoad>::first);
  if (found == nodes.end()) return {};
  std::string text;
  const auto& resources = last->load_summary.resources;
  for (std::size_t i = 0; i < resources.size() && i < cluster::kMostLoads; ++i) {
    if (!found->second.knows(i)) continue;
    text += fmt::format(R"({}"{}":{:.3f})", text.empty() ? "" : ",", resources[i], found->second.used[i]);
  }
  return text.empty() ? text : "{" + text + "}";
}

}  // namespace

std::unique_ptr<migration::MigrationController> make_migrator(migration::MigrationParts parts,
                                                              const config::Configuration& configuration,
                                                              scheduler::LiveScheduler& scheduler) {
  static_cast<config::MigrationSettings&>(parts.settings) = configuration.migration;
  for (const auto& profile : configuration.profiles) parts.settings.scheduler_names.insert(profile.scheduler_name);
  parts.settings.steer = [&scheduler](std::vector<migration::PlacementIntent> wanted) {
    std::vector<scheduler::Intent> intents;
    for (auto& one : wanted) {
      intents.push_back({std::move(one.migration), std::move(one.ns), std::move(one.selector), std::move(one.pod),
                         std::move(one.target), std::move(one.avoid)});
    }
    scheduler.set_intents(std::move(intents));
  };
  const auto last = std::make_shared<std::shared_ptr<const scheduler::LoadUpdate>>();
  scheduler::ClusterSink sink;
  sink.loads = [last](std::shared_ptr<const scheduler::LoadUpdate> loads) { *last = std::move(loads); };
  scheduler.listen(std::move(sink));
  parts.settings.measure = [last](const std::string& node) { return load_of(node, last->get()); };
  return std::make_unique<migration::MigrationController>(std::move(parts));
}

}  // namespace rescheduler::cli
