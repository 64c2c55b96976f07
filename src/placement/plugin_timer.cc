#include "placement/plugin_timer.h"

#include <set>

namespace rescheduler::placement {
namespace {

// Calls `ask`, reports its duration, and returns its result.
template <class Ask>
Code timed(PluginTimer& plugin_timer, const Plugin& plugin, Point point, const Ask& ask) {
  const auto before = plugin_timer.now();
  const Code code = ask();
  plugin_timer.plugin_took(plugin, point, code, plugin_timer.now() - before);
  return code;
}

}  // namespace

void time_plugins(const Framework& framework,
                  const PodContext& context,
                  std::span<const cluster::NodeIndex> nodes,
                  PluginTimer& plugin_timer) {
  CycleState state(framework.plugins().size());
  std::set<const Plugin*> skipped;
  const auto begun = plugin_timer.now();
  for (const Plugin* plugin : framework.at(Point::PreFilter)) {
    const Code code =
        timed(plugin_timer, *plugin, Point::PreFilter, [&] { return plugin->pre_filter(context, state).status.code; });
    if (code == Code::Skip) skipped.insert(plugin);
  }
  plugin_timer.point_took(Point::PreFilter, Code::Success, plugin_timer.now() - begun);
  for (const Plugin* plugin : framework.at(Point::Filter)) {
    if (skipped.contains(plugin)) continue;
    for (const cluster::NodeIndex node : nodes) {
      timed(plugin_timer, *plugin, Point::Filter,
            [&] { return plugin->filter(context, state, context.cluster.node(node), nullptr); });
    }
  }
  skipped.clear();
  const auto between = plugin_timer.now();
  for (const Plugin* plugin : framework.at(Point::PreScore)) {
    const Code code =
        timed(plugin_timer, *plugin, Point::PreScore, [&] { return plugin->pre_score(context, state, nodes).code; });
    if (code == Code::Skip) skipped.insert(plugin);
  }
  plugin_timer.point_took(Point::PreScore, Code::Success, plugin_timer.now() - between);
  for (const ScoringPlugin& scoring : framework.scoring()) {
    if (skipped.contains(scoring.plugin)) continue;
    scoring.plugin->before_scores(context, state);
    for (const cluster::NodeIndex node : nodes) {
      timed(plugin_timer, *scoring.plugin, Point::Score, [&] {
        (void)scoring.plugin->score(context, state, context.cluster.node(node));
        return Code::Success;
      });
    }
  }
}

}  // namespace rescheduler::placement
