// Starts Jobs on schedule. Schedules are in UTC. A CronJob with another time zone does not run; an Event reports it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/controllers/controller_scope.h"
#include "sim/controllers/work_queue.h"
#include "sim/kinds/cron.h"

namespace rescheduler::api {
class CronJob;
class CronJobStatus;
class Job;
}  // namespace rescheduler::api

namespace rescheduler::sim {

struct DueTime {
  std::optional<WallTime> latest{};  // the latest scheduled time that has passed without a Job
  int missed = 0;                    // number of missed times, including `latest`
};
// Starts from the last scheduled time (or the creation of the CronJob), but not earlier than the deadline allows.
DueTime due_time(const CronSchedule& schedule,
                 WallTime since,
                 std::optional<std::chrono::seconds> deadline,
                 WallTime now);

class CronJobController {
 public:
  explicit CronJobController(const ControllerScope& scope);

 private:
  using JobPtr = std::shared_ptr<const api::Job>;
  void changed(const Change& change);
  void job_changed(const Change& change);
  void reconcile(const std::string& key);
  std::vector<JobPtr> jobs_of(const api::CronJob& cron) const;  // oldest first
  void note_finished(const api::CronJob& cron, const std::vector<JobPtr>& jobs, api::CronJobStatus& status);
  void drop_history(const api::CronJob& cron, const std::vector<JobPtr>& jobs);
  void run_if_due(const api::CronJob& cron, api::CronJobStatus& status);
  bool start(const api::CronJob& cron, WallTime scheduled, api::CronJobStatus& status);
  void remove(const api::CronJob& cron, const std::string& job);
  void note(const api::CronJob& cron, kube::EventType type, std::string_view reason, std::string text);

  Server& server_;
  EventWriter& events_;
  WorkQueue queue_;
  std::map<std::string, std::map<std::string, std::string>, std::less<>> jobs_;  // by CronJob's uid: name -> namespace
  std::unique_ptr<Store::Subscription> on_cron_jobs_;
  std::unique_ptr<Store::Subscription> on_jobs_;
};

}  // namespace rescheduler::sim
