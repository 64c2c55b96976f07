// Moves carried out beside a scheduler of ours: what the two have to know of each other.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "config/configuration.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/leader/leader_fence.h"
#include "migration/migration_controller.h"
#include "rescheduler/loop/live_rescheduler.h"
#include "scheduler/live_scheduler.h"

namespace rescheduler::cli {

// How busy nodes are, as the scheduler last said: for the records of moves. Belongs to the loop's thread.
class NodeLoads {
 public:
  void listen(scheduler::LiveSettings& to);       // beside whoever does so already
  std::string of(const std::string& node) const;  // JSON; empty: nobody measures it

 private:
  std::shared_ptr<std::shared_ptr<const scheduler::LoadsSeen>> last_ =
      std::make_shared<std::shared_ptr<const scheduler::LoadsSeen>>();
};

// Tells the scheduler where replacements are wanted.
using Steer = std::function<void(std::vector<scheduler::Intent>)>;

std::unique_ptr<migration::MigrationController> make_mover(kube::Api& api,
                                                           kube::Api* events,
                                                           const config::Configuration& configuration,
                                                           const std::string& host,
                                                           std::shared_ptr<const kube::LeaderFence> fence,
                                                           Steer steer,
                                                           const NodeLoads& loads,
                                                           kube::LoopServices services);

// Run together with the controller that gives it orders. With `define`, the cluster is taught the word Migration first.
rescheduling::MadeMover run_by_rescheduler(std::unique_ptr<migration::MigrationController> mover,
                                           net::Timers& timers,
                                           kube::Api* define = nullptr);

// Leads once the cluster has shown its Migrations; says so when it does not know the word.
net::Task<void> lead_when_synced(migration::MigrationController& mover, net::Timers& timers);

// To be waited for before a scheduler of ours begins to decide: where replacements are wanted stands in Migrations. Not
// for long where the cluster does not show them, nor at all where it does not know the word.
net::Task<void> steer_when_shown(migration::MigrationController& mover, kube::Api& api, net::Timers& timers);

}  // namespace rescheduler::cli
