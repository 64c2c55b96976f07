// Rescheduling beside a live scheduler, put together: fenced writes, a mover, the controller, and the wires between
// them.
//
//   auto rescheduler = LiveRescheduler::make({&api, &events}, settings, services);   // null: it is switched off
//   (*rescheduler)->listen(live_settings);   // before the scheduler is made
//   (*rescheduler)->attach(*live);           // after
//   (*rescheduler)->follow(); co_await (*rescheduler)->wait_synced(); (*rescheduler)->lead();
//   co_await (*rescheduler)->stop();         // before the scheduler is stopped; destroyed after it
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/leader/leader_fence.h"
#include "migration/mover.h"
#include "rescheduler/loop/controller.h"
#include "scheduler/live_scheduler.h"

namespace rescheduler::rescheduling {

// A mover, and how it is run where it has a life of its own. Any of the functions may be empty.
struct MadeMover {
  std::unique_ptr<migration::Mover> mover{};
  std::function<void()> follow{};
  std::function<net::Task<Result<void>>()> wait_synced{};
  std::function<void()> lead{};
  std::function<net::Task<void>()> stop{};  // what it runs on the loop has ended
};
// With an Api that writes only while we lead.
using MakeMover = std::function<MadeMover(kube::Api& fenced, const kube::LoopServices& services)>;

struct LiveReschedulerSettings {
  config::Configuration configuration{};  // `rescheduled` says what is done
  std::string host{};
  std::uint64_t seed = 1;
  std::shared_ptr<const kube::LeaderFence> fence{};
  net::EventLoop* planning = nullptr;  // where plans are made; null: on the same loop
  MakeMover make_mover{};
  std::chrono::nanoseconds debounce = std::chrono::seconds{2};
  std::function<void(const Plan&)> on_plan{};
  std::function<void(const migration::MoveOutcome&)> on_outcome{};
  std::function<void(const NodeNews&)> on_node_news{};
};

class LiveRescheduler {
 public:
  // Nothing: nothing is rescheduled.
  static Result<std::unique_ptr<LiveRescheduler>> make(scheduler::LiveApis apis,
                                                       LiveReschedulerSettings settings,
                                                       kube::LoopServices services);
  ~LiveRescheduler();
  LiveRescheduler(const LiveRescheduler&) = delete;
  LiveRescheduler& operator=(const LiveRescheduler&) = delete;

  void listen(scheduler::LiveSettings& to);
  void attach(scheduler::LiveScheduler& live) { live_ = &live; }
  void follow();
  net::Task<Result<void>> wait_synced();
  void lead();
  net::Task<void> stop();

  Controller& controller() { return *controller_; }
  migration::Mover& mover() { return *mover_.mover; }

 private:
  LiveRescheduler() = default;

  std::unique_ptr<kube::Api> writes_;
  std::unique_ptr<kube::Api> events_;
  MadeMover mover_;
  std::shared_ptr<Controller> controller_;
  scheduler::LiveScheduler* live_ = nullptr;
};

}  // namespace rescheduler::rescheduling
