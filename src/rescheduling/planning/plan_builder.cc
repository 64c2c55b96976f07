#include "rescheduling/planning/plan_builder.h"

#include <algorithm>
#include <cmath>

#include <boost/container_hash/hash.hpp>
#include <fmt/format.h>

#include "placement/node_match.h"
#include "placement/predicted_load.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::NodeIndex;
using cluster::PodIndex;
using config::Strategy;

constexpr std::uint32_t kUnlimited = ~std::uint32_t{0};
// The filters first check this many of the least full nodes. The remaining nodes are sorted only if these nodes all
// refuse.
constexpr std::size_t kMostAsked = 64;
// Loads are sums of fractions. A smaller excess is a rounding error.
constexpr double kRounding = 1e-9;

std::uint32_t left(std::uint32_t cap, std::uint32_t used) {
  if (cap == 0) return kUnlimited;
  return used >= cap ? 0 : cap - used;
}

template <class Key>
std::uint32_t count_in(const std::map<Key, std::uint32_t>& counts, Key key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

PlanBuilder::PlanBuilder(const Snapshot& snapshot, const PlanRequest& request, Plan& plan)
    : snapshot_(snapshot),
      request_(request),
      plan_(plan),
      inventory_(snapshot_),
      movable_(snapshot_, inventory_, request),
      rules_(snapshot_, request),
      what_if_(snapshot_, inventory_, *request.framework) {
  no_duplicates_ = std::ranges::find(request.strategies, Strategy::ConstraintRepair) != request.strategies.end()
                   && settings().constraint_repair.duplicates;
}

// --- Targets ---

bool PlanBuilder::stays_cool(PodIndex pod, NodeIndex index) const {
  const cluster::NodeInfo& node = cluster().node(index);
  if (!measured()) return true;
  const cluster::Amounts& carried = inventory_.usage_of(pod);
  return std::ranges::all_of(rules_.judged(), [&](std::size_t resource) {
    if (!node.load.knows(resource)) return true;
    const double coming = carried[resource] / std::max(whole_of(*node.node, resource), 1.0);
    return node.load.predicted(resource) + coming <= rules_.band(index, resource).trigger + kRounding;
  });
}

bool PlanBuilder::has_room(PodIndex pod, NodeIndex index) const {
  if (!rules_.takes(index)) return false;
  const cluster::NodeInfo& node = cluster().node(index);
  const cluster::ResourceList& asked = cluster().pod(pod).compiled_spec->requirements->requests.plain;
  const cluster::ResourceList& has = node.node->allocatable;
  if (asked.cpu > 0 && node.requested.cpu + asked.cpu > has.cpu) return false;
  if (asked.memory > 0 && node.requested.memory + asked.memory > has.memory) return false;
  if (static_cast<std::int64_t>(node.pod_count()) + 1 > node.node->allowed_pods) return false;
  return stays_cool(pod, index) && movable_.may_go(pod, name_of(what_if_.first_on(pod)), node.node->name);
}

bool PlanBuilder::allows(PodIndex unassigned, NodeIndex index) {
  // A search can return the pod to its home node, unless a reason to move the pod is recorded in this round.
  if (index == what_if_.home_of(unassigned))
    return !moved_this_round_.contains(unassigned) && what_if_.admits_back(unassigned, index);
  if (!has_room(unassigned, index)) return false;
  if (no_duplicates_ && alike_on(unassigned, index) >= most_alike(unassigned)) return false;
  return what_if_.admits(unassigned, index)
         && !(has_hard_spread(unassigned) && what_if_.violates_spread(unassigned, index));
}

double PlanBuilder::fullness_with(PodIndex pod, NodeIndex index) const {
  const cluster::NodeInfo& node = cluster().node(index);
  const auto& load_summary = cluster().load_summary();
  const cluster::Amounts& carried = inventory_.usage_of(pod);
  double fullest = 0;
  for (const std::size_t resource : rules_.judged()) {
    const double limit = std::max(rules_.band(index, resource).trigger, 0.01);
    const double coming = carried[resource] / std::max(whole_of(*node.node, resource), 1.0);
    fullest = std::max(fullest, (placement::predicted_load(node, resource, load_summary) + coming) / limit);
  }
  // Requests count too: they must fit, and among equally loaded nodes the one with fewer requests is better.
  const cluster::ResourceList& asked = cluster().pod(pod).compiled_spec->requirements->requests.plain;
  const auto share = [](std::int64_t amount, std::int64_t of) {
    return of > 0 ? static_cast<double>(amount) / static_cast<double>(of) : 1.0;
  };
  const double requested = std::max(share(node.requested.cpu + asked.cpu, node.node->allocatable.cpu),
                                    share(node.requested.memory + asked.memory, node.node->allocatable.memory));
  return fullest + requested / 100;
}

NodeIndex PlanBuilder::best_target(PodIndex unassigned, const NodeTest& also) {
  std::vector<std::pair<double, NodeIndex>> found;
  const NodeIndex home = what_if_.home_of(unassigned);
  for (const NodeIndex index : cluster().existing_nodes()) {
    if (index == home || !has_room(unassigned, index) || (also && !also(index))) continue;
    found.emplace_back(fullness_with(unassigned, index), index);
  }
  const std::size_t asked = std::min(found.size(), kMostAsked);
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(asked));
  for (std::size_t i = 0; i < found.size(); ++i) {
    // None of the best nodes accepts the pod: sort and try the others.
    if (i == asked) std::sort(found.begin() + static_cast<std::ptrdiff_t>(asked), found.end());
    if (allows(unassigned, found[i].second)) return found[i].second;
  }
  return cluster::kNoNode;
}

std::string PlanBuilder::why_no_target(PodIndex unassigned) {
  std::map<std::string, std::uint32_t> reasons;
  const NodeIndex home = what_if_.home_of(unassigned);
  for (const NodeIndex index : cluster().existing_nodes()) {
    if (index == home) continue;
    if (!rules_.takes(index)) {
      ++reasons["not available for new pods"];
    } else if (!movable_.may_go(unassigned, name_of(home), name_of(index))) {
      ++reasons["recently left by its workload"];
    } else if (std::string refusal = what_if_.refusal(unassigned, index); !refusal.empty()) {
      ++reasons[std::move(refusal)];
    } else if (!stays_cool(unassigned, index)) {
      ++reasons["above the load threshold with this pod"];
    } else {
      ++reasons["no better than its current node"];
    }
  }
  std::vector<std::pair<std::uint32_t, std::string>> sorted;
  for (const auto& [reason, count] : reasons) sorted.emplace_back(count, reason);
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::string list;
  for (const auto& [count, reason] : sorted) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", count, reason);
  return sorted.empty() ? "there is no other node" : fmt::format("no other node is feasible: {}", list);
}

// --- Similar pods: the same owner and the same images ---

std::uint32_t PlanBuilder::alike_on(PodIndex pod, NodeIndex index) const {
  const PodFacts& mine = snapshot_.facts(pod);
  if (!mine.owner) return 0;
  std::uint32_t alike = 0;
  for (const PodIndex other : cluster().node(index).pods) {
    const PodFacts& facts = snapshot_.facts(other);
    if (other != pod && facts.owner == mine.owner && facts.images == mine.images) ++alike;
  }
  return alike;
}

void PlanBuilder::count_alike() {
  for (PodIndex pod{0}; pod < cluster().pods().size(); ++pod) {
    if (cluster().pod(pod).uid.empty()) continue;
    const PodFacts& facts = snapshot_.facts(pod);
    if (facts.owner) ++alike_[{facts.owner.get(), facts.images}];
  }
}

// The replicas divided by the feasible nodes, rounded up.
std::uint32_t PlanBuilder::most_alike(PodIndex pod) {
  const PodFacts& mine = snapshot_.facts(pod);
  if (!mine.owner) return kUnlimited;
  const cluster::NodeRequirements& requirements = *cluster().pod(pod).compiled_spec->requirements;
  std::size_t key = requirements.id;
  boost::hash_combine(key, mine.owner.get());
  boost::hash_combine(key, mine.images);
  const auto [place, fresh] = most_alike_.try_emplace(key, kUnlimited);
  if (!fresh) return place->second;
  std::uint32_t feasible = 0;
  for (const NodeIndex index : cluster().existing_nodes()) {
    const cluster::Node& node = *cluster().node(index).node;
    const bool fits = rules_.takes(index) && !cluster::forbidden(requirements.tolerations, node.taints)
                      && placement::matches_node_affinity(requirements, node, cluster().interner().symbols);
    feasible += fits ? 1U : 0U;
  }
  if (alike_.empty()) count_alike();
  const std::uint32_t all = alike_[{mine.owner.get(), mine.images}];
  if (feasible >= 2) place->second = (all + feasible - 1) / feasible;
  return place->second;
}

bool PlanBuilder::has_hard_spread(PodIndex pod) const {
  return std::ranges::any_of(cluster().pod(pod).compiled_spec->spread, &cluster::SpreadConstraint::hard);
}

// --- Moves ---

bool PlanBuilder::moved(PodIndex pod, Intent intent) {
  intents_.try_emplace(pod, std::move(intent));
  return moved_this_round_.insert(pod).second;
}

void PlanBuilder::forget_move(PodIndex pod) {
  moved_this_round_.erase(pod);
  if (!is_moved(pod)) intents_.erase(pod);
}

void PlanBuilder::note_about(const std::string& thing, std::string sentence) {
  const auto [place, fresh] = noted_.try_emplace(thing, plan_.notes.size());
  if (fresh) {
    plan_.notes.push_back(std::move(sentence));
  } else {
    plan_.notes[place->second] = std::move(sentence);
  }
}

// --- Rounds ---

void PlanBuilder::begin_round() {
  what_if_.take_as_start();
  moved_this_round_.clear();
  std::erase_if(intents_, [&](const auto& one) { return !is_moved(one.first); });
}

std::vector<std::pair<PodIndex, NodeIndex>> PlanBuilder::places() const {
  std::vector<std::pair<PodIndex, NodeIndex>> places;
  for (const PodIndex pod : what_if_.moved()) places.emplace_back(pod, what_if_.now_on(pod));
  return places;
}

PlanBuilder::Saved PlanBuilder::save() const {
  return {places(), intents_, plan_.notes, noted_, plan_.refused, refused_};
}

void PlanBuilder::go_back(const Saved& saved) {
  const std::map<PodIndex, NodeIndex> then(saved.places.begin(), saved.places.end());
  std::vector<std::pair<PodIndex, NodeIndex>> back;
  for (const auto& [pod, now] : places()) {
    if (const auto found = then.find(pod); found == then.end()) back.emplace_back(pod, what_if_.first_on(pod));
  }
  for (const auto& [pod, place] : then) {
    if (what_if_.now_on(pod) != place) back.emplace_back(pod, place);
  }
  for (const auto& [pod, place] : back) what_if_.unassign(pod);
  for (const auto& [pod, place] : back) what_if_.assign(pod, place);
  intents_ = saved.intents;
  moved_this_round_.clear();
  plan_.notes = saved.notes;
  noted_ = saved.noted;
  plan_.refused = saved.refused;
  refused_ = saved.refused_at;
}

void PlanBuilder::refuse(PodIndex pod, const MoveBlocker& blocker) {
  const cluster::AssignedPod& placed = cluster().pod(pod);
  const auto [place, fresh] = refused_.try_emplace(placed.uid, plan_.refused.size());
  const NodeIndex on = what_if_.first_on(pod);
  UnmovedPod refusal{snapshot_.namespace_of(pod), placed.name,    on == cluster::kNoNode ? std::string{} : name_of(on),
                     std::string(blocker.code),   blocker.reason, blocker.left};
  if (fresh) {
    plan_.refused.push_back(std::move(refusal));
  } else {
    plan_.refused[place->second] = std::move(refusal);  // the last refusal holds
  }
}

// --- Caps ---

PlanBuilder::Used PlanBuilder::used() const {
  Used used;
  for (const auto& [pod, intent] : intents_) {
    if (!is_moved(pod)) continue;
    ++used.total;
    ++used.nodes[what_if_.first_on(pod)];
    ++used.namespaces[cluster().pod(pod).ns];
    ++used.lineages[inventory_.lineage_of(pod)];
  }
  return used;
}

std::uint32_t PlanBuilder::left_in_total() const { return left(request_.caps.total, used().total); }
std::uint32_t PlanBuilder::left_of_node(NodeIndex node) const {
  return request_.caps.per_node == 0 ? kUnlimited : left(request_.caps.per_node, count_in(used().nodes, node));
}
std::uint32_t PlanBuilder::left_of_namespace(cluster::Symbol ns) const {
  return request_.caps.per_namespace == 0 ? kUnlimited
                                          : left(request_.caps.per_namespace, count_in(used().namespaces, ns));
}
std::uint32_t PlanBuilder::left_of_lineage(LineageIndex lineage) const {
  return request_.caps.per_workload == 0 ? kUnlimited
                                         : left(request_.caps.per_workload, count_in(used().lineages, lineage));
}

bool PlanBuilder::within_caps(PodIndex pod) const {
  const auto& caps = request_.caps;
  if (caps.total == 0 && caps.per_node == 0 && caps.per_namespace == 0 && caps.per_workload == 0) return true;
  const Used now = used();
  return left(caps.total, now.total) > 0 && left(caps.per_node, count_in(now.nodes, what_if_.first_on(pod))) > 0
         && left(caps.per_namespace, count_in(now.namespaces, cluster().pod(pod).ns)) > 0
         && left(caps.per_workload, count_in(now.lineages, inventory_.lineage_of(pod))) > 0;
}

}  // namespace rescheduler::rescheduling
