// A node as the scheduler sees it: what its object says (Node), and what the pods on it leave over (NodeState).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/amounts.h"
#include "cluster/labels.h"
#include "cluster/node_load.h"
#include "cluster/ports.h"
#include "cluster/taints.h"
#include "kube/value/label_lookup.h"

namespace rescheduler::api {
class Node;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

struct PlacedPod;
struct PodForm;
struct Words;

// The place of a node in every array about nodes; kept for as long as the node or a pod on it is known.
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = ~NodeIndex{0};

// The place of a pod in the model. Reused after the pod is gone.
using PodIndex = std::uint32_t;
inline constexpr PodIndex kNoPod = ~PodIndex{0};

struct NodeImage {
  Symbol name = Symbol::Empty;
  std::int64_t size = 0;
  friend bool operator==(const NodeImage&, const NodeImage&) = default;
};

struct Node {
  std::string name{};
  std::vector<Label> labels{};  // sorted by key
  std::vector<Taint> taints{};
  bool unschedulable = false;
  Amounts allocatable{};
  std::int64_t allowed_pods = 0;
  std::vector<NodeImage> images{};                      // by name, each once
  std::vector<Symbol> features{};                       // sorted
  std::vector<std::pair<Symbol, Symbol>> conditions{};  // type and status, sorted
  std::uint64_t annotations_hash = 0;                   // only to notice that they changed

  Symbol label(Symbol key) const;  // Symbol::Empty also when the key is not there
  bool has_label(Symbol key) const;
  friend bool operator==(const Node&, const Node&) = default;
};

Node compile_node(const api::Node& object, Words& words);

// Labels of a node as selectors ask for them.
class NodeLabels {
 public:
  NodeLabels(const Node& node, const Symbols& symbols) : node_(node), symbols_(symbols) {}
  kube::LabelLookup::Answer operator()(std::string_view key) const;

 private:
  const Node& node_;
  const Symbols& symbols_;
};

// Copied to try out what would be if a pod came or went.
struct NodeState {
  NodeIndex index = kNoNode;
  std::shared_ptr<const Node> node{};  // null: pods say they are there, but the node is not known (any more)
  // Changes with everything about the node that a plugin may look at; never the same number for two states.
  std::uint64_t generation = 0;
  std::vector<PodIndex> pods{};
  std::vector<std::shared_ptr<const PlacedPod>> guests{};  // pods that are only imagined here (nominations)
  Amounts requested{};
  std::int64_t nonzero_cpu = 0;
  std::int64_t nonzero_memory = 0;
  std::vector<HostPort> ports{};  // in use
  NodeLoad load{};

  bool exists() const { return node != nullptr; }
  std::size_t pod_count() const { return pods.size() + guests.size(); }
  void take_in(PodIndex pod, const PodForm& form);
  void let_go(PodIndex pod, const PodForm& form);
  void take_in(std::shared_ptr<const PlacedPod> guest);

 private:
  void count(const PodForm& form);
};

}  // namespace rescheduler::cluster
