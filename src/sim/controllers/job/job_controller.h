// Runs Jobs: as many pods at a time as parallelism allows, until enough pods have succeeded or too many have failed.
//
// A pod keeps the job-tracking finalizer until the status counts its end, so a deleted pod is counted too. Not
// supported: podFailurePolicy, successPolicy, backoffLimitPerIndex and managedBy. A Job with one of the first three
// does not run; an Event reports it.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/controllers/controller_scope.h"
#include "sim/controllers/pods/pod_control.h"
#include "sim/controllers/work_queue.h"

namespace rescheduler::api {
class Job;
class JobStatus;
}  // namespace rescheduler::api

namespace rescheduler::sim {

class JobController {
 public:
  explicit JobController(const ControllerScope& scope);

 private:
  struct ReconcileState;  // the state of one reconcile of one Job
  struct PodFailures {
    int failures = 0;  // since the last success
    WallTime last{};
  };

  void job_changed(const Change& change);
  void pod_changed(const PodView* before, const PodView* after);
  void reconcile(const std::string& key);
  void count(ReconcileState& state);
  void count_end(ReconcileState& state, const PodView& pod);
  void decide_end(ReconcileState& state);
  int restarts(const ReconcileState& state) const;
  void suspend_or_resume(ReconcileState& state);
  bool write_status(ReconcileState& state);
  void release(const std::vector<std::string>& pods, const std::string& ns);
  void delete_pods(ReconcileState& state, std::size_t most);
  void manage(ReconcileState& state);
  void create_pods(ReconcileState& state, int missing);
  std::unique_ptr<api::Pod> new_pod(const api::Job& job, std::optional<int> index) const;
  void look_after_finished(const api::Job& job);
  void free_orphan(const std::string& key);
  void note(const api::Job& job, kube::EventType type, std::string_view reason, std::string text);

  Server& server_;
  PodIndex& pods_;
  EventWriter& events_;
  WorkQueue queue_;
  WorkQueue orphans_;  // pods of deleted Jobs that still have the finalizer
  PodControl pods_control_;
  std::map<std::string, PodFailures, std::less<>> pod_failures_;  // by uid of the Job
  std::unique_ptr<Store::Subscription> on_jobs_;
  PodIndex::Subscription on_pods_;
};

}  // namespace rescheduler::sim
