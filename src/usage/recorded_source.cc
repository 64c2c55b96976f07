#include "usage/recorded_source.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>

#include "kube/codec/json_text.h"
#include "kube/codec/printable.h"
#include "kube/config/file.h"
#include "kube/value/time.h"

namespace rescheduler::usage {
namespace {

namespace json = boost::json;

// Enough for a thousand nodes every 30 s for half a day.
constexpr std::size_t kMostFileBytes = std::size_t{256} << 20;

using Key = std::pair<std::string, std::size_t>;  // node and resource

class RecordedSource final : public Source {
 public:
  RecordedSource(std::vector<Sample> samples, RecordedTime time) : samples_(std::move(samples)), time_(time) {}

  std::string_view name() const override { return "file"; }

  // The newest sample of each node and resource up to `now`. After the end of the file the samples become stale.
  net::Task<Result<Reading>> read(NodeList /*nodes*/, WallTime now) override {
    if (!shift_) {
      const bool moved = time_ == RecordedTime::FromFirstReading && !samples_.empty();
      shift_ = moved ? now - samples_.front().at : std::chrono::nanoseconds::zero();
    }
    for (; next_ < samples_.size() && samples_[next_].at + *shift_ <= now; ++next_) {
      Sample& newest = newest_[{samples_[next_].node, samples_[next_].resource}];
      newest = samples_[next_];
      newest.at += *shift_;
    }
    Reading reading;
    for (const auto& [key, sample] : newest_) reading.samples.push_back(sample);
    co_return reading;
  }

 private:
  std::vector<Sample> samples_;
  RecordedTime time_;
  std::optional<std::chrono::nanoseconds> shift_{};
  std::size_t next_ = 0;
  std::map<Key, Sample> newest_;
};

std::string text_at(const json::object& object, const char* key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string().c_str()) : std::string();
}

Result<Sample> parse_line(std::string_view line, const std::vector<std::string>& resources) {
  json::monotonic_resource memory;
  const auto parsed = kube::parse_json(line, &memory);
  if (!parsed) return fail(Errc::Invalid, "{}", parsed.error().message);
  const json::object* object = parsed->if_object();
  if (object == nullptr) return fail(Errc::Invalid, "expected an object");
  Sample sample{.node = text_at(*object, "node")};
  if (sample.node.empty()) return fail(Errc::Invalid, "node is missing");
  auto at = kube::parse_time(text_at(*object, "at"));
  if (!at) return fail(std::move(at.error()).within("at"));
  sample.at = *at;
  const std::string resource = text_at(*object, "resource");
  const auto known = std::ranges::find(resources, resource);
  if (known == resources.end()) return fail(Errc::Invalid, "resource {} is not measured", kube::printable(resource));
  sample.resource = static_cast<std::size_t>(known - resources.begin());
  const json::value* value = object->if_contains("value");
  if (value == nullptr || !value->is_number()) return fail(Errc::Invalid, "value is not a number");
  sample.value = value->to_number<double>();
  return sample;
}

}  // namespace

Result<std::vector<Sample>> parse_recorded(std::string_view lines, const std::vector<std::string>& resources) {
  std::vector<Sample> samples;
  std::map<Key, WallTime> last;
  std::size_t number = 0;
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto sample = parse_line(line, resources);
    if (!sample) return fail(std::move(sample.error()).within(fmt::format("line {}", number)));
    if (!samples.empty() && sample->at < samples.back().at) {
      return fail(Errc::Invalid, "line {}: its time is before the time of the previous line", number);
    }
    const auto [known, first] = last.try_emplace({sample->node, sample->resource}, sample->at);
    if (!first && known->second == sample->at) {
      return fail(Errc::Invalid, "line {}: node {} has two values for {} at the same time", number, sample->node,
                  resources[sample->resource]);
    }
    known->second = sample->at;
    samples.push_back(std::move(*sample));
  }
  return samples;
}

std::unique_ptr<Source> make_recorded_source(std::vector<Sample> samples, RecordedTime time) {
  return std::make_unique<RecordedSource>(std::move(samples), time);
}

Result<std::unique_ptr<Source>> make_recorded_source(const std::string& path,
                                                     const std::vector<std::string>& resources,
                                                     RecordedTime time) {
  auto text = kube::read_whole_file(path, kMostFileBytes);
  if (!text) return fail(std::move(text.error()).within("file"));
  auto samples = parse_recorded(*text, resources);
  if (!samples) return fail(std::move(samples.error()).within(fmt::format("file {}", path)));
  return make_recorded_source(std::move(*samples), time);
}

}  // namespace rescheduler::usage
