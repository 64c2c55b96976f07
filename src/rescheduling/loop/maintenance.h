// State machine of nodes that are labelled for maintenance. Pure: gets the state of the nodes and returns the writes;
// Controller::State::write_nodes performs them.
//
//   marked --NodeMaintenance acts?--> cordoned, draining --only pods that the policy leaves--> drained
//      |  no: event                      |  another client uncordons: left alone, until the mark is removed
//      |                                 |
//      +------- mark is removed ---------+---> uncordoned, if the cordon is ours
//
// State that must survive a restart is on the node: the annotation rescheduler.io/cordoned-by marks our cordon. The
// annotation rescheduler.io/drain-status tells users which pods are left, and why.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "config/rescheduling_settings.h"

namespace rescheduler::rescheduling {

inline constexpr std::string_view kCordonedByKey = "rescheduler.io/cordoned-by";
inline constexpr std::string_view kDrainStatusKey = "rescheduler.io/drain-status";
// Value in place of our name: another client uncordoned the node and now decides about it.
inline constexpr std::string_view kReleased = "released";

// A node that is marked for maintenance, or that has one of our annotations.
struct MaintenanceNode {
  std::string name{};
  std::string uid{};
  std::string version{};
  bool marked = false;
  bool unschedulable = false;
  std::string cordoned_by{};
  std::string drain_status{};
  config::StrategyMode mode = config::StrategyMode::Act;  // of NodeMaintenance on this node
  bool uses_conditions = false;                           // has a lifecycle condition of Kubernetes 1.37
  std::size_t to_leave = 0;                               // pods on the node that have to leave
  std::vector<std::string> blockers{};                    // pods among them that cannot leave, with the reason
  std::vector<std::string> staying{};                     // pods that the policy leaves on the node, with the reason
};

enum class NodeAction : std::uint8_t { Cordon, Uncordon, DropMark, MarkReleased, Report };

struct NodeWrite {
  NodeAction action{};
  std::string node{};
  std::string version{};                // resourceVersion that the decision is based on; not for Report
  std::optional<std::string> status{};  // new drain-status; empty: the annotation is removed; nullopt: unchanged
};

struct NodeActivity {
  std::string node{};
  std::string uid{};
  bool warning = false;
  std::string reason{};  // "MaintenanceStarted", ...
  std::string note{};
};

struct DrainProgress {
  std::size_t total = 0;
  std::size_t left = 0;
  bool blocked = false;
  bool drained = false;
  std::optional<std::chrono::seconds> eta{};
  bool uses_conditions = false;
};

struct MaintenanceStep {
  std::vector<NodeWrite> writes{};
  std::vector<NodeActivity> activity{};
  std::set<std::string> draining{};
  std::map<std::string, DrainProgress> progress{};  // of draining and drained nodes
  // Maintenance is over, but the conditions of the node still report it. Write these first: the node is uncordoned only
  // afterwards.
  std::set<std::string> conditions_to_clear{};
};

class Maintenance {
 public:
  // `name` is the value of our cordoned-by annotation.
  Maintenance(config::MaintenanceSettings settings, std::string name) : settings_(settings), name_(std::move(name)) {}

  // The marked nodes of this mode that the caller must examine before next(): nodes in progress, and the nodes that
  // would start next.
  std::set<std::string> considered(const std::vector<MaintenanceNode>& nodes,
                                   config::StrategyMode mode = config::StrategyMode::Act) const;
  MaintenanceStep next(const std::vector<MaintenanceNode>& nodes, WallTime now);

 private:
  struct Drain {
    WallTime since{};
    std::size_t total = 0;
    std::size_t reported_left = 0;
    bool reported_drained = false;
    bool reported_giving_up = false;
    bool uses_conditions = false;
    std::optional<WallTime> blocked_since{};
    std::string reported_blockers{};
  };

  bool is_ours(const MaintenanceNode& node) const { return node.cordoned_by == name_; }
  bool is_under_way(const MaintenanceNode& node) const;
  void begin(const MaintenanceNode& node, WallTime now, MaintenanceStep& step);
  void refuse(const MaintenanceNode& node, MaintenanceStep& step);
  void go_on(const MaintenanceNode& node, WallTime now, MaintenanceStep& step);
  void report_progress(const MaintenanceNode& node, Drain& drain, WallTime now, MaintenanceStep& step);
  void report_blockers(const MaintenanceNode& node, Drain& drain, WallTime now, MaintenanceStep& step);
  void take_back(const MaintenanceNode& node, MaintenanceStep& step);
  static void report_status(const MaintenanceNode& node, std::string status, MaintenanceStep& step);

  config::MaintenanceSettings settings_;
  std::string name_;
  std::map<std::string, Drain> drains_;                  // by node: in progress
  std::map<std::string, std::string> reported_refused_;  // nodes whose mark has no effect, with the last note
};

// A merge patch.
std::string cordon_patch(const NodeWrite& write, std::string_view name);

}  // namespace rescheduler::rescheduling
