// Making room: a pod that fits nowhere may take the place of pods that matter less. Finds, for every node where that
// helps, the fewest and least important pods that would have to go, and which node costs least.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "placement/cycle.h"

namespace rescheduler::placement {

struct Candidate {
  cluster::NodeIndex node = cluster::kNoNode;
  std::vector<cluster::PodIndex> victims{};  // the most important first
  std::int64_t budget_violations = 0;

  // Smaller is better: budgets violated, highest priority among the victims, sum of their priorities, how many, and
  // how long the most important of them have been running (the later the start, the smaller the loss).
  using Rank = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  Rank rank(const cluster::Cluster& cluster) const;
};

struct PreemptionOptions {
  DefaultPreemptionArgs args{};
  std::uint64_t start = 0;  // where to begin among the nodes, so that not always the same ones are looked at
};

struct PreemptionResult {
  std::vector<Candidate> candidates{};
  std::string refusal{};           // why none: as it stands behind "preemption: "; empty when there are candidates
  bool clears_nomination = false;  // the node the pod was promised is of no use to it any more
};

PreemptionResult find_preemption_candidates(const Cycle& cycle, const PreemptionOptions& search);

// The best; the first among equals.
const Candidate& cheapest(const std::vector<Candidate>& candidates, const cluster::Cluster& cluster);

// What PostFilter adds to the message of a pod that fits nowhere, by the plugins of the profile.
std::string post_filter_message(const Framework& framework, const std::string& refusal);

}  // namespace rescheduler::placement
