// Watches an embedded cluster and returns its state for the view. Used only on the thread of the cluster.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/view/view_state.h"
#include "cluster/balance.h"
#include "sim/cluster.h"
#include "sim/scenario/node_rooms.h"
#include "sim/scenario/scenario_runner.h"

namespace rescheduler::cli {

class ClusterWatcher {
 public:
  ClusterWatcher(sim::EmbeddedCluster& cluster, sim::ScenarioRunner& runner);
  ~ClusterWatcher();
  ClusterWatcher(const ClusterWatcher&) = delete;
  ClusterWatcher& operator=(const ClusterWatcher&) = delete;

  // All fields except the notice and the speed.
  ViewState view_state();
  // Time since a pod last changed its state or a node its health, in cluster time.
  std::chrono::nanoseconds quiet_for() const;
  // `judge` supplies the balance as soon as it returns one, so that plans start from the number that the view shows.
  void judge_balance_by(std::function<const cluster::Balance*()> judge) { judge_ = std::move(judge); }
  // Adds a line to the tail.
  void add_line(std::string text, bool warning) { push_line(std::move(text), warning); }

 private:
  enum class PodState : std::uint8_t { Pending, Starting, Running, Stopping, Failed, Done };
  struct Pod {
    PodState state = PodState::Pending;
    std::string node;
    std::string owner;  // uid of the controller; ns/name of a bare pod
  };
  struct Node {
    NodeRow::Health health = NodeRow::Health::NotReady;
    int pods = 0;
    bool seen = false;  // the Node object was seen, not only pods on it
  };
  // A pod that was removed: the next pod of the same owner replaces it.
  struct Loss {
    std::string node;
    SteadyTime at;
  };

  void on_pod(const sim::Change& change);
  void on_node(const sim::Change& change);
  void on_activity(const sim::ScenarioActivity& activity);
  static bool is_over(PodState state) { return state == PodState::Done || state == PodState::Failed; }
  void placed(const std::string& key, const Pod& pod);
  void lost(const Pod& pod);
  void forget(const std::string& key);
  void count(PodState state, int by);
  void push_line(std::string text, bool warning);
  std::chrono::seconds elapsed() const;

  sim::EmbeddedCluster& cluster_;
  sim::ScenarioRunner& runner_;
  sim::NodeRooms rooms_;
  std::map<std::string, Node, bool (*)(std::string_view, std::string_view)> nodes_;
  std::unordered_map<std::string, Pod> pods_;                 // by ns/name; never iterated
  std::unordered_map<std::string, std::deque<Loss>> losses_;  // by owner; never iterated
  PodCounts counts_{};
  std::uint64_t moves_ = 0;
  std::vector<TailLine> tail_;
  std::size_t lines_ = 0;  // since the start
  SteadyTime started_;
  SteadyTime changed_;
  std::function<const cluster::Balance*()> judge_;
  std::unique_ptr<sim::Store::Subscription> on_pods_;
  std::unique_ptr<sim::Store::Subscription> on_nodes_;
};

}  // namespace rescheduler::cli
