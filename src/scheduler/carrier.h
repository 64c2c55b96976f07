// Carries out the scheduler's orders against the API: binds, reports, makes room. Many bindings are under way at a
// time; none waits for a report or an event. Belongs to the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/client/client.h"
#include "kube/client/loop_services.h"
#include "kube/events/event_recorder.h"
#include "kube/leader/leader_fence.h"
#include "scheduler/orders.h"
#include "scheduler/work_lane.h"

namespace rescheduler::api {
class Binding;
}  // namespace rescheduler::api

namespace rescheduler::scheduler {

api::Binding binding_of(const PodToBind& pod, const std::string& node);

struct CarrierSettings {
  std::vector<std::string> scheduler_names{};  // by profile
  std::size_t bindings_at_once = 64;           // enough to keep an API server on many cores busy
  std::size_t reports_at_once = 8;
  std::shared_ptr<const kube::LeaderFence> fence{};  // null: nobody else could be leading
};

// Called on the loop's thread.
struct CarrierResults {
  std::function<void(std::string uid)> bound{};
  std::function<void(std::string uid, Error error)> bind_failed{};
  std::function<void(std::string uid, bool all)> room_made{};
};

class Carrier {
 public:
  // One recorder for each profile: events say which scheduler speaks.
  Carrier(kube::Api& api,
          std::vector<kube::EventRecorder*> recorders,
          CarrierSettings settings,
          CarrierResults results,
          kube::LoopServices services);

  // What has to live as long as anything is under way: whoever owns this.
  void keep(const std::weak_ptr<void>& owner) {
    bindings_.keep(owner);
    reports_.keep(owner);
  }
  void take(Order order);
  bool idle() const { return bindings_.idle() && reports_.idle(); }
  net::Task<Result<void>> wait_idle();  // everything that was begun has ended
  void begin_nothing_more();

  // How a pod gets its node; another way may stand in (volumes first, an extender).
  using Bind = std::function<net::Task<Result<void>>(const BindOrder&)>;
  void bind_by(Bind bind) { bind_ = std::move(bind); }
  net::Task<Result<void>> post_binding(const BindOrder& order);

 private:
  net::Task<void> bind(BindOrder order);
  net::Task<Result<bool>> has_node(const BindOrder& order);
  net::Task<void> report(ReportOrder order);
  net::Task<void> make_room(RoomOrder order);
  net::Task<bool> send_away(const RoomOrder& order, const Victim& victim);
  void tell(std::size_t profile, kube::EventRecord record) const;
  bool may_act() const { return !settings_.fence || settings_.fence->may_act(); }

  kube::Client client_;
  std::vector<kube::EventRecorder*> recorders_;
  CarrierSettings settings_;
  CarrierResults results_;
  kube::LoopServices services_;
  Bind bind_;
  WorkLane bindings_;
  WorkLane reports_;
};

}  // namespace rescheduler::scheduler
