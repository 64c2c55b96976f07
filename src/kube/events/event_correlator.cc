#include "kube/events/event_correlator.h"

#include <algorithm>
#include <utility>

namespace rescheduler::kube {

EventCorrelator::Admission EventCorrelator::admit(EventRecord record, WallTime seen, SteadyTime now) {
  record = within_limits(std::move(record));
  std::string key = series_key(record);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return begin(std::move(key), std::move(record), seen, now);
  const Place place = found->second;
  if (!place->writing && now - place->last_seen >= settings_.idle_limit) {  // ended, but due() has not run
    if (place->state.count > place->written) final_writes_.push_back(write_of(*place, now));
    forget(place);
    return begin(std::move(key), std::move(record), seen, now);
  }
  series_.splice(series_.begin(), series_, place);
  return repeat(*place, seen, now);
}

EventCorrelator::Admission EventCorrelator::begin(std::string key, EventRecord record, WallTime seen, SteadyTime now) {
  if (!spam_.allow(spam_key(record), now)) return Admission{Verdict::Spam};
  last_name_ = std::max(last_name_ + 1, static_cast<std::int64_t>(seen.time_since_epoch().count()));
  Series series;
  series.key = std::move(key);
  series.state = EventSeries{event_name(record.regarding.name, last_name_), seen, seen, 1};
  series.record = std::make_shared<const EventRecord>(std::move(record));
  series.last_seen = now;
  series_.push_front(std::move(series));
  by_key_.emplace(series_.front().key, series_.begin());
  Admission admission{Verdict::Write, write_of(series_.front(), now)};
  drop_oldest();
  return admission;
}

EventCorrelator::Admission EventCorrelator::repeat(Series& series, WallTime seen, SteadyTime now) {
  series.state.count += 1;
  series.state.last = std::max(series.state.last, seen);
  series.last_seen = now;
  const bool becomes_series = series.written == 1;
  if (series.writing || !becomes_series) return Admission{Verdict::Counted};
  if (!spam_.allow(spam_key(*series.record), now)) return Admission{Verdict::Counted};  // due() writes it later
  return Admission{Verdict::Write, write_of(series, now)};
}

EventWrite EventCorrelator::write_of(Series& series, SteadyTime now) {
  series.writing = true;
  series.last_write = now;
  const auto kind = series.written == 0 ? EventWrite::Kind::Create : EventWrite::Kind::Patch;
  return EventWrite{kind, series.key, series.record, series.state};
}

std::optional<EventWrite> EventCorrelator::finished(const EventWrite& write, bool succeeded, SteadyTime now) {
  const auto found = by_key_.find(write.key);
  // The series was dropped meanwhile, and may have started again with another name.
  if (found == by_key_.end() || found->second->state.name != write.series.name) return std::nullopt;
  Series& series = *found->second;
  series.writing = false;
  if (!succeeded && series.written == 0) {  // the Event does not exist: the next occurrence creates it
    forget(found->second);
    return std::nullopt;
  }
  if (succeeded) series.written = write.series.count;
  const bool became_series_meanwhile = series.written == 1 && series.state.count > 1;
  if (!succeeded || !became_series_meanwhile) return std::nullopt;
  return write_of(series, now);
}

std::vector<EventWrite> EventCorrelator::due(SteadyTime now) {
  std::vector<EventWrite> writes = std::exchange(final_writes_, {});
  for (Place place = series_.begin(); place != series_.end();) {
    const Place current = place++;
    if (current->writing) continue;
    const bool is_over = now - current->last_seen >= settings_.idle_limit;
    const bool has_news = current->state.count > current->written;
    if (has_news && (is_over || now - current->last_write >= settings_.refresh)) {
      writes.push_back(write_of(*current, now));
    }
    if (is_over) forget(current);
  }
  return writes;
}

std::vector<EventWrite> EventCorrelator::unwritten(SteadyTime now) {
  std::vector<EventWrite> writes = std::exchange(final_writes_, {});
  for (Series& series : series_) {
    if (!series.writing && series.state.count > series.written) writes.push_back(write_of(series, now));
  }
  return writes;
}

void EventCorrelator::forget(Place place) {
  by_key_.erase(place->key);
  series_.erase(place);
}

void EventCorrelator::drop_oldest() {
  if (series_.size() <= settings_.most_series) return;
  const Place oldest = std::prev(series_.end());
  if (!oldest->writing && oldest->state.count > oldest->written) {
    final_writes_.push_back(write_of(*oldest, oldest->last_write));
  }
  forget(oldest);
}

}  // namespace rescheduler::kube
