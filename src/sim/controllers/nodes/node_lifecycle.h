// Watches the heartbeats of nodes and reacts to missing ones.
//
//   lease or status renewed ............. the node is alive
//   no heartbeat for the grace period ... conditions Unknown, Ready of its pods False, NoSchedule taint unreachable
//   not ready ........................... waits in the queue of its zone; at the zone's rate, NoExecute taint
//                                         not-ready or unreachable
//   ready again ......................... NoExecute taints removed
//
// Conditions and cordoning become NoSchedule taints at once. taint_eviction.h handles the effect of NoExecute taints.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/controllers/controller_scope.h"
#include "sim/controllers/nodes/zone_disruption.h"
#include "sim/controllers/periodic.h"
#include "sim/controllers/work_queue.h"

namespace rescheduler::api {
class Node;
}  // namespace rescheduler::api

namespace rescheduler::sim {

class NodeLifecycleController {
 public:
  explicit NodeLifecycleController(const ControllerScope& scope, NodeLifecycleSettings settings = {});
  ~NodeLifecycleController();

 private:
  enum class Ready : std::uint8_t { Never, True, False, Unknown };
  struct Watched {
    std::string zone;
    std::string uid;
    WallTime created{};
    Ready ready = Ready::Never;
    std::int64_t heartbeat = 0;      // of the Ready condition, seconds
    bool left_out = false;           // not counted for the state of the zone
    bool not_ready_taint = false;    // NoExecute
    bool unreachable_taint = false;  // NoExecute
    bool registered = false;         // seen by monitor()
    bool heartbeat_seen = false;     // heartbeat since the last pass of monitor()
    WallTime alive{};                // when monitor() last noticed a heartbeat
  };
  struct Zone {
    ZoneState state = ZoneState::Initial;
    NodeRate rate;
    std::set<std::string> waiting{};  // nodes that wait for their NoExecute taint
    Agenda::Ticket next{};
    int ready = 0;
    int not_ready = 0;
  };

  void node_changed(const Change& change);
  void observe(const api::Node& node, Watched& watched);
  void lease_changed(const Change& change);
  void monitor();
  void register_node(const std::string& name, Watched& node);
  void check_health(const std::string& name, Watched& node);
  void declare_unknown(const std::string& name, const Watched& node);
  void mark_pods_not_ready(const std::string& node);
  void follow_readiness(const std::string& name, Watched& node);
  void handle_disruption();
  void enter_full_disruption();
  Zone& zone_of(const std::string& name);
  void schedule(Zone& zone);
  void taint_next(Zone& zone);
  void swap_no_execute(const std::string& name, std::string_view add, std::string_view remove);
  void make_reachable(const std::string& name, const Watched& node);
  void reconcile_no_schedule(const std::string& key);
  void note(const std::string& name, const std::string& uid, std::string_view reason, std::string text);

  Server& server_;
  PodIndex& pods_;
  EventWriter& events_;
  NodeLifecycleSettings settings_;
  std::map<std::string, Watched, std::less<>> nodes_;
  std::map<std::string, Zone, std::less<>> zones_;
  WorkQueue taint_queue_;
  std::unique_ptr<Store::Subscription> on_nodes_;
  std::unique_ptr<Store::Subscription> on_leases_;
  Periodic monitor_;
};

}  // namespace rescheduler::sim
