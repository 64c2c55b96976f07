// The metrics of the controller. Thread-safe.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/metrics.h"
#include "migration/migrator.h"
#include "rescheduling/loop/brakes.h"
#include "rescheduling/loop/effects.h"
#include "rescheduling/loop/maintenance.h"
#include "rescheduling/planning/plan.h"

namespace rescheduler::rescheduling {

class ControllerMetrics {
 public:
  explicit ControllerMetrics(MetricRegistry& registry);

  void moved(const migration::MoveOutcome& outcome);
  void under_way(std::size_t count);
  void balance_report(const BalanceReport& balance_report);
  void planned(const Plan& plan, std::string_view mode, double seconds);
  void refused(std::string_view code);
  void cycle(std::string_view what);  // "planned", "held", "nothing-to-do", "failed", "busy"
  void brakes(const std::vector<ActiveBrake>& holding);
  void effect(const Effect& effect);
  void maintenance(const std::map<std::string, DrainProgress>& progress);

 private:
  MetricRegistry& registry_;
  std::set<std::string> drained_;  // nodes with their own series
  std::set<std::string> nodes_;
};

}  // namespace rescheduler::rescheduling
