// Our scheduler at work in an embedded cluster, on the cluster's own thread and in its time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/metrics.h"
#include "base/rng.h"
#include "cli/daemon/own_mover.h"
#include "config/rescheduler_settings.h"
#include "kube/client/api.h"
#include "migration/migration_controller.h"
#include "net/event_loop.h"
#include "rescheduler/loop/live_rescheduler.h"
#include "scheduler/live_scheduler.h"

namespace rescheduler::cli {

// What is moved once it runs, and who is told of it.
struct OwnRescheduling {
  config::ReschedulerSettings args{};
  std::function<void(const rescheduling::Plan&)> on_plan{};
  std::function<void(const migration::MoveOutcome&)> on_outcome{};
  std::function<void(const rescheduling::NodeNews&)> on_node_news{};
};

// Who else is told what the scheduler and the mover are told. Either may be empty.
struct OwnListeners {
  std::function<void(scheduler::ClusterSink&)> sink{};
  std::function<void(migration::MigrationController&)> mover{};
};

class OwnScheduler {
 public:
  static constexpr std::string_view kNotice = "pods are placed by this program's own scheduler";

  static constexpr std::string_view kMovingNotice =
      "pods are placed and moved by this program's own scheduler and rescheduler";

  enum class Judges : std::uint8_t { Load, Requests };  // nodes by; Requests: kube-scheduler's defaults alone

  // As a demo has it, where a day is over in minutes: looks every few seconds, believes what it sees sooner, lets pods
  // rest for seconds where the defaults have minutes. Of thousands of nodes one look is a second's work for the thread
  // that also plays the cluster and answers browsers: they are looked at less often.
  static config::ReschedulerSettings in_a_hurry(int nodes = 0);

  // Places pods that name it, and those that name nobody (default-scheduler). All of these outlive it and the loop.
  static Result<std::unique_ptr<OwnScheduler>> start(kube::Api& api,
                                                     net::Executor executor,
                                                     net::Timers& timers,
                                                     const Clock& clock,
                                                     std::uint64_t seed,
                                                     Judges by = Judges::Load,
                                                     std::optional<OwnRescheduling> rescheduling = std::nullopt,
                                                     OwnListeners listeners = OwnListeners());
  ~OwnScheduler();
  const MetricRegistry& metrics() const { return metrics_; }
  rescheduling::LiveRescheduler* rescheduler() { return rescheduler_.get(); }
  scheduler::LiveScheduler& live() { return *live_; }
  const config::Configuration& configuration() const { return configuration_; }
  // To its end before it is destroyed: what it began on the loop uses it.
  net::Task<Result<void>> stop();

 private:
  explicit OwnScheduler(std::uint64_t seed) : rng_(seed) {}
  std::unique_ptr<migration::MigrationController> new_mover(kube::Api& api,
                                                            const config::Configuration& configuration,
                                                            const kube::LoopServices& services);

  Rng rng_;
  OwnListeners listeners_;
  config::Configuration configuration_;
  MetricRegistry metrics_;
  NodeLoads loads_;
  std::unique_ptr<rescheduling::LiveRescheduler> rescheduler_;  // null: nothing is moved
  std::unique_ptr<scheduler::LiveScheduler> live_;
  std::unique_ptr<migration::MigrationController> mover_;  // null: the rescheduler has it
  net::Job beginning_;
  net::Job moving_;
};

}  // namespace rescheduler::cli
