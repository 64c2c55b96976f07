// A Migrator that survives restarts: each move is recorded in a Migration object, from which a new leader continues.
//
// All calls on the loop's thread. The apis and services outlive the controller and the jobs of the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/error.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/leader/component.h"
#include "kube/leader/leader_fence.h"
#include "migration/migrator.h"
#include "migration/settings.h"

namespace rescheduler::api {
class Migration;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::migration {

struct MigrationParts {
  kube::Api* api = nullptr;
  kube::Api* events = nullptr;  // null: the same client
  kube::LoopServices services;
  std::shared_ptr<const kube::LeaderFence> fence{};  // null: there is no leader election
  MigrationSettings settings{};
};

class MigrationController final : public Migrator, public kube::Component {
 public:
  explicit MigrationController(MigrationParts parts);
  ~MigrationController() override;

  void follow() override;
  bool synced() const;
  // Why Migrations cannot be read now; nullopt: they can be read. NotFound: their definition is not installed.
  const std::optional<Error>& failure() const;
  net::Task<Result<void>> wait_synced() override;
  // Publishes the known intents; call it before the scheduler of this process starts to decide.
  void steer();
  void lead() override;  // resumes existing migrations, sweeps, and starts the requested moves
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;

  void begin(MoveRequest request) override;
  std::vector<MoveRequest> under_way() const override;
  void on_outcome(std::function<void(const MoveOutcome&)> listener) override;

  // Called for every Migration and each of its changes; `gone`: it was deleted.
  void on_change(std::function<void(const api::Migration& migration, bool gone)> listener);
  // The intent for this new pod of another scheduler; nullopt: none. Works on every replica that follows, not only on
  // the leader.
  std::optional<PlacementIntent> intent_for(const api::Pod& pod) const;

  // Runs the sweeper now: undoes changes that belong to no active Migration.
  net::Task<Result<void>> sweep();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::migration
