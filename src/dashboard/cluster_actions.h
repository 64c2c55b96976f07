// Carries out the actions of the pages in the cluster. Writes the same objects as the command line, and an Event that
// names the user. Used only on the thread of the event loop.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "dashboard/actions.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/events/event_recorder.h"

namespace rescheduler::rescheduling {
class Controller;
}  // namespace rescheduler::rescheduling

namespace rescheduler::dashboard {

struct ClusterActionsParts {
  kube::Api* api = nullptr;
  kube::Api* events = nullptr;  // null: `api`
  kube::LoopServices services;
  std::string ns = "kube-system";  // namespace of the lease and of the move history
  std::string lease = "rescheduler-scheduler";
  std::string host{};
  std::function<rescheduling::Controller*()> controller{};  // null: this process does not move pods
};

class ClusterActions final : public Actions {
 public:
  explicit ClusterActions(ClusterActionsParts parts);

  ActionAnswer pause(std::string who, bool paused, std::string reason) override;
  ActionAnswer apply_plan(std::string who, std::string plan) override;
  ActionAnswer cancel_migration(std::string who, std::string ns, std::string name) override;
  ActionAnswer move(std::string who, std::string ns, std::string pod, std::string to, std::string mode) override;
  ActionAnswer maintenance(std::string who, std::string node, bool on) override;
  // Waits until all Events are written or given up.
  net::Task<Result<void>> flush() { return events_.flush(); }

 private:
  rescheduling::Controller* controller() const { return parts_.controller ? parts_.controller() : nullptr; }
  net::Task<Result<void>> write_pause(std::string who, bool paused, std::string reason);
  void record_event(kube::ObjectRef about, std::string reason, std::string note);
  kube::ObjectRef lease() const;

  ClusterActionsParts parts_;
  kube::EventRecorder events_;
};

}  // namespace rescheduler::dashboard
