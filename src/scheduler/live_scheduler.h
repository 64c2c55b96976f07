// A Scheduler at work in a cluster: informers tell it what happens, a Carrier does what it decides.
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
#include "kube/leader/component.h"
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
  net::EventLoop* network = nullptr;  // the loop of `services`; needed for extenders, which are waited for
};

class LiveScheduler final : public kube::Component {
 public:
  static Result<std::unique_ptr<LiveScheduler>> make(LiveApis apis, LiveSettings settings, kube::LoopServices services);
  ~LiveScheduler() override;

  void listen(ClusterSink sink);  // before follow(): told what the scheduler is told
  void follow() override;
  bool synced() const;
  net::Task<Result<void>> wait_synced() override;
  void lead() override;
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;

  // Where replacements of pods that are being moved are wanted; before whatever makes them appear.
  void want(std::vector<Intent> intents);

  // Who says how busy nodes are, for people; nothing: no profile places by load.
  std::optional<std::string> load_status() const;

  // The same, for a coroutine of any loop that waits for it.
  net::Task<void> visit(std::function<void(Scheduler&)> look);
  // Any thread: room on a node for a pod that is on its way there, under a name of its own, until it is released.
  void reserve_load(const std::string& key, const std::string& node, const cluster::Loads& load);
  void release(const std::string& key);
  // Any thread: what pods are seen to use. Those that come are expected to use as much.
  void expect(usage::WorkloadUsagesPtr workload_usages);
  // Any thread: looks at the scheduler on its own thread.
  void inspect(std::function<void(Scheduler&)> look);

 private:
  struct State;
  explicit LiveScheduler(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::scheduler
