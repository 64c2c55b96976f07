#include "dashboard/event_lines.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kube/codec/json_words.h"
#include "kube/proto/events.pb.h"
#include "kube/value/time.h"

namespace rescheduler::dashboard {
namespace {

WallTime last_seen(const api::Event& event) {
  if (event.has_series()) return kube::wall_time(event.series().last_observed_time());
  if (event.has_deprecated_last_timestamp()) return kube::wall_time(event.deprecated_last_timestamp());
  if (event.has_event_time()) return kube::wall_time(event.event_time());
  return kube::wall_time(event.metadata().creation_timestamp());
}

int times(const api::Event& event) {
  return std::max({1, event.has_series() ? event.series().count() : 1, event.deprecated_count()});
}

std::string line_json(const api::Event& event, WallTime at) {
  const std::string& by =
      event.reporting_controller().empty() ? event.deprecated_source().component() : event.reporting_controller();
  return fmt::format(R"({{"at":{},"warning":{},"reason":{},"text":{},"by":{},"count":{}}})", kube::json_time(at),
                     event.type() == "Warning", kube::json_string(event.reason()), kube::json_string(event.note()),
                     kube::json_string(by), times(event));
}

}  // namespace

std::string event_lines(const std::vector<std::shared_ptr<const api::Event>>& events, std::size_t most) {
  std::vector<std::pair<WallTime, const api::Event*>> sorted;
  for (const auto& event : events) sorted.emplace_back(last_seen(*event), event.get());
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->metadata().name() < b.second->metadata().name();
  });
  if (sorted.size() > most) sorted.resize(most);
  return kube::json_array(sorted, [](const auto& one) { return line_json(*one.second, one.first); });
}

}  // namespace rescheduler::dashboard
