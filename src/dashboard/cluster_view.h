// Nodes and pods with only the fields that the pages show. Watchers of the cluster feed it. The cost of a change does
// not depend on the size of the cluster. Not thread-safe: one thread uses it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cluster/balance.h"
#include "cluster/node_load.h"
#include "cluster/symbol_table.h"
#include "config/rescheduling_settings.h"
#include "kube/value/label_selector.h"
#include "scheduler/cluster_sink.h"

namespace rescheduler::api {
class Node;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::dashboard {

// There can be very many entries: a pod has one allocation for its names, and ClusterView owns the texts that pods
// share.
class PodEntry {
 public:
  std::string_view key() const { return std::string_view(names_).substr(0, key_size_); }  // "ns/name"
  std::string_view ns() const { return key().substr(0, ns_size_); }
  std::string_view name() const { return key().substr(ns_size_ + 1U); }
  std::string_view owner_name() const { return std::string_view(names_).substr(key_size_); }
  const std::string& owner_kind() const { return *owner_kind_; }
  const std::string& node() const { return *node_; }    // empty: not bound
  const std::string& phase() const { return *phase_; }  // or the reason why a container does not run
  bool pending() const { return node_->empty() && !over; }

  bool ready = false;
  bool failing = false;
  bool over = false;
  std::int32_t priority = 0;
  std::int64_t cpu = 0;  // requested, in milli-cores
  std::int64_t memory = 0;
  WallTime created{};

 private:
  friend class ClusterView;

  std::string names_;  // the key, then the name of the owner
  std::uint32_t ns_size_ = 0;
  std::uint32_t key_size_ = 0;
  std::size_t uid_hash_ = 0;
  const std::string* owner_kind_ = nullptr;
  const std::string* node_ = nullptr;
  const std::string* phase_ = nullptr;
};

struct QuarantineView {
  std::string state{};  // empty: none
  WallTime until{};
  std::string why{};
};

struct NodeEntry {
  std::string name{};
  std::string zone{};
  std::string pool{};
  bool exists = false;  // false: only pods refer to the node
  bool ready = false;
  bool unschedulable = false;
  bool maintenance = false;
  std::string details{};  // see details_of()
  QuarantineView quarantine{};
  std::int64_t cpu = 0;  // allocatable
  std::int64_t memory = 0;
  std::int64_t most_pods = 0;
  std::int64_t cpu_requested = 0;
  std::int64_t memory_requested = 0;
  cluster::NodeLoad load{};
  std::vector<const PodEntry*> pods{};  // by key
  std::size_t live_pods = 0;            // pods that are not over
  std::string row{};                    // the last published row

  std::string_view state() const;
};

// What only the page of one node shows: labels, taints, conditions, allocatable. Nodes keep it encoded.
api::Node details_of(const NodeEntry& node);

// Filter of ClusterView::find.
struct PodQuery {
  std::string text{};   // part of "namespace/name"
  std::string node{};   // empty: any
  std::string state{};  // pending, failing; empty: any
  std::size_t limit = 200;
};

class ClusterView {
 public:
  // Groups nodes by the pools of the settings, else by the node group labels of cloud providers.
  explicit ClusterView(const std::vector<config::NodePool>& pools = {});

  // Pods and nodes; other kinds are ignored.
  void upsert(const google::protobuf::Message& object, WallTime now);
  void remove(const google::protobuf::Message& object);
  void loads(const scheduler::LoadUpdate& loads);

  // Rows that changed since the last call, and names of nodes that were deleted since.
  struct Changes {
    std::vector<std::string> rows{};  // JSON
    std::vector<std::string> gone{};
    bool empty() const { return rows.empty() && gone.empty(); }
  };
  Changes take_changes();

  const std::map<std::string, NodeEntry, std::less<>>& nodes() const { return nodes_; }
  const NodeEntry* node(std::string_view name) const;
  const PodEntry* pod(std::string_view key) const;
  // The first matching pods by name, up to the limit, and the number of all matching pods.
  std::pair<std::vector<const PodEntry*>, std::size_t> find(const PodQuery& query) const;

  struct Counts {
    std::size_t nodes = 0;
    std::size_t ready = 0;
    std::size_t unschedulable = 0;
    std::size_t pods = 0;  // pods that are not over
    std::size_t pending = 0;
    std::size_t failing = 0;
  };
  const Counts& counts() const { return counts_; }
  // Balance of the nodes that are ready and schedulable: by predicted load if load is measured, else by requests.
  cluster::Balance balance(cluster::BalanceWeights weights) const;

  struct LoadStatus {
    std::string source{};  // empty: no load update yet
    bool measured = false;
    WallTime at{};
  };
  const LoadStatus& load() const { return load_; }

 private:
  struct ByKey {
    using is_transparent = void;
    static std::string_view key(std::string_view text) { return text; }
    static std::string_view key(const PodEntry& pod) { return pod.key(); }
    bool operator()(const auto& left, const auto& right) const { return key(left) < key(right); }
  };

  void upsert_node(const api::Node& object, WallTime now);
  void upsert_pod(const api::Pod& object);
  void describe(const api::Pod& object, PodEntry& entry);
  const std::string* intern(std::string_view text) { return &symbols_.text(symbols_.intern(text)); }
  void count(const PodEntry& pod, int by);
  void count(const NodeEntry& node, int by);
  void place(const PodEntry& pod, int by);
  NodeEntry& at(std::string_view name);
  void drop_if_unused(std::string_view name);
  std::string pool_of(const api::Node& node) const;

  cluster::SymbolTable symbols_;  // entries are never removed, so it must not contain names of short-lived objects
  std::vector<std::pair<std::string, kube::LabelSelector>> pools_;
  std::map<std::string, NodeEntry, std::less<>> nodes_;
  std::set<PodEntry, ByKey> pods_;
  std::set<std::string, std::less<>> dirty_;
  std::set<std::string> gone_;
  Counts counts_;
  LoadStatus load_;
};

std::string row_json(const NodeEntry& node);
std::string_view node_columns();  // JSON: the names of the columns of a row

}  // namespace rescheduler::dashboard
