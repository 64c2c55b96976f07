#include "usage/prometheus_answer.h"

#include <charconv>
#include <cmath>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>

#include "kube/codec/json_text.h"
#include "kube/codec/printable.h"

namespace rescheduler::usage {
namespace {

namespace json = boost::json;

std::string_view text_of(const json::value* value) {
  if (value == nullptr || !value->is_string()) return {};
  const json::string& text = value->get_string();
  return {text.data(), text.size()};
}

const json::value* member(const json::value& value, std::string_view name) {
  const json::object* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(json::string_view(name.data(), name.size()));
}

// "bad_data: parse error ..."; empty if the response has no error text.
std::string error_text(const json::value& answer) {
  const std::string_view type = text_of(member(answer, "errorType"));
  const std::string_view message = text_of(member(answer, "error"));
  if (type.empty() && message.empty()) return {};
  const bool word = !type.empty() && type.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos;
  return fmt::format("{}: {}", word ? type : "error", kube::printable(message));
}

// Seconds since 1970 with a fraction; nothing: not a plausible time.
std::optional<WallTime> time_of(const json::value& value) {
  double seconds = 0.0;
  if (value.is_double()) {
    seconds = value.get_double();
  } else if (value.is_int64()) {
    seconds = static_cast<double>(value.get_int64());
  } else {
    return std::nullopt;
  }
  if (!(seconds >= 0.0 && seconds < 9e9)) return std::nullopt;
  return WallTime{std::chrono::nanoseconds{std::llround(seconds * 1e3) * 1'000'000}};
}

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0.0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Series> series_of(const json::value& entry, std::string_view label) {
  const json::value* labels = member(entry, "metric");
  const json::value* sample = member(entry, "value");
  if (labels == nullptr || !labels->is_object() || sample == nullptr || !sample->is_array()) return std::nullopt;
  const json::array& pair = sample->get_array();
  if (pair.size() != 2) return std::nullopt;
  const auto at = time_of(pair[0]);
  const auto value = number_of(text_of(&pair[1]));
  if (!at || !value) return std::nullopt;
  Series series{.label = {}, .value = *value, .at = *at};
  if (const json::value* node_label = member(*labels, label); node_label != nullptr && node_label->is_string()) {
    series.label = std::string(text_of(node_label));
  }
  return series;
}

}  // namespace

Result<std::vector<Series>> read_vector(std::string_view body, std::string_view label) {
  json::monotonic_resource memory;
  auto answer = kube::parse_json(body, &memory);
  if (!answer) return fail(Errc::Unavailable, "the answer is not JSON: {}", answer.error().message);
  const std::string_view status = text_of(member(*answer, "status"));
  if (status == "error") {
    const std::string words = error_text(*answer);
    return fail(Errc::Unavailable, "the query failed: {}", words.empty() ? "no reason given" : words);
  }
  if (status != "success") return fail(Errc::Unavailable, "the answer does not come from Prometheus: it has no status");
  const json::value* data = member(*answer, "data");
  const std::string_view type = data == nullptr ? std::string_view{} : text_of(member(*data, "resultType"));
  if (type != "vector") {
    return fail(Errc::Invalid, "the query returns {} instead of a vector with one value per node",
                type.empty() ? "nothing" : kube::printable(type));
  }
  const json::value* result = member(*data, "result");
  if (result == nullptr || !result->is_array()) return fail(Errc::Unavailable, "the answer's vector has no result");
  std::vector<Series> all;
  all.reserve(result->get_array().size());
  for (const json::value& entry : result->get_array()) {
    auto series = series_of(entry, label);
    if (!series) return fail(Errc::Unavailable, "series {} of the answer has no labels, time and value", all.size());
    all.push_back(std::move(*series));
  }
  return all;
}

std::string complaint_of(int status, std::string_view body) {
  json::monotonic_resource memory;
  const auto answer = kube::parse_json(body, &memory);
  const std::string words = answer ? error_text(*answer) : std::string();
  return words.empty() ? fmt::format("the server answers with status {}", status)
                       : fmt::format("the server answers with status {}: {}", status, words);
}

}  // namespace rescheduler::usage
