// Which pods fail where they are. Told what pods and nodes look like over time; a rule speaks when its condition has
// held for long enough without a break, or often enough within its window: one bad look is no failure. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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
inline constexpr std::size_t kSymptomCount = 8;
std::string_view to_string(Symptom symptom);  // as the rule is called in a configuration

struct Finding {
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::string node{};
  Symptom symptom{};
  std::string detail{};  // one sentence: "container main was restarted 3 times within 10m and is held back"
  WallTime since{};      // seen for the first time
};

class Detector {
 public:
  explicit Detector(config::RecoveryRules rules) : rules_(std::move(rules)) {}

  void upsert_pod(const api::Pod& pod, WallTime now);
  void remove_pod(const std::string& uid) { pods_.erase(uid); }
  void upsert_node(const api::Node& node, WallTime now);
  void remove_node(const std::string& name);

  // All that fail now, by uid. Pods that are on their way out, or over without a fault of the node's, never do.
  std::vector<Finding> failing(WallTime now) const;
  std::optional<Finding> failing(const std::string& uid, WallTime now) const;
  // Ready without a break since then; nothing: it is not.
  std::optional<WallTime> well_since(const std::string& uid) const;
  bool is_out_of_service(const std::string& node) const;
  std::size_t pod_count() const { return pods_.size(); }

 private:
  struct Restarts {
    WallTime at{};
    std::uint32_t count = 0;  // how many were new then
  };
  // What holds of a pod, and since when.
  struct Watched {
    std::string ns{}, name{}, node{};
    std::map<Symptom, WallTime> since{};
    std::map<Symptom, std::string> detail{};
    std::vector<Restarts> restarts{};  // of containers, then of init containers; hardly any pod has some
    std::vector<Restarts> init_restarts{};
    std::uint32_t restart_count = 0;
    std::uint32_t init_restart_count = 0;
    std::optional<WallTime> well_since{};
    bool bound = false;
    bool leaving = false;
    bool not_ready = false;
    bool over = false;  // Failed or Succeeded
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
  std::map<std::string, Watched> pods_;  // by uid
  std::map<std::string, WatchedNode> nodes_;
};

}  // namespace rescheduler::rescheduling::recovery
