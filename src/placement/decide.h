// schedule(cluster, pod) -> decision: where a pod goes, or why it goes nowhere, with everything that was said on the
// way.
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
  Gated,          // not even looked at yet
  Scheduled,      // there is a node for it
  Preempts,       // there will be one when some pods are gone
  Unschedulable,  // there is none
  Failed,         // could not be found out
};

struct Decision {
  Outcome outcome = Outcome::Failed;
  cluster::NodeIndex node = cluster::kNoNode;  // where it goes, or will go
  std::vector<cluster::NodeIndex> feasible{};
  std::size_t evaluated = 0;  // nodes that the search looked at; 0 where the nominated node was taken without one
  Choice choice{};
  Diagnosis diagnosis{};
  std::vector<Candidate> candidates{};       // for making room
  std::vector<cluster::PodIndex> victims{};  // on `node`
  bool clears_nomination = false;
  std::string message{};  // why it goes nowhere now
};

// Others who are asked beside the plugins: extenders. They may take long; a decision waits for them.
class Extenders {
 public:
  virtual ~Extenders() = default;
  // Refuses nodes (Cycle::refuse) that the plugins let pass. Not ok: the attempt fails.
  virtual Status filter(Cycle& cycle) = 0;
  // What they add to each feasible node's total; empty: nothing.
  virtual std::vector<std::int64_t> scores(const Cycle& cycle) = 0;
  // They may strike candidates off, or spare victims. Not ok: no room is made.
  virtual Status review(const Cycle& cycle, std::vector<Candidate>& candidates) = 0;
};

struct DecideOptions {
  Extenders* extenders = nullptr;
  PluginTimer* plugin_timer = nullptr;
  std::uint64_t tie_break = 0;
  std::size_t most_feasible = ~std::size_t{0};
  std::size_t start = 0;
  std::span<const cluster::NodeIndex> order{};  // of a search that starts somewhere; empty: the model's
  bool explain = false;
  std::string_view first{};  // a node that is tried before all others, as a nominated one; empty: none
};

// PreEnqueue: nothing when the pod may be looked at.
std::optional<Status> run_pre_enqueue(const Framework& framework, const PodContext& context);

Decision decide(const Framework& framework,
                const PodContext& context,
                const NominatedPods& nominated,
                const DecideOptions& options);

// The half of it that comes after no node was found: PostFilter.
void preempt(Cycle& cycle, const DecideOptions& options, Decision& decision);

}  // namespace rescheduler::placement
