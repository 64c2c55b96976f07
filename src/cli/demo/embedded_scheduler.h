// The program's own scheduler and rescheduler at work in an embedded cluster, on the cluster's thread and in its time.
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

enum class Judges : std::uint8_t { Load, Requests };  // nodes by; Requests: kube-scheduler's defaults alone

struct EmbeddedSettings {
  std::uint64_t seed = 1;
  Judges by = Judges::Load;
  std::optional<config::ReschedulerSettings> rescheduling{};  // nothing: pods stay where they are
  std::optional<config::RecoverySettings> recovery{};         // nothing: those that fail do too
};

class EmbeddedScheduler {
 public:
  static constexpr std::string_view kNotice = "pods are placed by this program's own scheduler";
  static constexpr std::string_view kMovingNotice =
      "pods are placed and moved by this program's own scheduler and rescheduler";

  // As a demo has it, where a day is over in minutes: looks every few seconds, believes what it sees sooner, lets pods
  // rest for seconds where the defaults have minutes. Of thousands of nodes one look is a second's work for the thread
  // that also plays the cluster and answers browsers: they are looked at less often.
  static config::ReschedulerSettings in_a_hurry(int nodes = 0);

  // Places pods that name it, and those that name nobody (default-scheduler). All of these outlive it and the loop.
  static Result<std::unique_ptr<EmbeddedScheduler>> make(kube::Api& api,
                                                         net::Executor executor,
                                                         net::Timers& timers,
                                                         const Clock& clock,
                                                         EmbeddedSettings settings);
  void start();  // once all listen who want to
  Composition& composition() { return *composition_; }
  // To its end before it is destroyed: what it began on the loop uses it.
  net::Task<Result<void>> stop();

 private:
  explicit EmbeddedScheduler(std::uint64_t seed) : rng_(seed) {}

  Rng rng_;
  MetricRegistry metrics_;
  std::unique_ptr<Composition> composition_;
};

}  // namespace rescheduler::cli
