// What a move tells the world: log lines, Events, metrics.
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
// The line for a step that was carried out; nothing: it is not worth one.
std::optional<LogLine> log_line_for(const api::Migration& migration, const Step& step);
// The line for one that was refused; nothing: only a hint was, which is a hint less.
std::optional<LogLine> log_line_for(const api::Migration& migration, StepType what, const StepRefusal& refusal);
// The line for the end.
LogLine last_log_line(const api::Migration& migration);

// How long its workload lacked a replica by our doing, in seconds.
double unavailable_seconds(const api::Migration& migration);

class MigrationReporter {
 public:
  MigrationReporter(kube::EventRecorder* recorder, MetricRegistry& metrics) : recorder_(recorder), metrics_(metrics) {}

  void done(const api::Migration& migration, const Step& step) const;
  // Once, however often the same is tried again.
  void refused(const api::Migration& migration,
               StepType what,
               const std::optional<StepRefusal>& before,
               const std::optional<StepRefusal>& now) const;
  void ended(const api::Migration& migration);
  void under_way(const std::map<std::string, int>& by_phase);

 private:
  void tell(const api::Migration& migration) const;

  kube::EventRecorder* recorder_;
  MetricRegistry& metrics_;
  std::map<std::string, int> shown_;
};

}  // namespace rescheduler::migration
