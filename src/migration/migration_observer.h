// Reads the cluster state for one migration: fresh reads of the objects that the next step depends on, and no others.
#pragma once

#include <string>

#include "kube/client/client.h"
#include "migration/protocol.h"
#include "net/task.h"

namespace rescheduler::api {
class Pod;
class ObjectMeta;
class ReplicaSet;
}  // namespace rescheduler::api

namespace rescheduler::migration {

class MigrationObserver {
 public:
  explicit MigrationObserver(kube::Api& api) : client_(api) {}

  // Everything except what only the controller knows: whether another move is ahead, and whether the move is cancelled.
  net::Task<Result<ObservedState>> look(const api::Migration& migration, WallTime now);

 private:
  struct Owner {
    std::string kind{};
    std::string name{};
    std::string uid{};
  };
  net::Task<Result<void>> observe_pods(const api::Migration& migration, ObservedState& observed, Owner& owner);
  net::Task<Result<Owner>> top_owner(std::string ns, Owner of_pod);
  net::Task<Result<void>> observe_workload(const api::Migration& migration,
                                           const Owner& owner,
                                           ObservedState& observed);
  template <class T>
  net::Task<Result<void>> read_workload(std::string ns, Owner owner, ObservedState& observed);
  net::Task<Result<void>> observe_replicas(const api::Migration& migration, ObservedState& observed);
  net::Task<Result<void>> observe_sets(const api::Migration& migration, ObservedState& observed);
  net::Task<Result<void>> observe_budgets(const api::Migration& migration, ObservedState& observed);
  net::Task<Result<void>> observe_autoscaler(const std::string& ns, ObservedState& observed);
  net::Task<Result<void>> observe_target(const api::Migration& migration, ObservedState& observed);

  kube::Client client_;
  // Of the source pod, to match PodDisruptionBudgets.
  std::vector<std::pair<std::string, std::string>> source_labels_;
};

ObservedPod observed_pod(const api::Pod& pod);
// The ReplicaSet as a workload, if the Deployment controller has copied this intent to it; nullopt: no copy.
std::optional<ObservedWorkload> copied_intent(const api::ReplicaSet& set, const std::string& migration);
// The reason if the object is opted out ("disabled"; an unknown value counts as opted out); empty: no opt-out.
std::string opt_out_of(const api::ObjectMeta& metadata, const std::string& whose);

}  // namespace rescheduler::migration
