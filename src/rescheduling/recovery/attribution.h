// Decides whether a node is the cause of failures. If pods of several owners fail on one node and on no other node, the
// node gets no new pods for a while. The state is on the node itself (our taint and annotation), so every leader finds
// it. Pure: no I/O.
//
//            owners >= k                    expiry                      probation over, or a new pod is healthy there
//   (none) ---------------> Quarantined -------------> Probation --------------------------------------> (none)
//                            NoSchedule             PreferNoSchedule
//                                ^------- owners >= k ------|
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "config/recovery_settings.h"

namespace rescheduler::api {
class Node;
}  // namespace rescheduler::api

namespace rescheduler::rescheduling::recovery {

inline constexpr std::string_view kQuarantineTaint = "rescheduler.io/quarantine";
inline constexpr std::string_view kQuarantineRecord = "rescheduler.io/quarantine";  // annotation: expiry and reason

enum class NodeQuarantine : std::uint8_t { None, Quarantined, Probation };
std::string_view to_string(NodeQuarantine quarantine);

struct QuarantineStatus {
  std::string name{};
  std::string zone{};
  NodeQuarantine quarantine = NodeQuarantine::None;
  WallTime until{};
};
// A quarantine whose record cannot be parsed expires now.
QuarantineStatus quarantine_status_of(const api::Node& node, WallTime now);
// Changes only our taint and annotation of the node object. False: nothing to change.
bool set_quarantine(api::Node& node, NodeQuarantine to, WallTime until, const std::string& why);

struct QuarantineAction {
  std::string node{};
  NodeQuarantine to = NodeQuarantine::None;
  WallTime until{};
  std::string why{};
};

// The last failure of an owner on a node.
struct NodeFailure {
  WallTime at{};
  std::string release{};    // the controller of the pod and its revision; empty: unknown
  bool by_kubelet = false;  // the kubelet rejected or ended the pod: evidence without a comparison with other nodes
};

class Attribution {
 public:
  explicit Attribution(config::QuarantineSettings settings) : settings_(settings) {}

  // A pod of the owner fails on the node. Called again and again while it fails.
  void failed(const std::string& node, const std::string& owner, NodeFailure failure);
  // Returns whether pods of the release are healthy on another node than `node`. An empty release stands for all pods
  // of the owner.
  using HealthyElsewhere =
      std::function<bool(const std::string& node, const std::string& owner, const std::string& release)>;
  // Compares the failures with other nodes. A release that fails on other nodes too, or that is healthy nowhere, is no
  // evidence against a node.
  void review(const HealthyElsewhere& healthy_elsewhere, WallTime now);
  // A pod that was created at this time is healthy on the node. If it was created during the probation, the probation
  // ends.
  void well(const std::string& node, WallTime created) { well_[node] = std::max(well_[node], created); }
  void remove_node(const std::string& node);

  // Owners whose failures are evidence against the node, in order.
  std::vector<std::string> owners_failing_on(const std::string& node, WallTime now) const;
  // Nodes on which a failure is no evidence against the application.
  std::set<std::string> faulty_nodes(const std::vector<QuarantineStatus>& nodes, WallTime now) const;
  // The changes to make now; `nodes` must contain all nodes.
  std::vector<QuarantineAction> decide(const std::vector<QuarantineStatus>& nodes, WallTime now);

 private:
  struct Evidence {
    NodeFailure failure{};
    bool only_here = false;  // by the last review
  };
  bool is_recent(const NodeFailure& failure, WallTime now) const { return failure.at + settings_.window > now; }
  bool fails_elsewhere(const std::string& node, const std::string& owner, const NodeFailure& failure) const;
  void forget_old(WallTime now);

  config::QuarantineSettings settings_;
  std::map<std::string, std::map<std::string, Evidence>> failures_;  // by node, by owner
  std::map<std::string, WallTime> well_;                             // by node: creation of the newest healthy pod
};

}  // namespace rescheduler::rescheduling::recovery
