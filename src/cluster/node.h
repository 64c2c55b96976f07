// A node as the scheduler sees it: what its object says (Node), and what the pods on it leave over (NodeInfo).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/labels.h"
#include "cluster/node_load.h"
#include "cluster/ports.h"
#include "cluster/resource_list.h"
#include "cluster/taints.h"
#include "kube/value/label_lookup.h"

namespace rescheduler::api {
class Node;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

struct AssignedPod;
struct CompiledPodSpec;
struct Interner;

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
  ResourceList allocatable{};
  std::int64_t allowed_pods = 0;
  std::vector<NodeImage> images{};                      // by name, each once
  std::vector<Symbol> features{};                       // sorted
  std::vector<std::pair<Symbol, Symbol>> conditions{};  // type and status, sorted
  std::uint64_t annotations_hash = 0;                   // only to notice that they changed

  Symbol label(Symbol key) const;  // Symbol::Empty also when the key is not there
  bool has_label(Symbol key) const;
  friend bool operator==(const Node&, const Node&) = default;
};

Node compile_node(const api::Node& object, Interner& interner);

// Labels of a node as selectors ask for them.
class NodeLabels {
 public:
  NodeLabels(const Node& node, const SymbolTable& symbols) : node_(node), symbols_(symbols) {}
  kube::LabelLookup::Answer operator()(std::string_view key) const;

 private:
  const Node& node_;
  const SymbolTable& symbols_;
};

// Copied to try out what would be if a pod came or went.
struct NodeInfo {
  NodeIndex index = kNoNode;
  std::shared_ptr<const Node> node{};  // null: pods say they are there, but the node is not known (any more)
  // Changes with everything about the node that a plugin may look at; never the same number for two states.
  std::uint64_t generation = 0;
  std::vector<PodIndex> pods{};
  std::vector<std::shared_ptr<const AssignedPod>> guests{};  // pods that are only imagined here (nominations)
  ResourceList requested{};
  std::int64_t nonzero_cpu = 0;
  std::int64_t nonzero_memory = 0;
  std::vector<HostPort> ports{};  // in use
  NodeLoad load{};

  bool exists() const { return node != nullptr; }
  std::size_t pod_count() const { return pods.size() + guests.size(); }
  void add_pod(PodIndex pod, const CompiledPodSpec& compiled_spec);
  void remove_pod(PodIndex pod, const CompiledPodSpec& compiled_spec);
  void add_pod(std::shared_ptr<const AssignedPod> guest);

 private:
  void count(const CompiledPodSpec& compiled_spec);
};

}  // namespace rescheduler::cluster
