// The Mover that keeps its word: every move is a Migration object, and whoever leads goes on from there.
//
// Members belong to the loop's thread. Apis and services outlive it and the loop's jobs.
#pragma once

#include <functional>
#include <memory>

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
  kube::Api* events = nullptr;  // null: the same
  kube::LoopServices services;
  std::shared_ptr<const kube::LeaderFence> fence{};  // null: nobody else could be leading
  MigrationSettings settings{};
};

class MigrationController final : public Migrator, public kube::Component {
 public:
  explicit MigrationController(MigrationParts parts);
  ~MigrationController() override;

  void follow() override;
  bool synced() const;
  net::Task<Result<void>> wait_synced() override;
  // Says where replacements are wanted, as far as is known: before a scheduler of ours begins to decide.
  void steer();
  void lead() override;  // takes up what it finds, sweeps, and begins what it is given
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;

  void begin(MoveRequest request) override;
  std::vector<MoveRequest> under_way() const override;
  void on_outcome(std::function<void(const MoveOutcome&)> tell) override;

  // Told of every Migration there is, as it changes; `gone`: for the last time.
  void on_change(std::function<void(const api::Migration& migration, bool gone)> tell);
  // Where this new pod of another scheduler is wanted, on any replica that follows; empty: nowhere in particular.
  std::string wanted_on(const api::Pod& pod) const;

  // Undoes what nobody is in charge of any more, now.
  net::Task<Result<void>> sweep();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::migration
