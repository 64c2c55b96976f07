// Reports migrations: log lines, Events, metrics.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "kube/events/event_recorder.h"
#include "migration/protocol.h"

namespace rescheduler::migration {

struct LogLine {
  Phrase phrase;
  std::vector<LogField> fields{};
};
// The log line for a completed step; nullopt: the step has none.
std::optional<LogLine> log_line_for(const api::Migration& migration, const Step& step);
// The log line for a refused step; nullopt: the step was only a hint.
std::optional<LogLine> log_line_for(const api::Migration& migration, StepType what, const StepRefusal& refusal);
// The log line for the end of a migration.
LogLine last_log_line(const api::Migration& migration);

// For how many seconds the migration left its workload without one replica.
double unavailable_seconds(const api::Migration& migration);

class MigrationReporter {
 public:
  MigrationReporter(kube::EventRecorder* recorder, MetricRegistry& metrics) : recorder_(recorder), metrics_(metrics) {}

  void done(const api::Migration& migration, const Step& step) const;
  // Reports a refusal once, even if the step is retried with the same result.
  void refused(const api::Migration& migration,
               StepType what,
               const std::optional<StepRefusal>& before,
               const std::optional<StepRefusal>& now) const;
  void ended(const api::Migration& migration);
  void under_way(const std::map<std::string, int>& by_phase);

 private:
  void record_event(const api::Migration& migration) const;

  kube::EventRecorder* recorder_;
  MetricRegistry& metrics_;
  std::map<std::string, int> shown_;
};

}  // namespace rescheduler::migration
