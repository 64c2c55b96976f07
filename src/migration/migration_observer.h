// Looks at the cluster for one move: fresh reads of what the next step depends on, and nothing more.
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

  // Everything but what only the controller knows: who is ahead, whether it was called off.
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
  // Of the source pod, for budgets.
  std::vector<std::pair<std::string, std::string>> source_labels_;
};

ObservedPod observed_pod(const api::Pod& pod);
// A ReplicaSet to which its Deployment's controller has copied the intent of this move; nothing: it has not.
std::optional<ObservedWorkload> copied_intent(const api::ReplicaSet& set, const std::string& migration);
// Says "disabled", or something we do not understand: then it is left alone too. Empty: it says nothing.
std::string opt_out_of(const api::ObjectMeta& metadata, const std::string& whose);

}  // namespace rescheduler::migration
