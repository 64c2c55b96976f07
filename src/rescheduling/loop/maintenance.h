// Nodes that are marked for maintenance, on their way out and back. Pure: told what is the case, answers what to do;
// maintenance_writes.h does it.
//
//   marked --room for all?--> cordoned, draining --nobody left--> drained
//      |  no: said, waited       |  somebody else uncordons: left alone, until the mark is gone
//      |                         |
//      +------- mark is gone ----+---> cordon taken back, if it was ours
//
// What has to survive us is on the node: the annotation rescheduler.io/cordoned-by says that the cordon is ours.
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
// In place of our name: somebody else took the cordon back, and what happens to the node now is theirs to say.
inline constexpr std::string_view kReleased = "released";

// A node that is marked, or that carries our annotation.
struct MaintenanceNode {
  std::string name{};
  std::string uid{};
  std::string version{};
  bool marked = false;
  bool unschedulable = false;
  std::string cordoned_by{};
  bool uses_conditions = false;         // has one of the lifecycle conditions of Kubernetes 1.37
  std::size_t to_leave = 0;             // pods that are there and have to go
  std::vector<std::string> blockers{};  // pods that cannot, with the reason
  bool no_room = false;                 // some have nowhere to go
};

enum class NodeAction : std::uint8_t { Cordon, Uncordon, DropMark, MarkReleased };

struct NodeWrite {
  NodeAction action{};
  std::string node{};
  std::string version{};  // the state it rests on
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
  std::map<std::string, DrainProgress> progress{};  // of those that are draining or drained
  // Over, and with conditions that say otherwise. To be written first: until it is, the node is not given back.
  std::set<std::string> conditions_to_clear{};
};

class Maintenance {
 public:
  // `name` is whom we cordon as.
  Maintenance(config::MaintenanceSettings settings, std::string name) : settings_(settings), name_(std::move(name)) {}

  // The marked nodes to find out about before the next step: those under way, and those whose turn it would be.
  std::set<std::string> considered(const std::vector<MaintenanceNode>& nodes) const;
  MaintenanceStep next(const std::vector<MaintenanceNode>& nodes, WallTime now);

 private:
  struct Drain {
    WallTime since{};
    std::size_t total = 0;
    std::size_t told_left = 0;
    bool told_drained = false;
    bool told_giving_up = false;
    bool uses_conditions = false;
    std::optional<WallTime> blocked_since{};
    std::string told_blockers{};
  };

  bool is_ours(const MaintenanceNode& node) const { return node.cordoned_by == name_; }
  bool is_under_way(const MaintenanceNode& node) const;
  void begin(const MaintenanceNode& node, WallTime now, MaintenanceStep& step);
  void refuse(const MaintenanceNode& node, MaintenanceStep& step);
  void go_on(const MaintenanceNode& node, WallTime now, MaintenanceStep& step);
  void tell_progress(const MaintenanceNode& node, Drain& drain, WallTime now, MaintenanceStep& step);
  void tell_blockers(const MaintenanceNode& node, Drain& drain, WallTime now, MaintenanceStep& step);
  void take_back(const MaintenanceNode& node, MaintenanceStep& step);

  config::MaintenanceSettings settings_;
  std::string name_;
  std::map<std::string, Drain> drains_;           // by node: under way
  std::map<std::string, std::string> told_full_;  // nodes that wait for room, with what was said
};

// Merge patches.
std::string cordon_patch(const NodeWrite& write, std::string_view name);

}  // namespace rescheduler::rescheduling
