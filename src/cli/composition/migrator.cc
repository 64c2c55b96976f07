#include "cli/composition/migrator.h"

#include <algorithm>

#include <fmt/format.h>

#include "placement/rescheduler_args.h"

namespace rescheduler::cli {

void apply(const placement::MovingSettings& moving, migration::MigrationSettings& to) {
  using migration::SurgeUse;
  to.direct = moving.direct;
  to.surge = moving.make_before_break == "Never"    ? SurgeUse::Never
             : moving.make_before_break == "Always" ? SurgeUse::Always
                                                    : SurgeUse::SingleReplicas;
  to.max_unavailable = static_cast<std::uint32_t>(moving.max_unavailable);
  to.max_unavailable_percent = static_cast<std::uint32_t>(moving.max_unavailable_percent);
  to.protect_unprotected = moving.protect_unprotected;
  to.min_available = moving.budget_min_available;
  to.max_unavailable_budget = moving.budget_max_unavailable;
}

namespace {

// How busy a node is, as the scheduler last said; JSON. Empty: nobody measures it.
std::string load_of(const std::string& node, const scheduler::LoadsSeen* last) {
  if (last == nullptr || last->picture.basis != cluster::LoadBasis::Usage) return {};
  const auto& nodes = last->nodes;
  const auto found = std::ranges::find(nodes, node, &std::pair<std::string, cluster::NodeLoad>::first);
  if (found == nodes.end()) return {};
  std::string text;
  const auto& resources = last->picture.resources;
  for (std::size_t i = 0; i < resources.size() && i < cluster::kMostLoads; ++i) {
    if (!found->second.knows(i)) continue;
    text += fmt::format(R"({}"{}":{:.3f})", text.empty() ? "" : ",", resources[i], found->second.used[i]);
  }
  return text.empty() ? text : "{" + text + "}";
}

}  // namespace

std::unique_ptr<migration::MigrationController> make_migrator(migration::MigrationParts parts,
                                                              const scheduler::Configuration& configuration,
                                                              scheduler::LiveScheduler& scheduler) {
  for (const auto& profile : configuration.profiles) {
    parts.settings.scheduler_names.insert(profile.scheduler_name);
    const auto found = profile.args.find("Rescheduler");
    if (found == profile.args.end()) continue;
    if (const auto* args = dynamic_cast<const placement::ReschedulerArgs*>(found->second.get())) {
      apply(args->moving, parts.settings);
    }
  }
  parts.settings.steer = [&scheduler](std::vector<migration::PlacementIntent> wanted) {
    std::vector<scheduler::Intent> intents;
    for (auto& one : wanted) {
      intents.push_back({std::move(one.migration), std::move(one.ns), std::move(one.selector), std::move(one.pod),
                         std::move(one.target)});
    }
    scheduler.want(std::move(intents));
  };
  const auto last = std::make_shared<std::shared_ptr<const scheduler::LoadsSeen>>();
  scheduler::ClusterSink sink;
  sink.loads = [last](std::shared_ptr<const scheduler::LoadsSeen> loads) { *last = std::move(loads); };
  scheduler.listen(std::move(sink));
  parts.settings.measure = [last](const std::string& node) { return load_of(node, last->get()); };
  return std::make_unique<migration::MigrationController>(std::move(parts));
}

}  // namespace rescheduler::cli
