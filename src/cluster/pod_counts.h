// How many pods of a kind are on each node, kept up to date as pods are added and removed. There are two queries:
//   matching:       how many pods have these labels, in these namespaces (spreading, the incoming pod's own affinity);
//   terms_matching: which affinity terms of existing pods select the incoming pod.
// A count is kept only for a prepared match. Its memory grows with the number of nodes that have such pods.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/copy_on_write.h"
#include "cluster/assigned_pod.h"
#include "cluster/namespaces.h"

namespace rescheduler::cluster {

using NodeCounts = boost::unordered_flat_map<NodeIndex, std::int64_t>;

// The pods that match all parts.
struct PodMatch {
  struct Part {
    NamespaceSetId namespaces{};
    SelectorId selector{};
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> all_of{};
  bool without_terminating = false;
  friend bool operator==(const PodMatch&, const PodMatch&) = default;
};

enum class TermKind : std::uint8_t { Required, RequiredAnti, Preferred, PreferredAnti };

// One affinity term of existing pods.
struct ExistingPodTerm {
  AffinityTerm term{};
  TermKind kind{};
  Cow<NodeCounts> weights{};  // by node: number of pods for required kinds, sum of their weights for preferred kinds
};

class PodCounts {
 public:
  PodCounts(const Namespaces& namespaces, const Selectors& selectors)
      : namespaces_(namespaces), selectors_(selectors) {}
  PodCounts(const PodCounts& other, const Namespaces& namespaces, const Selectors& selectors);

  // Null: not prepared.
  const NodeCounts* matching(const PodMatch& match) const;
  void prepare(const PodMatch& match, const PagedVector<AssignedPod>& pods);
  bool matches(const PodMatch& match, Symbol ns, LabelSetId labels) const;

  // The terms of assigned pods that select a pod with these labels.
  const std::vector<const ExistingPodTerm*>& terms_matching(Symbol ns, LabelSetId labels) const;

  void add(const AssignedPod& pod) { change(pod, +1); }
  void remove(const AssignedPod& pod) { change(pod, -1); }
  // The labels of namespaces have changed: counts everything again.
  void recount(const PagedVector<AssignedPod>& pods);

 private:
  using Who = std::uint64_t;  // namespace and labels
  using TermKey = std::pair<AffinityTerm, TermKind>;
  struct MatchHash {
    std::size_t operator()(const PodMatch& match) const;
  };
  struct TermHash {
    std::size_t operator()(const TermKey& key) const;
  };
  struct Count {
    PodMatch match;
    Cow<NodeCounts> by_node{};
    mutable std::uint64_t used = 0;  // when the count was last read: the oldest one is dropped first
  };

  void change(const AssignedPod& pod, int by);
  void change_matching(const AssignedPod& pod, int by);
  void change_term(NodeIndex node, const AffinityTerm& term, TermKind kind, std::int64_t by);
  bool term_matches(const ExistingPodTerm& carried, Symbol ns, LabelSetId labels) const;
  const std::vector<Count*>& counts_of(Symbol ns, LabelSetId labels);
  void drop_oldest();
  static Who who(Symbol ns, LabelSetId labels);

  const Namespaces& namespaces_;
  const Selectors& selectors_;
  boost::unordered_flat_map<PodMatch, std::unique_ptr<Count>, MatchHash> counts_;
  boost::unordered_flat_map<TermKey, std::unique_ptr<ExistingPodTerm>, TermHash> terms_;
  // Cached results: the counts that include a pod, and the terms that select it. Cleared when there are too many.
  boost::unordered_flat_map<Who, std::vector<Count*>> counts_by_who_;
  mutable boost::unordered_flat_map<Who, std::vector<const ExistingPodTerm*>> terms_by_who_;
  mutable std::uint64_t clock_ = 0;
};

}  // namespace rescheduler::cluster
