// Assembles the program: scheduler, migrations, rescheduler, failure recovery and webhook, and their connections.
// `rescheduler run` uses one with its port and lease; `demo` and `sim` use one on an embedded cluster.
//
//   auto composition = Composition::make({&api}, settings, services);
//   (*composition)->listen(listeners);      // before follow()
//   (*composition)->follow();
//   (*composition)->lead();                 // each component acts as soon as it is synced
//   co_await (*composition)->stop(grace);
//
// Members belong to the thread of the event loop. Apis and services must outlive the object and the jobs of the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/composition/installation.h"
#include "cli/composition/pod_webhook.h"
#include "config/configuration.h"
#include "kube/leader/component.h"
#include "migration/migration_controller.h"
#include "rescheduling/loop/live_rescheduler.h"
#include "rescheduling/recovery/live_recovery.h"
#include "scheduler/live_scheduler.h"

namespace rescheduler::cli {

// Each can be a separate client, so that none delays another; null: `api`.
struct CompositionApis {
  kube::Api* api = nullptr;
  kube::Api* events = nullptr;
  kube::Api* migrations = nullptr;
  kube::Api* recovery = nullptr;
};

struct CompositionSettings {
  config::Configuration configuration{};
  std::string host{};  // reporting instance of events
  std::uint64_t seed = 1;
  std::shared_ptr<const kube::LeaderFence> fence{};  // null: no leader election
  net::EventLoop* network = nullptr;                 // the loop of the services; null: extenders cannot be called
  net::EventLoop* deciding = nullptr;                // null for this and the next: the loop of the services
  net::EventLoop* planning = nullptr;
  bool define_migrations = false;                               // create the CustomResourceDefinition of Migration
  migration::MigrationSettings migrations{};                    // settings that the configuration does not have
  std::chrono::nanoseconds debounce = std::chrono::seconds{2};  // of the rescheduler
  std::optional<config::RecoverySettings> recovery{};           // empty: no failure recovery
  std::optional<config::WebhookSettings> webhook{};             // empty: no webhook
  std::string webhook_address = "0.0.0.0";  // the API server sends no token, so the webhook has a port of its own
};

// Additional listeners, for example the dashboard. Each callback can be empty.
struct Listeners {
  scheduler::ClusterSink cluster{};
  std::function<void(const api::Migration& migration, bool gone)> on_migration{};
  std::function<void(const rescheduling::Plan&)> on_plan{};
  std::function<void(const migration::MoveOutcome&)> on_outcome{};
  std::function<void(const rescheduling::NodeActivity&)> on_node_activity{};
  std::function<void(const rescheduling::recovery::RecoveryActivity&)> on_recovery_activity{};
};

class Composition final : public kube::Component {
 public:
  static Result<std::unique_ptr<Composition>> make(CompositionApis apis,
                                                   CompositionSettings settings,
                                                   kube::LoopServices services);
  ~Composition() override;

  void listen(Listeners listeners);
  // With delayCacheUntilActive only the informers of the webhook start here; the others start in lead().
  void follow() override;
  net::Task<Result<void>> wait_synced() override;
  void lead() override;
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;

  const config::Configuration& configuration() const { return settings_.configuration; }
  scheduler::LiveScheduler& scheduler() { return *scheduler_; }
  // Null: switched off.
  rescheduling::Controller* controller() { return rescheduler_ == nullptr ? nullptr : &rescheduler_->controller(); }
  const rescheduling::recovery::LiveRecovery* recovery() const { return recovery_; }
  std::vector<InstallationProblem> problems() const;  // at most one for each part
  // Of the leader; empty: switched off.
  std::optional<std::string> recovery_status() const;
  std::optional<std::string> webhook_status() const;  // also empty: problems() has it

 private:
  Composition(CompositionApis apis, CompositionSettings settings, kube::LoopServices services);
  Result<void> make_scheduler();
  void make_migrations();
  Result<void> make_rescheduler();
  void make_recovery();
  void make_webhook();
  // Recovery gets pods, nodes and workloads from the scheduler's informers. With delayCacheUntilActive these informers
  // start only on the leader, but the API server calls the webhook of every replica. Then recovery has informers of its
  // own.
  bool recovery_is_fed() const { return settings_.recovery && !settings_.configuration.delay_cache_until_active; }
  template <class... About>
  std::function<void(About...)> notifier(std::function<void(About...)> Listeners::* what) const;

  void follow_cluster();
  void follow_migrations();
  void spawn(std::string name, net::Task<void> task);
  net::Task<void> define_migrations();
  net::Task<void> begin();
  net::Task<void> begin_to_recover();
  net::Task<void> steer_first();
  net::Task<void> await_migrations();

  CompositionApis apis_;
  CompositionSettings settings_;
  kube::LoopServices services_;
  std::shared_ptr<std::vector<Listeners>> listeners_ = std::make_shared<std::vector<Listeners>>();
  scheduler::LiveScheduler* scheduler_ = nullptr;
  migration::MigrationController* migrations_ = nullptr;
  rescheduling::LiveRescheduler* rescheduler_ = nullptr;
  rescheduling::recovery::LiveRecovery* recovery_ = nullptr;
  PodWebhook* webhook_ = nullptr;
  kube::Components components_;  // the five components above
  std::vector<net::Job> jobs_;
  bool stopping_ = false;
};

}  // namespace rescheduler::cli
