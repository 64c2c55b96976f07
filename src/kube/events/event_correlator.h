// Which occurrences become which writes. Pure: time comes in with each call.
//
//   1st occurrence             -> create the Event
//   2nd, within the idle limit -> patch it into a series of two, at once
//   further ones               -> counted; written at most once per refresh interval
//   silence for the idle limit -> the last count is written, the series forgotten
//
// A series has at most one write under way; what happens meanwhile is written when that one is finished.
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
  std::chrono::nanoseconds idle_limit = std::chrono::minutes{6};  // client-go's
  // client-go's 30 minutes leave what people read far behind; one small patch a minute does not hurt a server.
  std::chrono::nanoseconds refresh = std::chrono::minutes{1};
  std::size_t most_series = 4096;
  SpamLimits spam{};
};

struct EventWrite {
  enum class Kind { Create, Patch };
  Kind kind = Kind::Create;
  std::string key{};  // names the series to finished()
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
  // `seen` is when it happened, `now` when we got to it.
  Admission admit(EventRecord record, WallTime seen, SteadyTime now);

  // Must follow each write that was handed out. Answers with what has to be written next, if anything.
  std::optional<EventWrite> finished(const EventWrite& write, bool succeeded, SteadyTime now);

  // Writes whose time has come. Call now and then.
  std::vector<EventWrite> due(SteadyTime now);
  // Everything not written yet, for the end.
  std::vector<EventWrite> unwritten(SteadyTime now);

  std::size_t series() const { return series_.size(); }

 private:
  struct Series {
    std::string key;
    std::shared_ptr<const EventRecord> record;
    EventSeries state;
    std::int32_t written = 0;  // the count the server knows
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
  std::unordered_map<std::string_view, Place> by_key_;  // views into the list's keys
  std::vector<EventWrite> last_words_;                  // of series that had to make room
  std::int64_t last_name_ = 0;                          // so that no two Events get the same name
};

}  // namespace rescheduler::kube
