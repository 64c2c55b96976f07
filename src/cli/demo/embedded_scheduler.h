// Our scheduler and rescheduler in an embedded cluster, on its thread and in its time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/metrics.h"
#include "base/rng.h"
#include "cli/composition/composition.h"
#include "config/rescheduler_settings.h"

namespace rescheduler::cli {

// How nodes are judged. Requests: only the defaults of kube-scheduler.
enum class Judges : std::uint8_t { Load, Requests };

struct EmbeddedSettings {
  std::uint64_t seed = 1;
  Judges by = Judges::Load;
  std::optional<config::ReschedulerSettings> rescheduling{};  // empty: pods are not moved
  std::optional<config::RecoverySettings> recovery{};         // empty: failing pods are not recovered
};

class EmbeddedScheduler {
 public:
  static constexpr std::string_view kNotice = "pods are placed by this program's own scheduler";
  static constexpr std::string_view kMovingNotice =
      "pods are placed and moved by this program's own scheduler and rescheduler";

  // Settings for a demo, in which a day lasts minutes: cycles every few seconds, quick reaction, and cooldowns of
  // seconds instead of minutes. With thousands of nodes a cycle takes about a second on the thread that also simulates
  // the cluster and serves browsers. So large clusters get longer intervals.
  static config::ReschedulerSettings demo_settings(int nodes = 0);

  // Schedules pods with its scheduler name and with default-scheduler. All arguments must outlive the object and the
  // loop.
  static Result<std::unique_ptr<EmbeddedScheduler>> make(kube::Api& api,
                                                         net::Executor executor,
                                                         net::Timers& timers,
                                                         const Clock& clock,
                                                         EmbeddedSettings settings);
  void start();  // after all listeners are registered
  Composition& composition() { return *composition_; }
  // Must complete before the destructor, because its jobs on the loop use the object.
  net::Task<Result<void>> stop();

 private:
  explicit EmbeddedScheduler(std::uint64_t seed) : rng_(seed) {}

  Rng rng_;
  MetricRegistry metrics_;
  std::unique_ptr<Composition> composition_;
};

}  // namespace rescheduler::cli
