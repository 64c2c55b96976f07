#include "chaos/move_ledger.h"

#include <algorithm>

#include <fmt/format.h>

#include "migration/record.h"

namespace rescheduler::test {

using migration::has_ended;

bool MoveLedger::budgets_refuse(const std::string& app, const WorkloadFacts& workload) const {
  const auto budgets = index_.budgets(app);
  if (budgets.size() > 1) return true;
  return std::ranges::any_of(budgets, [&](const auto& one) { return one.second > workload.desired - 1; });
}

int MoveLedger::count_on(const std::string& app, const std::string& node) const {
  return static_cast<int>(std::ranges::count_if(
      index_.pods(), [&](const auto& one) { return one.second.app == app && one.second.node == node; }));
}

bool MoveLedger::target_takes(const std::string& target, const ResourceAmounts& requests) const {
  const NodeFacts* node = index_.node(target);
  if (node == nullptr || node->cordoned || node->unready || disturbances_.failed(target)) return false;
  ResourceAmounts coming = requests;
  for (const auto& [uid, move] : moves_) {
    if (move.open && move.target == target) add(coming, move.requests);
  }
  return index_.fits(target, coming);
}

Expected MoveLedger::expectation(const std::string& pod_uid, const std::string& target, const std::string& mode) const {
  const PodFacts* pod = index_.pod(pod_uid);
  const WorkloadFacts* workload = pod == nullptr ? nullptr : index_.workload(pod->app);
  if (workload == nullptr || !pod->available() || pod->node == target) return Expected::Anything;
  if (disturbances_.disturbed(pod->app) || disturbances_.failed(pod->node)) return Expected::Anything;
  // Moves of one workload run one after another, so the deadline of the later one may pass before it starts.
  const bool alone =
      std::ranges::none_of(moves_, [&](const auto& one) { return one.second.open && one.second.app == pod->app; });
  if (!alone || !target_takes(target, pod->requests)) return Expected::Anything;
  if (forbidden(pod->app)) return Expected::Refused;
  const bool surges = workload->kind == "Deployment" && (workload->desired == 1 || mode == "MakeBeforeBreak");
  // Make-before-break is not safe for this workload.
  if (mode == "MakeBeforeBreak" && !surges) return Expected::Refused;
  if (surges) return Expected::Success;
  const bool direct = workload->kind == "Pod";
  return !direct && budgets_refuse(pod->app, *workload) ? Expected::Refused : Expected::Success;
}

Move MoveLedger::begun(const api::Migration& migration) const {
  Move move;
  move.name = migration.metadata().name();
  move.pod = migration.spec().pod();
  move.pod_uid = migration.spec().pod_uid();
  move.target = migration.spec().target();
  move.begun = clock_.wall_now();
  if (const PodFacts* pod = index_.pod(move.pod_uid)) {
    move.app = pod->app;
    move.requests = pod->requests;
    move.on_target = count_on(move.app, move.target);
    move.expected = expectation(move.pod_uid, move.target, migration.spec().mode());
  }
  return move;
}

const Move* MoveLedger::apply(const api::Migration& migration, bool gone) {
  const std::string& uid = migration.metadata().uid();
  auto found = moves_.find(uid);
  if (found == moves_.end()) found = moves_.emplace(uid, begun(migration)).first;
  Move& move = found->second;
  if (!move.open) return nullptr;
  if (migration.spec().cancel() || gone) move.expected = Expected::Anything;
  move.mode = migration.status().mode();
  move.phase = migration.status().phase();
  move.replacement = migration.status().replacement();
  move.message = migration.status().message();
  const bool over = has_ended(migration);
  if (!over && !gone) return nullptr;
  move.open = false;
  move.closed = clock_.wall_now();
  return over ? &move : nullptr;
}

void MoveLedger::app_disturbed(const std::string& app) {
  for (auto& [uid, move] : moves_) {
    if (move.open && move.app == app) move.expected = Expected::Anything;
  }
}

void MoveLedger::node_closed(const std::string& node) {
  for (auto& [uid, move] : moves_) {
    if (move.open && move.target == node) move.expected = Expected::Anything;
  }
}

// The pod of another workload may have taken the room on the target.
void MoveLedger::pod_bound(const PodFacts& pod) {
  for (auto& [uid, move] : moves_) {
    if (!move.open || move.target != pod.node || move.app == pod.app) continue;
    if (count_on(move.app, move.target) > move.on_target) continue;  // the replacement was bound first
    if (!index_.fits(move.target, move.requests)) move.expected = Expected::Anything;
  }
}

bool MoveLedger::moved_on(const Move& move) const {
  return std::ranges::any_of(moves_, [&](const auto& one) {
    const Move& other = one.second;
    return other.begun > move.begun && other.app == move.app && other.pod == move.replacement;
  });
}

Results MoveLedger::results(Expected expected) const {
  Results results;
  for (const auto& [uid, move] : moves_) {
    if (!move.open && move.expected == expected) ++results[move.phase];
  }
  return results;
}

std::vector<std::string> MoveLedger::surprises() const {
  std::vector<std::string> lines;
  for (const auto& [uid, move] : moves_) {
    const std::string wanted = move.expected == Expected::Success ? "Succeeded" : "Refused";
    if (move.open || move.expected == Expected::Anything || move.phase == wanted) continue;
    lines.push_back(fmt::format("{} {} to {} ended {}, not {}: {}", move.name, move.mode, move.target, move.phase,
                                wanted, move.message));
  }
  return lines;
}

}  // namespace rescheduler::test
