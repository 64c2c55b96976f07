// Decides which occurrences lead to which writes. Pure: each call gets the time as a parameter.
//
//   1st occurrence             -> create the Event
//   2nd, within the idle limit -> patch it into a series of two, at once
//   further ones               -> counted; written at most once per refresh interval
//   silence for the idle limit -> the last count is written, the series is dropped
//
// A series has at most one write in progress. Occurrences during the write are written after it.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "kube/events/event_record.h"
#include "kube/events/spam_filter.h"

namespace rescheduler::kube {

struct CorrelatorSettings {
  std::chrono::nanoseconds idle_limit = std::chrono::minutes{6};  // as in client-go
  // client-go's 30 minutes show users outdated counts; one small patch per minute is no load for a server.
  std::chrono::nanoseconds refresh = std::chrono::minutes{1};
  std::size_t most_series = 4096;
  SpamLimits spam{};
};

struct EventWrite {
  enum class Kind { Create, Patch };
  Kind kind = Kind::Create;
  std::string key{};  // identifies the series for finished()
  std::shared_ptr<const EventRecord> record{};
  EventSeries series{};
};

class EventCorrelator {
 public:
  explicit EventCorrelator(CorrelatorSettings settings) : settings_(settings), spam_(settings.spam) {}

  enum class Verdict { Write, Counted, Spam };
  struct Admission {
    Verdict verdict = Verdict::Counted;
    std::optional<EventWrite> write{};
  };
  // `seen` is the time of the occurrence, `now` the time of the call.
  Admission admit(EventRecord record, WallTime seen, SteadyTime now);

  // Must be called after each returned write. Returns the next write of the series, if there is one.
  std::optional<EventWrite> finished(const EventWrite& write, bool succeeded, SteadyTime now);

  // The writes that are due. Call it periodically.
  std::vector<EventWrite> due(SteadyTime now);
  // All occurrences that are not written yet, for the shutdown.
  std::vector<EventWrite> unwritten(SteadyTime now);

  std::size_t series() const { return series_.size(); }

 private:
  struct Series {
    std::string key;
    std::shared_ptr<const EventRecord> record;
    EventSeries state;
    std::int32_t written = 0;  // the count on the server
    bool writing = false;
    SteadyTime last_seen{};
    SteadyTime last_write{};
  };
  using Place = std::list<Series>::iterator;

  Admission begin(std::string key, EventRecord record, WallTime seen, SteadyTime now);
  Admission repeat(Series& series, WallTime seen, SteadyTime now);
  EventWrite write_of(Series& series, SteadyTime now);
  void forget(Place place);
  void drop_oldest();

  CorrelatorSettings settings_;
  SpamFilter spam_;
  std::list<Series> series_;                            // latest occurrence first
  std::unordered_map<std::string_view, Place> by_key_;  // views of the keys in series_
  std::vector<EventWrite> final_writes_;                // final writes of dropped series
  std::int64_t last_name_ = 0;                          // makes the names of Events unique
};

}  // namespace rescheduler::kube
