#include "dashboard/activity_log.h"

#include <algorithm>

#include <fmt/format.h>

#include "kube/codec/json_words.h"

namespace rescheduler::dashboard {
namespace {

std::int64_t seconds_of(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

}  // namespace

void ActivityLog::add(Activity activity, WallTime now) {
  if (!lines_.empty() && lines_.back().activity.text == activity.text && lines_.back().activity.kind == activity.kind)
    return;
  if (lines_.size() == kMost) lines_.pop_front();
  lines_.push_back({next_++, now, std::move(activity)});
}

std::string ActivityLog::json(const Line& line) {
  const auto& object = line.activity.object;
  const std::string about =
      object ? fmt::format(R"({{"kind":{},"namespace":{},"name":{}}})", kube::json_string(object->kind),
                           kube::json_string(object->ns), kube::json_string(object->name))
             : "null";
  return fmt::format(R"({{"id":{},"at":{},"kind":{},"warning":{},"text":{},"object":{}}})", line.id,
                     kube::json_time(line.at), kube::json_string(line.activity.kind), line.activity.warning,
                     kube::json_string(line.activity.text), about);
}

std::string ActivityLog::newest(std::size_t limit) const {
  std::vector<const Line*> shown;
  for (auto line = lines_.rbegin(); line != lines_.rend() && shown.size() < limit; ++line) shown.push_back(&*line);
  return fmt::format(R"({{"lines":{}}})", kube::json_array(shown, [](const Line* line) { return json(*line); }));
}

std::optional<std::string> ActivityLog::take_new() {
  if (taken_ == next_) return std::nullopt;
  std::vector<const Line*> shown;
  for (auto line = lines_.rbegin(); line != lines_.rend() && line->id >= taken_; ++line) shown.push_back(&*line);
  taken_ = next_;
  return fmt::format(R"({{"lines":{}}})", kube::json_array(shown, [](const Line* line) { return json(*line); }));
}

std::string ActivityLog::about(const ActivityObject& object, std::size_t limit) const {
  std::vector<const Line*> shown;
  for (auto line = lines_.rbegin(); line != lines_.rend() && shown.size() < limit; ++line) {
    const auto& its = line->activity.object;
    if (its && its->kind == object.kind && its->ns == object.ns && its->name == object.name) shown.push_back(&*line);
  }
  return kube::json_array(shown, [](const Line* line) { return json(*line); });
}

bool History::due(WallTime now) const {
  return samples_.empty() || seconds_of(now) >= samples_.back().at + every_.count();
}

std::string History::add(WallTime now, const cluster::Balance& balance, std::uint64_t pending, std::uint64_t moves) {
  if (samples_.size() == most_) samples_.pop_front();
  const std::uint64_t since = samples_.empty() ? 0 : moves - moves_before_;
  moves_before_ = moves;
  samples_.push_back({seconds_of(now), balance, pending, since});
  const HistorySample& one = samples_.back();
  return fmt::format(R"({{"at":{},"balance":{},"cpuMax":{},"memoryMax":{},"cpuDeviation":{},"pending":{},"moves":{}}})",
                     one.at, kube::json_number(balance.score), kube::json_number(balance.cpu_max),
                     kube::json_number(balance.memory_max), kube::json_number(balance.cpu_deviation), one.pending,
                     one.moves);
}

std::string History::json(std::chrono::minutes back, WallTime now) const {
  std::vector<const HistorySample*> shown;
  const std::int64_t from = seconds_of(now - back);
  for (const HistorySample& one : samples_) {
    if (one.at >= from) shown.push_back(&one);
  }
  using Sample = const HistorySample*;
  return fmt::format(
      R"({{"everySeconds":{},"at":{},"balance":{},"cpuMax":{},"memoryMax":{},"cpuDeviation":{},"pending":{},"moves":{}}})",
      every_.count(), kube::json_array(shown, [](Sample s) { return fmt::to_string(s->at); }),
      kube::json_array(shown, [](Sample s) { return kube::json_number(s->balance.score); }),
      kube::json_array(shown, [](Sample s) { return kube::json_number(s->balance.cpu_max); }),
      kube::json_array(shown, [](Sample s) { return kube::json_number(s->balance.memory_max); }),
      kube::json_array(shown, [](Sample s) { return kube::json_number(s->balance.cpu_deviation); }),
      kube::json_array(shown, [](Sample s) { return fmt::to_string(s->pending); }),
      kube::json_array(shown, [](Sample s) { return fmt::to_string(s->moves); }));
}

}  // namespace rescheduler::dashboard
