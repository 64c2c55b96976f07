// The rescheduling controller at work: looks at the cluster every interval and when something calls for it, makes plans
// and has them carried out - or only publishes them - as long as it leads and no brake holds.
//
//   tick, event --> survey --> brakes --> maintenance --> plan --> [observe: published]
//                                                          |
//                                                          +--> wave: each move looked at again --> written down
//                                                                 ^                                      |
//                                                                 +---- outcome <---- Mover <------------+
//
// Members belong to the network loop's thread; the world and planning to the planning executor. Whoever feeds it calls
// seen(), gone() and loads() from the network loop.
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

// What the scheduler goes by too: room for what is on its way, and what pods are seen to use. Each may be empty.
struct LoadReservations {
  std::function<void(const std::string& key, const std::string& node, const cluster::Loads& load)> reserve_load{};
  std::function<void(const std::string& key)> release{};
  std::function<void(usage::WorkloadUsagesPtr workload_usages)> expect{};
};

struct ControllerSettings {
  std::shared_ptr<const config::ReschedulerSettings> args{};
  placement::Profile profile{};    // whose filters targets have to pass
  std::string ns = "kube-system";  // of the lease, and of what we remember
  std::string name = "rescheduler-scheduler";
  std::string host{};
  std::uint64_t seed = 1;
  net::EventLoop* planning = nullptr;  // null: on the same loop as everything else
  SnapshotReader::Planner planner{};   // empty: make_plan
  LoadReservations reservations{};
  std::chrono::nanoseconds debounce = std::chrono::seconds{2};  // events come in crowds
  // Told of every plan that is begun with, and every outcome; for people who watch.
  std::function<void(const Plan&)> on_plan{};
  std::function<void(const migration::MoveOutcome&)> on_outcome{};
  std::function<void(const NodeActivity&)> on_node_activity{};
};

struct ControllerStatus {
  std::shared_ptr<const Plan> acted_on{};  // the last one
  std::shared_ptr<const Plan> observed{};
  std::vector<ActiveBrake> holding{};
  BalanceReport balance_report{};
  std::uint64_t cycles = 0;
  std::size_t under_way = 0;
  std::vector<MaintenanceNode> maintenance_nodes{};  // marked for maintenance
  std::map<std::string, DrainProgress> drains{};     // of them, those under way
  std::optional<Pause> paused{};                     // by people, with the annotation
};

class Controller {
 public:
  // The mover outlives it.
  static Result<std::unique_ptr<Controller>> make(ControllerApis apis,
                                                  ControllerSettings settings,
                                                  migration::Migrator& migrator,
                                                  kube::LoopServices services);
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // --- What happens, of the kinds the scheduler follows; the rest it follows itself. ---
  void upsert(const kube::ObjectPtr& object);
  void remove(const kube::ObjectPtr& object);
  void loads(std::shared_ptr<const LoadUpdate> loads);
  net::Task<void> on_synced();  // with what it was told
  // A placement will bring this node above its threshold.
  void overloaded(const std::string& node);

  void follow();
  net::Task<Result<void>> wait_synced();
  void lead();  // once all has been seen
  net::Task<void> stop();

  const ControllerStatus& status() const;
  std::string status_text() const;  // for people
  // Looks at the cluster as soon as it can, as if an event had called for it.
  void look_soon(const std::string& why);
  // Somebody wants the plan that was published for them to look at. What must hold for a move of ours holds for these:
  // brakes, and a look at each move before it begins.
  Result<void> apply_observed(const std::string& plan);
  // What each strategy does now, and a change of it that lasts as long as this process.
  std::vector<std::pair<config::Strategy, config::StrategyMode>> modes() const;
  void set_mode(config::Strategy strategy, config::StrategyMode mode);

 private:
  struct State;
  explicit Controller(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::rescheduling
