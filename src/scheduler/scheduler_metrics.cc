#include "scheduler/scheduler_metrics.h"

#include <cctype>

namespace rescheduler::scheduler {
namespace {

std::vector<double> growing(double first, double factor, int count) {
  std::vector<double> bounds;
  for (int i = 0; i < count; ++i, first *= factor) bounds.push_back(first);
  return bounds;
}

std::vector<double> doubling(double first, int count) { return growing(first, 2, count); }

std::string capital(std::string_view word) {
  std::string text(word);
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string word_for(placement::Code code) { return std::string(placement::to_string(code)); }

std::string_view word_for(SchedulerMetrics::Result result) {
  switch (result) {
    case SchedulerMetrics::Result::Scheduled: return "scheduled";
    case SchedulerMetrics::Result::Unschedulable: return "unschedulable";
    case SchedulerMetrics::Result::Error: return "error";
  }
  return "error";
}

}  // namespace

SchedulerMetrics::SchedulerMetrics(MetricRegistry& registry)
    : registry_(registry),
      algorithm_(&registry.histogram("scheduler_scheduling_algorithm_duration_seconds",
                                     "Scheduling algorithm latency in seconds",
                                     doubling(0.001, 15))),
      attempts_(&registry.histogram("scheduler_pod_scheduling_attempts",
                                    "Number of attempts to successfully schedule a pod",
                                    {1, 2, 4, 8, 16})),
      preemption_attempts_(&registry.counter("scheduler_preemption_attempts_total",
                                             "Total preemption attempts in the cluster till now")),
      victims_(
          &registry.histogram("scheduler_preemption_victims", "Number of selected preemption victims", doubling(1, 7))),
      after_flush_(&registry.counter(
          "scheduler_pod_scheduled_after_flush_total",
          "Pods scheduled after they were unschedulable for too long and were retried without a cluster event")),
      revisits_(&registry.counter(
          "rescheduler_recovery_revisits_total",
          "Pods placed on a node where they had failed before, because no other node was feasible")) {}

void SchedulerMetrics::attempt(const std::string& profile, Result result, std::chrono::nanoseconds took) {
  const MetricLabels labels{{"profile", profile}, {"result", std::string(word_for(result))}};
  registry_
      .counter("scheduler_schedule_attempts_total",
               "Number of attempts to schedule pods, by the result and the profile", labels)
      .add();
  registry_
      .histogram("scheduler_scheduling_attempt_duration_seconds",
                 "Scheduling attempt latency in seconds (scheduling algorithm + binding)", doubling(0.001, 15), labels)
      .observe(seconds(took));
}

void SchedulerMetrics::extension_point(const std::string& profile,
                                       placement::Point point,
                                       placement::Code status,
                                       std::chrono::nanoseconds took) {
  registry_
      .histogram("scheduler_framework_extension_point_duration_seconds",
                 "Latency for running all plugins of a specific extension point", doubling(0.0001, 12),
                 {{"extension_point", capital(name_of(point))}, {"profile", profile}, {"status", word_for(status)}})
      .observe(seconds(took));
}

void SchedulerMetrics::plugin(std::string_view name,
                              placement::Point point,
                              placement::Code status,
                              std::chrono::nanoseconds took) {
  const std::string at = capital(name_of(point));
  registry_
      .histogram("scheduler_plugin_execution_duration_seconds",
                 "Duration for running a plugin at a specific extension point, for a sample of its calls",
                 growing(0.00001, 1.5, 20),
                 {{"plugin", std::string(name)}, {"extension_point", at}, {"status", word_for(status)}})
      .observe(seconds(took));
}

void SchedulerMetrics::placed(std::chrono::nanoseconds waited, int attempts, bool after_flush) {
  registry_
      .histogram("scheduler_pod_scheduling_sli_duration_seconds",
                 "E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue",
                 doubling(0.01, 20), {{"attempts", attempts >= 15 ? "15+" : std::to_string(attempts)}})
      .observe(seconds(waited));
  attempts_->observe(attempts);
  if (after_flush) after_flush_->add();
}

void SchedulerMetrics::preemption(std::size_t victims) { victims_->observe(static_cast<double>(victims)); }

void SchedulerMetrics::preemption_finished(bool all, std::chrono::nanoseconds took) {
  const MetricLabels labels{{"result", all ? "success" : "error"}};
  registry_
      .counter("scheduler_preemption_goroutines_execution_total", "Number of preemptions that were carried out", labels)
      .add();
  registry_
      .histogram("scheduler_preemption_goroutines_duration_seconds",
                 "Duration in seconds for carrying out a preemption", doubling(0.01, 20), labels)
      .observe(seconds(took));
}

void SchedulerMetrics::cache(std::size_t nodes, std::size_t pods, std::size_t assumed) {
  const auto set = [&](const char* type, std::size_t count) {
    registry_
        .gauge("scheduler_cache_size", "Number of nodes, pods, and assumed (bound) pods in the scheduler cache",
               {{"type", type}})
        .set(static_cast<double>(count));
  };
  set("nodes", nodes);
  set("pods", pods);
  set("assumed_pods", assumed);
}

}  // namespace rescheduler::scheduler
