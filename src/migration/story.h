// What a move tells the world: log lines in the operator's language, Events, metrics.
#pragma once

#include <map>
#include <string>

#include "base/metrics.h"
#include "kube/events/event_recorder.h"
#include "migration/protocol.h"

namespace rescheduler::migration {

// The line for a step that was carried out; empty: it is not worth one.
std::string line_for(const api::Migration& migration, const Step& step, Language language);
// The line for the end.
std::string last_line(const api::Migration& migration, Language language);

// How long its workload lacked a replica by our doing, in seconds.
double unavailable_seconds(const api::Migration& migration);

class Story {
 public:
  Story(kube::EventRecorder* recorder, MetricRegistry& metrics, Language language)
      : recorder_(recorder), metrics_(metrics), language_(language) {}

  void done(const api::Migration& migration, const Step& step) const;
  void ended(const api::Migration& migration);
  void under_way(const std::map<std::string, int>& by_phase);

 private:
  void tell(const api::Migration& migration) const;

  kube::EventRecorder* recorder_;
  MetricRegistry& metrics_;
  Language language_;
  std::map<std::string, int> shown_;
};

}  // namespace rescheduler::migration
