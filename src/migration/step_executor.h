// Carries out one step of a migration. Every change and deletion has a precondition, so that it applies only to the
// observed object.
#pragma once

#include "kube/client/client.h"
#include "migration/protocol.h"
#include "net/task.h"

namespace rescheduler::api {
class Deployment;
}  // namespace rescheduler::api

namespace rescheduler::migration {

class StepExecutor {
 public:
  StepExecutor(kube::Api& api, const MigrationSettings& settings) : client_(api), settings_(settings) {}

  // After a Write, `migration` is the object that the server returned.
  net::Task<Result<void>> perform(api::Migration& migration, const ObservedState& observed, const Step& step);
  // UnmarkWorkload and UnmarkPod for the sweeper, which has the labelled object but not its Migration.
  net::Task<Result<void>> unmark(const std::string& ns, const ObservedWorkload& workload, bool keep_label = false);
  net::Task<Result<void>> unmark_pod(const std::string& ns, const std::string& name, const std::string& uid);

 private:
  net::Task<Result<void>> write(api::Migration& migration, const Step& step);
  net::Task<Result<void>> evict(const api::Migration& migration, const ObservedPod& pod, bool dry_run);
  net::Task<Result<void>> patch_workload(const std::string& ns, const ObservedWorkload& workload, std::string patch);
  net::Task<Result<void>> mark_pod(const api::Migration& migration, const ObservedPod& pod);
  net::Task<Result<void>> create_budget(const api::Migration& migration);
  net::Task<Result<void>> nominate(const api::Migration& migration, const Step& step);
  net::Task<Result<void>> create_copy(const api::Migration& migration, const Step& step);
  net::Task<Result<void>> release_copy(const api::Migration& migration, const ObservedPod& pod);

  kube::Client client_;
  const MigrationSettings& settings_;
};

}  // namespace rescheduler::migration
