// Carries out the actions of the scheduler against the API server: binds pods, writes statuses, preempts. Many bindings
// run at the same time. No binding waits for a status write or an event. All calls on the thread of the event loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/client/client.h"
#include "kube/client/loop_services.h"
#include "kube/events/event_recorder.h"
#include "kube/leader/leader_fence.h"
#include "scheduler/actions.h"
#include "scheduler/bounded_queue.h"

namespace rescheduler::api {
class Binding;
}  // namespace rescheduler::api

namespace rescheduler::scheduler {

api::Binding binding_of(const PodToBind& pod, const std::string& node);

struct ActionExecutorSettings {
  std::vector<std::string> scheduler_names{};  // by profile
  std::size_t bindings_at_once = 64;           // enough to keep an API server on many cores busy
  std::size_t reports_at_once = 8;
  std::shared_ptr<const kube::LeaderFence> fence{};  // null: there is no leader election
};

// Called on the loop's thread.
struct ActionCallbacks {
  std::function<void(std::string uid)> bound{};
  std::function<void(std::string uid, Error error)> bind_failed{};
  std::function<void(std::string uid, bool all)> preemption_finished{};
};

class ActionExecutor {
 public:
  // One recorder for each profile, so that events name the right scheduler.
  ActionExecutor(kube::Api& api,
                 std::vector<kube::EventRecorder*> recorders,
                 ActionExecutorSettings settings,
                 ActionCallbacks results,
                 kube::LoopServices services);

  // `owner` owns this object. The queues keep `owner` alive while an action runs.
  void keep(const std::weak_ptr<void>& owner) {
    bindings_.keep(owner);
    reports_.keep(owner);
  }
  void take(SchedulingAction action);
  bool idle() const { return bindings_.idle() && reports_.idle(); }
  net::Task<Result<void>> wait_idle();  // returns when every started action has ended
  void drop_waiting();                  // actions that have not started

  // How a pod is bound. The default is post_binding(); a caller can replace it, for example with an extender.
  using Bind = std::function<net::Task<Result<void>>(const BindAction&)>;
  void bind_by(Bind bind) { bind_ = std::move(bind); }
  net::Task<Result<void>> post_binding(const BindAction& action);

 private:
  net::Task<void> bind(BindAction action);
  net::Task<Result<bool>> has_node(const BindAction& action);
  net::Task<void> report(StatusAction action);
  net::Task<void> preempt(PreemptAction action);
  net::Task<bool> evict_victim(const PreemptAction& action, const Victim& victim);
  void record_event(std::size_t profile, kube::EventRecord record) const;
  bool may_act() const { return !settings_.fence || settings_.fence->may_act(); }

  kube::Client client_;
  std::vector<kube::EventRecorder*> recorders_;
  ActionExecutorSettings settings_;
  ActionCallbacks results_;
  kube::LoopServices services_;
  Bind bind_;
  BoundedQueue bindings_;
  BoundedQueue reports_;
};

}  // namespace rescheduler::scheduler
