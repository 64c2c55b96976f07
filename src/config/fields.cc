#include "config/fields.h"

#include <cstdint>

#include <fmt/core.h>

#include "kube/value/duration.h"

namespace rescheduler::config {

void read_int(kube::YamlReader& from, std::string_view field, int& into, int least, int most) {
  std::int64_t value = into;
  from.read(field, value, least, most);
  into = static_cast<int>(value);
}

bool read_duration(kube::YamlReader& from, std::string_view field, std::chrono::nanoseconds& into) {
  std::string text;
  from.read(field, text);
  from.describe(field, "duration", kube::format_duration(into), "");
  if (text.empty()) return false;  // absent, or not a string and said so
  const auto duration = kube::parse_duration(text);
  if (!duration) {
    from.problem(field, "must be a duration such as 30s or 1m30s");
    return false;
  }
  into = *duration;
  return true;
}

void read_number_within(kube::YamlReader& from, std::string_view field, double& into, double least, double most) {
  double value = into;
  from.read(field, value);
  from.describe(field, "", "", fmt::format("{} to {}", least, most));
  if (value < least || value > most) {
    from.problem(field, fmt::format("must be between {} and {}", least, most));
    return;
  }
  into = value;
}

void read_percentage(kube::YamlReader& from, std::string_view field, double& into) {
  double value = into;
  from.read(field, value);
  from.describe(field, "", "", "above 0 to 100");
  if (value > 0 && value <= 100) {
    into = value;
  } else {
    from.problem(field, "must be a percentage above 0 and up to 100");
  }
}

std::string listed(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace rescheduler::config
