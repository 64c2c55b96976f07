// Is it the node? Several owners failing on one node say so; then nothing new goes there for a while. What is done to
// nodes stands on the nodes themselves (a taint and an annotation of ours), so any leader finds it. Pure.
//
//            owners >= k                    expiry                      probation over, or a new pod is well there
//   (none) ---------------> Quarantined -------------> Probation --------------------------------------> (none)
//                            NoSchedule             PreferNoSchedule
//                                ^------- owners >= k ------|
#pragma once

#include <algorithm>
#include <cstdint>
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
inline constexpr std::string_view kQuarantineRecord = "rescheduler.io/quarantine";  // annotation: until when, and why

enum class NodeQuarantine : std::uint8_t { None, Quarantined, Probation };
std::string_view to_string(NodeQuarantine quarantine);

struct QuarantineStatus {
  std::string name{};
  std::string zone{};
  NodeQuarantine quarantine = NodeQuarantine::None;
  WallTime until{};
};
// A record nobody can read counts as one that ends now.
QuarantineStatus quarantine_status_of(const api::Node& node, WallTime now);
// The node as it is to be: nobody else's taints and annotations are touched. False: it is so already.
bool set_quarantine(api::Node& node, NodeQuarantine to, WallTime until, const std::string& why);

struct QuarantineAction {
  std::string node{};
  NodeQuarantine to = NodeQuarantine::None;
  WallTime until{};
  std::string why{};
};

class Attribution {
 public:
  explicit Attribution(config::QuarantineSettings settings) : settings_(settings) {}

  // An owner's pod fails there; told again and again while it does.
  void failed(const std::string& node, const std::string& owner, WallTime at) {
    WallTime& last = failures_[node][owner];
    last = std::max(last, at);
  }
  // A pod that came there after its confinement began is well.
  void well(const std::string& node, WallTime since) { well_[node] = std::max(well_[node], since); }
  void remove_node(const std::string& node);

  std::size_t owners_failing_on(const std::string& node, WallTime now) const;
  // Nodes on which failing says nothing of the application.
  std::set<std::string> blamed(const std::vector<QuarantineStatus>& nodes, WallTime now) const;
  // What is to be done about nodes now; `nodes` are all.
  std::vector<QuarantineAction> decide(const std::vector<QuarantineStatus>& nodes, WallTime now);

 private:
  void forget_old(WallTime now);

  config::QuarantineSettings settings_;
  std::map<std::string, std::map<std::string, WallTime>> failures_;  // by node, by owner
  std::map<std::string, WallTime> well_;                             // by node: latest such pod
};

}  // namespace rescheduler::rescheduling::recovery
