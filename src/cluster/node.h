// A node as the scheduler sees it: its object (Node), and the resources that its pods use (NodeInfo).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/index.h"
#include "cluster/labels.h"
#include "cluster/node_load.h"
#include "cluster/objects/annotations.h"
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

struct NodeImage {
  Symbol name = Symbol::Empty;
  std::int64_t size = 0;
  friend bool operator==(const NodeImage&, const NodeImage&) = default;
};

// The properties of a node that only rescheduling reads.
struct NodeStatus {
  bool ready = false;
  bool maintenance = false;     // from the label
  DrainClasses drain_allows{};  // from the annotation
  std::string zone{};
  std::string shutdown{};  // the lifecycle condition of Kubernetes 1.37 that is true, if any: "DrainInProgress", ...
  friend bool operator==(const NodeStatus&, const NodeStatus&) = default;
};

struct Node {
  std::string name{};
  std::vector<Label> labels{};  // sorted by key
  std::vector<Taint> taints{};
  bool unschedulable = false;
  ResourceList allocatable{};
  std::int64_t allowed_pods = 0;
  std::vector<NodeImage> images{};                      // sorted by name, without duplicates
  std::vector<Symbol> features{};                       // sorted
  std::vector<std::pair<Symbol, Symbol>> conditions{};  // type and status, sorted
  std::uint64_t annotations_hash = 0;                   // only to detect a change
  NodeStatus status{};

  Symbol label(Symbol key) const;  // Symbol::Empty also if the key is missing
  bool has_label(Symbol key) const;
  friend bool operator==(const Node&, const Node&) = default;
};

Node compile_node(const api::Node& object, Interner& interner);

// The labels of a node in the form that selectors read.
class NodeLabels {
 public:
  NodeLabels(const Node& node, const SymbolTable& symbols) : node_(node), symbols_(symbols) {}
  kube::LabelLookup::Answer operator()(std::string_view key) const;

 private:
  const Node& node_;
  const SymbolTable& symbols_;
};

// Copied for a what-if with a pod added or removed.
struct NodeInfo {
  NodeIndex index = kNoNode;
  std::shared_ptr<const Node> node{};  // null: pods name this node, but the node does not exist (any more)
  // Changes with everything of the node that a plugin can read. Two states in a Cluster never have the same number. A
  // what-if copy keeps the number of the original.
  std::uint64_t generation = 0;
  std::vector<PodIndex> pods{};
  std::vector<std::shared_ptr<const AssignedPod>> hypothetical_pods{};  // for example nominated pods
  ResourceList requested{};
  std::int64_t nonzero_cpu = 0;
  std::int64_t nonzero_memory = 0;
  std::vector<HostPort> ports{};  // in use
  NodeLoad load{};

  bool exists() const { return node != nullptr; }
  std::size_t pod_count() const { return pods.size() + hypothetical_pods.size(); }
  void add_pod(PodIndex pod, const CompiledPodSpec& compiled_spec);
  void remove_pod(PodIndex pod, const CompiledPodSpec& compiled_spec);
  void add_pod(std::shared_ptr<const AssignedPod> hypothetical_pod);

 private:
  void count(const CompiledPodSpec& compiled_spec);
};

}  // namespace rescheduler::cluster
