// Preemption: a pod without a feasible node can replace pods of lower priority. For every node where this helps, finds
// the fewest and least important victims. Then chooses the node with the lowest cost.
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

  // Smaller is better. In this order: violated PodDisruptionBudgets, highest priority of the victims, sum of their
  // priorities, their number, and the start time of the most important victims (a later start is a smaller loss).
  using Rank = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  Rank rank(const cluster::Cluster& cluster) const;
};

struct PreemptionOptions {
  DefaultPreemptionArgs args{};
  std::uint64_t start = 0;  // the node to start from, so that different nodes are examined each time
};

struct PreemptionResult {
  std::vector<Candidate> candidates{};
  std::string refusal{};           // why there are no candidates: the text after "preemption: "; else empty
  bool clears_nomination = false;  // the nominated node no longer helps the pod
};

PreemptionResult find_preemption_candidates(const Cycle& cycle, const PreemptionOptions& search);

// The candidate with the lowest rank; the first one among equals.
const Candidate& cheapest(const std::vector<Candidate>& candidates, const cluster::Cluster& cluster);

// The text that PostFilter adds to the message of an unschedulable pod, by the plugins of the profile.
std::string post_filter_message(const Framework& framework, const std::string& refusal);

}  // namespace rescheduler::placement
