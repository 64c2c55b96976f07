#include "rescheduling/loop/plan_progress.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

namespace rescheduler::rescheduling {
namespace {

// A cap of 0 means no limit.
bool below(std::uint32_t used, std::uint32_t cap) { return cap == 0 || used < cap; }

template <class Key>
std::uint32_t count_of(const std::map<Key, std::uint32_t>& counts, const Key& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

CapsInUse::CapsInUse(config::MoveCaps caps, const std::vector<migration::MoveRequest>& under_way) : caps_(caps) {
  for (const migration::MoveRequest& request : under_way)
    take(request.ns, request.lineage, request.source, request.target);
}

void CapsInUse::take(const std::string& ns,
                     const migration::Lineage& lineage,
                     const std::string& from,
                     const std::string& to) {
  ++total_;
  ++leaving_[from];
  ++coming_[to];
  ++namespaces_[ns];
  ++lineages_[lineage];
}

bool CapsInUse::fits(const PlannedMove& move) const {
  return below(total_, caps_.total) && below(count_of(leaving_, move.source), caps_.per_node)
         && below(count_of(coming_, move.target), caps_.per_node)
         && below(count_of(namespaces_, move.ns), caps_.per_namespace)
         && below(count_of(lineages_, move.lineage), caps_.per_workload);
}

void PlanProgress::adopt(std::shared_ptr<const Plan> plan) {
  plan_ = std::move(plan);
  states_.assign(plan_ ? plan_->moves.size() : 0, State::Waiting);
}

std::vector<PlannedMove> PlanProgress::due(const std::vector<migration::MoveRequest>& under_way,
                                           const config::MoveCaps& at_once) const {
  std::vector<PlannedMove> due;
  if (!plan_) return due;
  std::optional<std::uint32_t> step;  // the first step that has not ended
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (states_[i] != State::Over) step = std::min(step.value_or(plan_->moves[i].step), plan_->moves[i].step);
  }
  CapsInUse caps(at_once, under_way);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const PlannedMove& move = plan_->moves[i];
    if (states_[i] != State::Waiting || move.step != step || !caps.fits(move)) continue;
    caps.take(move);
    due.push_back(move);
  }
  return due;
}

// A pod with a detour is in the plan twice. Changes its first move that is not over.
void PlanProgress::set(const std::string& uid, State state) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    if (plan_->moves[i].uid != uid || states_[i] == State::Over || states_[i] == state) continue;
    states_[i] = state;
    return;
  }
}

bool PlanProgress::over() const {
  return std::ranges::all_of(states_, [](State state) { return state == State::Over; });
}

bool PlanProgress::waiting() const {
  return std::ranges::any_of(states_, [](State state) { return state == State::Waiting; });
}

migration::MoveRequest move_request_for(const PlannedMove& move,
                                        const std::string& plan,
                                        std::chrono::nanoseconds deadline) {
  migration::MoveRequest request;
  request.ns = move.ns;
  request.pod = move.pod;
  request.uid = move.uid;
  request.lineage = move.lineage;
  request.source = move.source;
  request.target = move.target;
  request.strategy = std::string(to_string(move.strategy));
  request.reason = move.reason;
  request.plan = plan;
  request.deadline = std::chrono::duration_cast<std::chrono::seconds>(deadline);
  request.predicted = fmt::format(R"({{"gain":{:.3f}}})", move.gain);
  return request;
}

}  // namespace rescheduler::rescheduling
