// The second half of a scheduling cycle: scores the feasible nodes and chooses one.
#include <algorithm>

#include <fmt/format.h>

#include "placement/cycle.h"

namespace rescheduler::placement {

void Cycle::raw_scores(std::size_t scoring, const CachedNodeResults* cache, std::span<std::int64_t> scores) const {
  const Plugin& plugin = *framework_.scoring()[scoring].plugin;
  if (cache != nullptr && plugin.depends_on_node_only() && !cache->scores[scoring].empty()) {
    const auto& remembered = cache->scores[scoring];
    for (std::size_t i = 0; i < feasible_.size(); ++i) scores[i] = remembered[feasible_[i]];
    return;
  }
  plugin.score_each(context_, state_, feasible_, scores);
}

std::vector<std::int64_t> Cycle::cached_sums(const CachedNodeResults& cache) const {
  std::vector<std::int64_t> sums;
  sums.reserve(feasible_.size());
  for (const cluster::NodeIndex node : feasible_) sums.push_back(cache.sums[node]);
  return sums;
}

Result<void> Cycle::run_pre_score() {
  for (const Plugin* plugin : framework_.at(Point::PreScore)) {
    const Status status = plugin->pre_score(context_, state_, feasible_);
    if (status.code == Code::Skip) {
      quiet_.insert(plugin);
    } else if (!status.ok()) {
      return fail(Errc::Internal, "running PreScore plugin \"{}\": {}", plugin->name(), status.message());
    }
  }
  return {};
}

Result<void> Cycle::add_scores(std::size_t index,
                               const CachedNodeResults* cache,
                               std::span<std::int64_t> scores,
                               bool explain,
                               Choice& choice) {
  const auto& [plugin, weight] = framework_.scoring()[index];
  plugin->before_scores(context_, state_);
  const auto same = plugin->same_for_all(context_, state_);
  if (same && !explain) {
    // A score that is equal for all nodes does not change the choice, but the totals stay complete.
    std::int64_t one = *same;
    plugin->normalize(context_, state_, {}, std::span(&one, 1));
    for (std::int64_t& total : choice.totals) total += one * weight;
    return {};
  }
  raw_scores(index, cache, scores);
  if (explain) choice.by_plugin.push_back({std::string(plugin->name()), weight, {scores.begin(), scores.end()}, {}});
  plugin->normalize(context_, state_, feasible_, scores);
  for (std::size_t n = 0; n < scores.size(); ++n) {
    if (scores[n] < 0 || scores[n] > kMaxScore) {
      return fail(Errc::Internal,
                  "plugin \"{}\" returns an invalid score {}, it should in the range of [0, {}] after normalizing",
                  plugin->name(), scores[n], kMaxScore);
    }
    choice.totals[n] += scores[n] * weight;
  }
  if (explain) choice.by_plugin.back().normalized.assign(scores.begin(), scores.end());
  return {};
}

Result<Choice> Cycle::choose(const ChooseOptions& options, std::span<const std::int64_t> extra) {
  Choice choice;
  if (feasible_.size() == 1 && !options.explain) {
    choice.node = feasible_.front();
    choice.best = feasible_;
    return choice;
  }
  if (auto ran = run_pre_score(); !ran) return fail(std::move(ran.error()));
  const auto& scoring = framework_.scoring();
  const std::size_t places = context_.cluster.nodes().size();
  const CachedNodeResults* cache =
      only_ || !searched_ ? nullptr : &framework_.cache().of(context_.requirements().id, places, scoring.size());
  const bool summed = cache != nullptr && cache->sums_hold && !options.explain;
  choice.totals = summed ? cached_sums(*cache) : std::vector<std::int64_t>(feasible_.size(), 0);
  std::vector<std::int64_t> scores(feasible_.size());  // reused for each plugin
  for (std::size_t i = 0; i < scoring.size(); ++i) {
    if (quiet_.contains(scoring[i].plugin) || (summed && standing_[i])) continue;
    if (auto added = add_scores(i, cache, scores, options.explain, choice); !added)
      return fail(std::move(added.error()));
  }
  for (std::size_t n = 0; n < extra.size(); ++n) choice.totals[n] += extra[n];

  const std::int64_t most = *std::ranges::max_element(choice.totals);
  for (std::size_t n = 0; n < feasible_.size(); ++n) {
    if (choice.totals[n] == most) choice.best.push_back(feasible_[n]);
  }
  choice.node = choice.best[options.tie_break % choice.best.size()];
  return choice;
}

}  // namespace rescheduler::placement
