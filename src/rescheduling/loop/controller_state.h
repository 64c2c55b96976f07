// Implementation of Controller; see controller.h.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kube/events/event_recorder.h"
#include "kube/informer/reflector.h"
#include "net/waiter.h"
#include "rescheduling/history/move_history_store.h"
#include "rescheduling/history/persistence.h"
#include "rescheduling/loop/controller.h"
#include "rescheduling/loop/controller_metrics.h"
#include "rescheduling/loop/effects.h"
#include "rescheduling/loop/plan_progress.h"

namespace rescheduler::rescheduling {

struct Controller::State : std::enable_shared_from_this<State> {
  State(ControllerApis the_apis,
        ControllerSettings the_settings,
        migration::Migrator& the_migrator,
        kube::LoopServices the_services,
        std::unique_ptr<placement::Framework> framework);

  // --- Driver ---
  static net::Task<void> run(std::shared_ptr<State> self);
  static net::Task<void> tick(std::shared_ptr<State> self);
  static net::Task<void> run_later(std::shared_ptr<State> self);
  void wake();
  void run_soon(const std::string& why);

  // --- One cycle ---
  net::Task<void> cycle(bool regular);
  net::Task<void> take_cluster();
  net::Task<void> read_pod_use();
  void record_summary(const SnapshotSummary& summary, const BrakeVerdict& verdict, bool regular, WallTime now);
  net::Task<std::set<std::string>> maintain_nodes(SnapshotSummary& summary, const BrakeVerdict& verdict, WallTime now);
  net::Task<void> write_nodes(MaintenanceStep step);
  net::Task<bool> write_condition(std::string node, std::optional<DrainProgress> progress);
  net::Task<void> plan_to_act(BrakeVerdict verdict, std::set<std::string> draining, WallTime now);
  net::Task<void> plan_to_observe(std::set<std::string> draining, WallTime now);
  net::Task<std::shared_ptr<const Plan>> made_plan(PlanScope scope, std::string mode, WallTime now);
  PlanScope plan_scope_for(std::vector<config::Strategy> strategies, std::set<std::string> draining) const;
  void publish(const Plan& plan);
  Result<void> apply_observed(const std::string& plan);
  void set_mode(config::Strategy strategy, config::StrategyMode mode);

  // --- Moves ---
  net::Task<void> advance();
  net::Task<bool> begin(std::vector<PlannedMove> moves);
  void ended(const migration::MoveOutcome& outcome);

  void report_brakes(const BrakeVerdict& verdict);
  void record_lease_event(bool warning, std::string reason, std::string note);

  ControllerApis apis;
  ControllerSettings settings;
  migration::Migrator& migrator;
  kube::LoopServices services;
  net::Executor planning;
  std::unique_ptr<SnapshotReader> snapshot_reader;  // used only on the planning executor
  MoveHistoryStore store;
  ControllerMetrics metrics;
  kube::EventRecorder events;
  PersistenceTracker persistence;
  EffectTracker effects;
  Maintenance maintenance;
  PlanProgress plan_progress;
  PlanScope acting{};  // the scope of the plan in progress
  WallTime adopted{};  // when this plan was adopted
  ControllerStatus status{};
  std::vector<std::unique_ptr<kube::Reflector>> reflectors{};

  struct NodeFlags {
    bool ready = false;
    bool marked = false;
    bool unschedulable = false;
    cluster::DrainClasses drain_allows{};
  };
  std::map<std::string, NodeFlags> nodes{};
  std::set<std::string> predicted{};  // nodes that a binding will bring above a threshold
  bool pods_measured = false;         // the SnapshotReader has usage of pods
  std::string reported_brakes{};
  std::string reported_plan{};

  std::unique_ptr<net::Waiter> waiter{};
  bool wake_pending = false;
  bool leading = false;
  bool stopping = false;
  bool run_scheduled = false;
  bool tick_due = false;
  bool event_due = false;
  std::vector<net::Job> jobs{};
  std::vector<net::Job> followers{};
};

}  // namespace rescheduler::rescheduling
