// Detects pods that fail on their node. It gets the state of pods and nodes over time. A rule matches if its condition
// held for long enough without a break, or often enough within its window. A single observation is no failure. Pure: no
// I/O.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/clock.h"
#include "config/recovery_settings.h"

namespace rescheduler::api {
class Node;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::rescheduling::recovery {

enum class Symptom : std::uint8_t {
  CrashLoop,
  InitFailure,
  ImagePull,
  ContainerError,
  StuckCreating,
  Failed,
  NodeLost,
  Unknown,
};
std::string_view to_string(Symptom symptom);  // the name of the rule in the configuration

// Whether a failure can be the fault of the node where it happened.
enum class NodeBlame : std::uint8_t {
  None,        // the cause is already known: the node is lost
  IfOnlyHere,  // a bad release or a bad image name gives the same symptom, but on every node
  Node,        // the kubelet rejected or ended the pod
};
NodeBlame blame_of(Symptom symptom);

struct Finding {
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::string node{};
  Symptom symptom{};
  std::string detail{};  // one sentence: "container main was restarted 3 times within 10m and is in CrashLoopBackOff"
  WallTime since{};      // first observation
};

class Detector {
 public:
  explicit Detector(config::RecoveryRules rules) : rules_(std::move(rules)) {}

  void upsert_pod(const api::Pod& pod, WallTime now);
  void remove_pod(const std::string& uid);
  void upsert_node(const api::Node& node, WallTime now);
  void remove_node(const std::string& name);

  // All pods that fail now, by uid. Excludes terminating pods, and pods that ended for another reason than the node.
  std::vector<Finding> failing(WallTime now) const;
  std::optional<Finding> failing(const std::string& uid, WallTime now) const;
  // Start of the current period in which the pod is ready; empty: not ready.
  std::optional<WallTime> well_since(const std::string& uid) const;
  // The pod has been ready for this long, without a symptom or a recent restart. A pod that crashes again and again is
  // ready for a moment each time.
  bool well_for(const std::string& uid, std::chrono::nanoseconds duration, WallTime now) const;
  bool is_out_of_service(const std::string& node) const;
  std::size_t pod_count() const { return watched_.size() + well_.size(); }

 private:
  struct Restarts {
    WallTime at{};
    std::uint32_t count = 0;  // number of new restarts
  };
  // The conditions of a pod and their start times. Only of pods that may fail: see well_.
  struct Watched {
    std::string ns{}, name{}, node{};
    std::map<Symptom, WallTime> since{};
    std::map<Symptom, std::string> detail{};
    std::vector<Restarts> restarts{};  // of containers; empty for most pods
    std::vector<Restarts> init_restarts{};
    std::uint32_t restart_count = 0;
    std::uint32_t init_restart_count = 0;
    std::optional<WallTime> well_since{};
    bool bound = false;
    bool leaving = false;
    bool not_ready = false;
    bool over = false;  // Failed or Succeeded

    // The pod is ready and has no symptom and no restart.
    bool is_well() const {
      return well_since && bound && !leaving && since.empty() && restart_count == 0 && init_restart_count == 0;
    }
  };
  struct WatchedNode {
    std::string zone{};
    std::optional<WallTime> lost_since{};
    bool out_of_service = false;
  };

  void look_at_containers(const api::Pod& pod, Watched& watched, std::map<Symptom, std::string>& now_holds) const;
  void count_restarts(const api::Pod& pod, Watched& watched, bool first, WallTime now) const;
  std::optional<Finding> judge(const std::string& uid, const Watched& watched, WallTime now) const;
  std::optional<WallTime> lost(const Watched& watched) const;
  bool zone_is_failing(const std::string& zone) const;

  config::RecoveryRules rules_;
  std::map<std::string, Watched> watched_;  // by uid
  // All other pods, by uid: ready since this time, without a restart. Nearly all pods of a cluster are here, and
  // failing() does not visit them.
  boost::unordered_flat_map<std::string, WallTime> well_;
  std::map<std::string, WatchedNode> nodes_;
};

}  // namespace rescheduler::rescheduling::recovery
