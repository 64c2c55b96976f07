// A Scheduler at work in a cluster: informers tell it what happens, a Carrier does what it decides.
//
//   auto live = LiveScheduler::make({.api = &api, .events = &events}, settings, services);
//   (*live)->follow();                       // begins to watch
//   co_await (*live)->wait_synced();
//   (*live)->lead();                         // begins to decide
//   co_await (*live)->stop(grace);           // decides no more; what was begun is finished
//
// Members belong to the loop's thread unless said otherwise. Apis and services outlive it and the loop's jobs.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/configuration.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/leader/leader_fence.h"
#include "scheduler/cluster_sink.h"
#include "scheduler/decision_loop.h"
#include "scheduler/intents.h"

namespace rescheduler::scheduler {

struct LiveApis {
  kube::Api* api = nullptr;
  kube::Api* events = nullptr;  // of its own, so that events never delay a binding; null: the same
};

struct LiveSettings {
  config::Configuration configuration{};
  std::string host{};  // who speaks in events
  std::size_t bindings_at_once = 64;
  std::uint64_t seed = 1;
  std::shared_ptr<const kube::LeaderFence> fence{};
  // Where decisions are made: a loop of its own (a thread), or nothing: the same as everything else.
  net::EventLoop* deciding = nullptr;
  // A pod was placed that will bring its node above a threshold, and preventive rescheduling is on. On the loop's
  // thread; the binding does not wait for it.
  std::function<void(const std::string& node)> overloaded{};
  ClusterSink sink{};                 // told what the scheduler is told
  net::EventLoop* network = nullptr;  // the loop of `services`; needed for extenders, which are waited for
};

class LiveScheduler {
 public:
  static Result<std::unique_ptr<LiveScheduler>> make(LiveApis apis, LiveSettings settings, kube::LoopServices services);
  ~LiveScheduler();
  LiveScheduler(const LiveScheduler&) = delete;
  LiveScheduler& operator=(const LiveScheduler&) = delete;

  void follow();
  bool synced() const;
  net::Task<Result<void>> wait_synced();
  void lead();
  // False: something was still under way when the grace was over, and uses what it was given.
  net::Task<bool> stop(std::chrono::nanoseconds grace);

  // Where replacements of pods that are being moved are wanted; before whatever makes them appear.
  void want(std::vector<Intent> intents);

  // Who says how busy nodes are, for people; nothing: no profile places by load.
  std::optional<std::string> load_status() const;

  // The same, for a coroutine of any loop that waits for it.
  net::Task<void> visit(std::function<void(Scheduler&)> look);
  // Any thread: room on a node for a pod that is on its way there, under a name of its own, until it is released.
  void book(const std::string& key, const std::string& node, const cluster::Loads& load);
  void release(const std::string& key);
  // Any thread: what pods are seen to use. Those that come are expected to use as much.
  void expect(usage::HabitsPtr habits);
  // Any thread: looks at the scheduler on its own thread.
  void inspect(std::function<void(Scheduler&)> look);

 private:
  struct State;
  explicit LiveScheduler(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::scheduler
