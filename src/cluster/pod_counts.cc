#include "cluster/pod_counts.h"

#include <algorithm>

#include <boost/container_hash/hash.hpp>

namespace rescheduler::cluster {
namespace {

// Each count costs memory, and a little time for every pod that it matches. The limit is far above what is read within
// a minute.
constexpr std::size_t kMostCounts = 4096;
// Pairs of namespace and labels. Jobs create new pairs all the time.
constexpr std::size_t kMostRemembered = std::size_t{1} << 16U;

Symbol namespace_of(std::uint64_t whose) { return static_cast<Symbol>(whose >> 32U); }
LabelSetId labels_of(std::uint64_t whose) { return static_cast<LabelSetId>(whose & 0xffffffffU); }

// Zero counts are erased: sums then visit only the nodes that have such pods.
void add_to(NodeCounts& counts, NodeIndex node, std::int64_t by) {
  const auto place = counts.try_emplace(node, 0).first;
  place->second += by;
  if (place->second == 0) counts.erase(place);
}

}  // namespace

std::size_t PodCounts::MatchHash::operator()(const PodMatch& match) const {
  std::size_t seed = match.without_terminating ? 1 : 0;
  for (const auto& [namespaces, selector] : match.all_of) {
    boost::hash_combine(seed, static_cast<std::uint32_t>(namespaces));
    boost::hash_combine(seed, static_cast<std::uint32_t>(selector));
  }
  return seed;
}

std::size_t PodCounts::TermHash::operator()(const TermKey& key) const {
  auto seed = static_cast<std::size_t>(key.second);
  boost::hash_combine(seed, static_cast<std::uint32_t>(key.first.namespaces));
  boost::hash_combine(seed, static_cast<std::uint32_t>(key.first.selector));
  boost::hash_combine(seed, static_cast<std::uint32_t>(key.first.topology_key));
  return seed;
}

// The cached results point to the counts of the other object, so they start empty.
PodCounts::PodCounts(const PodCounts& other, const Namespaces& namespaces, const Selectors& selectors)
    : namespaces_(namespaces), selectors_(selectors), clock_(other.clock_) {
  for (const auto& [match, count] : other.counts_) counts_.emplace(match, std::make_unique<Count>(*count));
  for (const auto& [key, term] : other.terms_) terms_.emplace(key, std::make_unique<ExistingPodTerm>(*term));
}

PodCounts::Who PodCounts::who(Symbol ns, LabelSetId labels) {
  return (static_cast<Who>(ns) << 32U) | static_cast<Who>(labels);
}

bool PodCounts::matches(const PodMatch& match, Symbol ns, LabelSetId labels) const {
  return std::ranges::all_of(match.all_of, [&](const PodMatch::Part& part) {
    return namespaces_.contains(part.namespaces, ns) && selectors_.matches(part.selector, labels);
  });
}

const NodeCounts* PodCounts::matching(const PodMatch& match) const {
  const auto known = counts_.find(match);
  if (known == counts_.end()) return nullptr;
  known->second->used = ++clock_;
  return &*known->second->by_node;
}

void PodCounts::prepare(const PodMatch& match, const PagedVector<AssignedPod>& pods) {
  if (matching(match) != nullptr) return;
  if (counts_.size() >= kMostCounts) drop_oldest();
  Count& count = *counts_.emplace(match, std::make_unique<Count>(match)).first->second;
  count.used = ++clock_;
  for (auto& [whose, list] : counts_by_who_) {
    if (matches(match, namespace_of(whose), labels_of(whose))) list.push_back(&count);
  }
  NodeCounts& counted = count.by_node.write();
  for (const AssignedPod& pod : pods) {
    if (pod.uid.empty() || pod.node == kNoNode || (match.without_terminating && pod.terminating)) continue;
    if (matches(match, pod.ns, pod.labels)) add_to(counted, pod.node, 1);
  }
}

void PodCounts::drop_oldest() {
  const auto oldest = std::ranges::min_element(counts_, {}, [](const auto& entry) { return entry.second->used; });
  for (auto& [whose, list] : counts_by_who_) std::erase(list, oldest->second.get());
  counts_.erase(oldest);
}

const std::vector<PodCounts::Count*>& PodCounts::counts_of(Symbol ns, LabelSetId labels) {
  if (counts_by_who_.size() >= kMostRemembered) counts_by_who_.clear();
  const auto [place, fresh] = counts_by_who_.try_emplace(who(ns, labels));
  if (fresh) {
    for (const auto& [match, count] : counts_) {
      if (matches(match, ns, labels)) place->second.push_back(count.get());
    }
  }
  return place->second;
}

bool PodCounts::term_matches(const ExistingPodTerm& carried, Symbol ns, LabelSetId labels) const {
  return namespaces_.contains(carried.term.namespaces, ns) && selectors_.matches(carried.term.selector, labels);
}

const std::vector<const ExistingPodTerm*>& PodCounts::terms_matching(Symbol ns, LabelSetId labels) const {
  if (terms_by_who_.size() >= kMostRemembered) terms_by_who_.clear();
  const auto [place, fresh] = terms_by_who_.try_emplace(who(ns, labels));
  if (fresh) {
    for (const auto& [key, carried] : terms_) {
      if (term_matches(*carried, ns, labels)) place->second.push_back(carried.get());
    }
  }
  return place->second;
}

void PodCounts::change(const AssignedPod& pod, int by) {
  change_matching(pod, by);
  const CompiledPodSpec& compiled_spec = *pod.compiled_spec;
  for (const AffinityTerm& term : compiled_spec.affinity) change_term(pod.node, term, TermKind::Required, by);
  for (const AffinityTerm& term : compiled_spec.anti_affinity) change_term(pod.node, term, TermKind::RequiredAnti, by);
  for (const auto& [term, weight] : compiled_spec.preferred_affinity) {
    change_term(pod.node, term, TermKind::Preferred, std::int64_t{by} * weight);
  }
  for (const auto& [term, weight] : compiled_spec.preferred_anti_affinity) {
    change_term(pod.node, term, TermKind::PreferredAnti, std::int64_t{by} * weight);
  }
}

void PodCounts::change_matching(const AssignedPod& pod, int by) {
  for (Count* count : counts_of(pod.ns, pod.labels)) {
    if (count->match.without_terminating && pod.terminating) continue;
    add_to(count->by_node.write(), pod.node, by);
  }
}

void PodCounts::change_term(NodeIndex node, const AffinityTerm& term, TermKind kind, std::int64_t by) {
  if (by == 0) return;
  const auto [place, fresh] = terms_.try_emplace(TermKey{term, kind});
  if (fresh) {
    place->second = std::make_unique<ExistingPodTerm>(ExistingPodTerm{term, kind, {}});
    for (auto& [whose, list] : terms_by_who_) {
      if (term_matches(*place->second, namespace_of(whose), labels_of(whose))) list.push_back(place->second.get());
    }
  }
  add_to(place->second->weights.write(), node, by);
  if (!place->second->weights->empty()) return;
  for (auto& [whose, list] : terms_by_who_) std::erase(list, place->second.get());
  terms_.erase(place);
}

void PodCounts::recount(const PagedVector<AssignedPod>& pods) {
  counts_by_who_.clear();
  terms_by_who_.clear();
  for (const auto& [match, count] : counts_) count->by_node = {};
  for (const AssignedPod& pod : pods) {
    if (!pod.uid.empty() && pod.node != kNoNode) change_matching(pod, +1);
  }
}

}  // namespace rescheduler::cluster
