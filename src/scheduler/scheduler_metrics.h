// The metrics of the scheduler, with kube-scheduler's names.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "placement/plugin_timer.h"

namespace rescheduler::scheduler {

class SchedulerMetrics {
 public:
  explicit SchedulerMetrics(MetricRegistry& registry);

  enum class Result { Scheduled, Unschedulable, Error };
  void attempt(const std::string& profile, Result result, std::chrono::nanoseconds took);
  void algorithm(std::chrono::nanoseconds took) { algorithm_->observe(seconds(took)); }
  void extension_point(const std::string& profile,
                       placement::Point point,
                       placement::Code status,
                       std::chrono::nanoseconds took);
  void plugin(std::string_view name, placement::Point point, placement::Code status, std::chrono::nanoseconds took);
  // A pod was bound: the time since it could first be tried, and the number of attempts.
  void placed(std::chrono::nanoseconds waited, int attempts, bool after_flush);
  void preemption(std::size_t victims);
  void preemption_attempt() { preemption_attempts_->add(); }
  // A pod was scheduled to a node where it had failed before, because no other node was feasible.
  void revisited() { revisits_->add(); }
  void cache(std::size_t nodes, std::size_t pods, std::size_t assumed);
  void preemption_finished(bool all, std::chrono::nanoseconds took);

 private:
  static double seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

  MetricRegistry& registry_;
  Histogram* algorithm_;
  Histogram* attempts_;
  Counter* preemption_attempts_;
  Histogram* victims_;
  Counter* after_flush_;
  Counter* revisits_;
};

// Reports the durations of decisions for one profile as metrics.
class MetricPluginTimer final : public placement::PluginTimer {
 public:
  MetricPluginTimer(SchedulerMetrics& metrics, const Clock& clock, const std::string& profile)
      : metrics_(metrics), clock_(clock), profile_(profile) {}

  std::chrono::nanoseconds now() override { return clock_.steady_now().time_since_epoch(); }
  void point_took(placement::Point point, placement::Code code, std::chrono::nanoseconds time) override {
    metrics_.extension_point(profile_, point, code, time);
  }
  void plugin_took(const placement::Plugin& plugin,
                   placement::Point point,
                   placement::Code code,
                   std::chrono::nanoseconds time) override {
    metrics_.plugin(plugin.name(), point, code, time);
  }

 private:
  SchedulerMetrics& metrics_;
  const Clock& clock_;
  const std::string& profile_;
};

}  // namespace rescheduler::scheduler
