// The rescheduling controller. It reads the cluster every interval and after relevant events. It makes plans and
// carries them out, or only publishes them, as long as it is the leader and no brake holds.
//
//   tick, event --> summary --> brakes --> maintenance --> plan --> [observe: published]
//                                                            |
//                                                            +--> batch: each move checked again --> recorded
//                                                                   ^                                   |
//                                                                   +---- outcome <---- Migrator <------+
//
// All calls on the thread of the network loop. The SnapshotReader belongs to the planning executor.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/rescheduler_settings.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/leader/leader_fence.h"
#include "migration/migrator.h"
#include "placement/profile.h"
#include "rescheduling/history/move_history_store.h"
#include "rescheduling/loop/snapshot_reader.h"

namespace rescheduler::rescheduling {

struct ControllerApis {
  kube::Api* reads = nullptr;
  kube::Api* writes = nullptr;  // fenced
  kube::Api* events = nullptr;  // null: that of writes
};

// Callbacks to the scheduler: reserve load for pods that are in migration, and pass on the usage of workloads. Each can
// be empty.
struct LoadReservations {
  std::function<void(const std::string& key, const std::string& node, const cluster::Loads& load)> reserve_load{};
  std::function<void(const std::string& key)> release{};
  std::function<void(usage::WorkloadUsagesPtr workload_usages)> expect{};
};

struct ControllerSettings {
  std::shared_ptr<const config::ReschedulerSettings> args{};
  placement::Profile profile{};    // targets must pass its filters
  std::string ns = "kube-system";  // namespace of the lease and of the move history
  std::string name = "rescheduler-scheduler";
  std::string host{};
  std::uint64_t seed = 1;
  net::EventLoop* planning = nullptr;  // null: the network loop
  // A copy of the cluster model that the scheduler keeps.
  std::function<net::Task<std::unique_ptr<cluster::Cluster>>()> cluster{};
  // The measured usage of all pods; empty: not measured.
  std::function<net::Task<Result<std::vector<usage::PodUse>>>()> pod_usage{};
  SnapshotReader::Planner planner{};     // empty: make_plan
  std::function<Steering()> steering{};  // of pods of other schedulers, now; empty: all can be steered
  LoadReservations reservations{};
  std::chrono::nanoseconds deadline = config::MigrationSettings{}.deadline;  // of each move
  std::chrono::nanoseconds debounce = std::chrono::seconds{2};               // collects events that arrive together
  // Called for every adopted plan, every outcome and every node activity, for the dashboard.
  std::function<void(const Plan&)> on_plan{};
  std::function<void(const migration::MoveOutcome&)> on_outcome{};
  std::function<void(const NodeActivity&)> on_node_activity{};
};

struct ControllerStatus {
  std::shared_ptr<const Plan> acted_on{};  // the last adopted plan
  std::shared_ptr<const Plan> observed{};
  std::vector<ActiveBrake> holding{};
  BalanceReport balance_report{};
  std::uint64_t cycles = 0;
  std::size_t under_way = 0;
  std::vector<MaintenanceNode> maintenance_nodes{};  // labelled for maintenance, or with our annotation
  std::map<std::string, DrainProgress> drains{};     // those of them that are draining or drained
  std::optional<Pause> paused{};                     // by users, with the annotation
};

class Controller {
 public:
  // `migrator` must outlive the controller.
  static Result<std::unique_ptr<Controller>> make(ControllerApis apis,
                                                  ControllerSettings settings,
                                                  migration::Migrator& migrator,
                                                  kube::LoopServices services);
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // --- Changes of the kinds that the scheduler watches. The controller watches the other kinds itself. ---
  void upsert(const kube::ObjectPtr& object);
  void remove(const kube::ObjectPtr& object);
  void loads(std::shared_ptr<const LoadUpdate> loads);
  net::Task<void> drained();  // after all earlier changes are applied
  // A binding will bring this node above its threshold.
  void overloaded(const std::string& node);

  void follow();
  net::Task<Result<void>> wait_synced();
  void lead();  // after wait_synced()
  net::Task<void> stop();

  const ControllerStatus& status() const;
  std::string status_text() const;  // for users
  // Starts a cycle as soon as possible, as an event does.
  void run_soon(const std::string& why);
  // A user approves a published plan. Brakes and the check before each move apply as for other plans.
  Result<void> apply_observed(const std::string& plan);
  // The current mode of each strategy, and a change that lasts until the process ends.
  std::vector<std::pair<config::Strategy, config::StrategyMode>> modes() const;
  void set_mode(config::Strategy strategy, config::StrategyMode mode);

 private:
  struct State;
  explicit Controller(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::rescheduling
