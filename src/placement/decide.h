// The scheduling decision for a pod: its node, or why there is none, with all verdicts and scores.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placement/cycle.h"
#include "placement/plugin_timer.h"
#include "placement/preemption.h"

namespace rescheduler::placement {

enum class Outcome : std::uint8_t {
  Gated,          // PreEnqueue rejects the pod: no attempt yet
  Scheduled,      // a node was found
  Preempts,       // a node was found where pods must be preempted first
  Unschedulable,  // no node was found
  Failed,         // the attempt ended with an error
};

struct Decision {
  Outcome outcome = Outcome::Failed;
  cluster::NodeIndex node = cluster::kNoNode;  // the chosen node, also for Preempts
  std::vector<cluster::NodeIndex> feasible{};
  std::size_t evaluated = 0;  // nodes that the search examined; 0 if the nominated node was chosen without a search
  Choice choice{};
  Diagnosis diagnosis{};
  std::vector<Candidate> candidates{};       // for preemption
  std::vector<cluster::PodIndex> victims{};  // on `node`
  bool clears_nomination = false;
  std::string message{};  // why the pod has no node now
};

// Extenders: called in addition to the plugins. They can be slow, and the decision waits for them.
class Extenders {
 public:
  virtual ~Extenders() = default;
  // Rejects nodes (Cycle::refuse) that the plugins accept. Not ok: the attempt fails.
  virtual Status filter(Cycle& cycle) = 0;
  // The scores that they add to the total of each feasible node; empty: none.
  virtual std::vector<std::int64_t> scores(const Cycle& cycle) = 0;
  // They may remove candidates or victims. Not ok: no preemption.
  virtual Status review(const Cycle& cycle, std::vector<Candidate>& candidates) = 0;
};

struct DecideOptions {
  Extenders* extenders = nullptr;
  PluginTimer* plugin_timer = nullptr;
  std::uint64_t tie_break = 0;
  std::size_t most_feasible = ~std::size_t{0};
  std::size_t start = 0;
  std::span<const cluster::NodeIndex> order{};  // of the search; empty: the order of the model
  bool explain = false;
  std::string_view first{};  // a node to try before all others, like a nominated node; empty: none
  std::string_view avoid{};  // a node to choose only if no other node is feasible; empty: none
};

// PreEnqueue: nothing if the pod may be scheduled.
std::optional<Status> run_pre_enqueue(const Framework& framework, const PodContext& context);

Decision decide(const Framework& framework,
                const PodContext& context,
                const NominatedPods& nominated,
                const DecideOptions& options);

// PostFilter: runs if no node is feasible.
void preempt(Cycle& cycle, const DecideOptions& options, Decision& decision);

}  // namespace rescheduler::placement
