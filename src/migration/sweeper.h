// Undoes the changes on other objects that belong to no active Migration: the Migration was deleted, or it ended while
// an answer was lost. The sweeper needs only the labels and annotations of the objects.
#pragma once

#include <cstddef>
#include <string>

#include "migration/step_executor.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::migration {

struct Swept {
  std::size_t undone = 0;
  std::size_t forgotten = 0;  // ended Migrations beyond `history`, deleted
  bool unfinished = false;    // an object changed during the sweep: sweep again soon
};

class Sweeper {
 public:
  Sweeper(kube::Api& api, const MigrationSettings& settings)
      : client_(api), step_executor_(api, settings), settings_(settings) {}

  net::Task<Result<Swept>> sweep();

 private:
  net::Task<Result<bool>> in_charge(const std::string& ns, const std::string& migration);
  template <class T>
  net::Task<Result<void>> sweep_workloads(std::string_view kind, Swept& swept);
  net::Task<Result<void>> sweep_pods(Swept& swept);
  net::Task<Result<void>> sweep_pod(const api::Pod& pod, const std::string& ns);
  net::Task<Result<void>> sweep_budgets(Swept& swept);
  net::Task<Result<void>> look_back(Swept& swept);
  net::Task<Result<void>> unmark_sets(std::string ns, std::string selector, std::string migration, Swept& swept);
  net::Task<Result<void>> forget_history(std::vector<std::shared_ptr<const api::Migration>> ended, Swept& swept);

  kube::Client client_;
  StepExecutor step_executor_;
  const MigrationSettings& settings_;
  bool again_ = false;  // Deployments need a second pass, which checks their ReplicaSets
};

}  // namespace rescheduler::migration
