#include "placement/timekeeper.h"

#include <set>

namespace rescheduler::placement {
namespace {

// Calls `ask`, tells how long it took, and passes its answer on.
template <class Ask>
Code timed(Timekeeper& timekeeper, const Plugin& plugin, Point point, const Ask& ask) {
  const auto before = timekeeper.now();
  const Code code = ask();
  timekeeper.plugin_took(plugin, point, code, timekeeper.now() - before);
  return code;
}

}  // namespace

void time_plugins(const Framework& framework,
                  const Question& asked,
                  std::span<const cluster::NodeIndex> nodes,
                  Timekeeper& timekeeper) {
  CycleState state(framework.plugins().size());
  std::set<const Plugin*> skipped;
  const auto begun = timekeeper.now();
  for (const Plugin* plugin : framework.at(Point::PreFilter)) {
    const Code code =
        timed(timekeeper, *plugin, Point::PreFilter, [&] { return plugin->pre_filter(asked, state).status.code; });
    if (code == Code::Skip) skipped.insert(plugin);
  }
  timekeeper.point_took(Point::PreFilter, Code::Success, timekeeper.now() - begun);
  for (const Plugin* plugin : framework.at(Point::Filter)) {
    if (skipped.contains(plugin)) continue;
    for (const cluster::NodeIndex node : nodes) {
      timed(timekeeper, *plugin, Point::Filter,
            [&] { return plugin->filter(asked, state, asked.cluster.node(node), nullptr); });
    }
  }
  skipped.clear();
  const auto between = timekeeper.now();
  for (const Plugin* plugin : framework.at(Point::PreScore)) {
    const Code code =
        timed(timekeeper, *plugin, Point::PreScore, [&] { return plugin->pre_score(asked, state, nodes).code; });
    if (code == Code::Skip) skipped.insert(plugin);
  }
  timekeeper.point_took(Point::PreScore, Code::Success, timekeeper.now() - between);
  for (const ScoringPlugin& scoring : framework.scoring()) {
    if (skipped.contains(scoring.plugin)) continue;
    scoring.plugin->before_scores(asked, state);
    for (const cluster::NodeIndex node : nodes) {
      timed(timekeeper, *scoring.plugin, Point::Score, [&] {
        (void)scoring.plugin->score(asked, state, asked.cluster.node(node));
        return Code::Success;
      });
    }
  }
}

}  // namespace rescheduler::placement
