// Our scheduler at work in an embedded cluster, on the cluster's own thread and in its time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/metrics.h"
#include "base/rng.h"
#include "kube/client/api.h"
#include "migration/migration_controller.h"
#include "net/event_loop.h"
#include "scheduler/live_scheduler.h"

namespace rescheduler::cli {

class OwnScheduler {
 public:
  static constexpr std::string_view kNotice = "pods are placed by this program's own scheduler";

  enum class Judges : std::uint8_t { Load, Requests };  // nodes by; Requests: kube-scheduler's defaults alone

  // Places pods that name it, and those that name nobody (default-scheduler). All of these outlive it and the loop.
  static Result<std::unique_ptr<OwnScheduler>> start(kube::Api& api,
                                                     net::Executor executor,
                                                     net::Timers& timers,
                                                     const Clock& clock,
                                                     std::uint64_t seed,
                                                     Judges by = Judges::Load);
  ~OwnScheduler();
  // To its end before it is destroyed: what it began on the loop uses it.
  net::Task<Result<void>> stop();

 private:
  explicit OwnScheduler(std::uint64_t seed) : rng_(seed) {}

  Rng rng_;
  MetricRegistry metrics_;
  std::unique_ptr<scheduler::LiveScheduler> live_;
  std::unique_ptr<migration::MigrationController> mover_;
  net::Job beginning_;
};

}  // namespace rescheduler::cli
