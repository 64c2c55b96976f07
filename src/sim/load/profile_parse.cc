#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "kube/value/duration.h"
#include "kube/value/integer.h"
#include "kube/value/quantity.h"
#include "kube/value/quote.h"
#include "sim/load/profile.h"
#include "sim/load/series.h"

namespace rescheduler::sim {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlank = " \t\n";
  for (;;) {
    const auto begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const auto end = std::min(text.find_first_of(kBlank), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Result<Profile::Amount> to_amount(std::string_view text, LoadResource resource) {
  Profile::Amount amount;
  const bool share = text.ends_with('%');
  const auto quantity = kube::Quantity::parse(share ? text.substr(0, text.size() - 1) : text);
  if (!quantity || quantity->sign() < 0) {
    return fail(Errc::Invalid, "{} is not an amount; write {}, or a percentage of the request such as 50%",
                kube::quoted(text), resource == LoadResource::Cpu ? "cores such as 200m" : "bytes such as 512Mi");
  }
  if (share) {
    amount.of_request = quantity->to_double() / 100;
  } else {
    // Larger than any real value, and sums stay far below the limit of 64-bit integers.
    constexpr std::int64_t kMost = std::int64_t{1} << 56;
    amount.units = std::min(quantity->scaled_value(resource == LoadResource::Cpu ? -6 : 0), kMost);
  }
  return amount;
}

// The time of day "14:00" in milliseconds.
Result<Millis> to_time_of_day(std::string_view text) {
  const auto colon = text.find(':');
  const auto hour = kube::parse_int64(text.substr(0, colon));
  const auto minute = colon == std::string_view::npos ? std::nullopt : kube::parse_int64(text.substr(colon + 1));
  if (!hour || !minute || *hour < 0 || *hour > 23 || *minute < 0 || *minute > 59)
    return fail(Errc::Invalid, "{} is not a time of day such as 14:00", kube::quoted(text));
  return (*hour * 60 + *minute) * 60'000;
}

Result<Millis> to_millis(std::string_view text, Millis least) {
  const auto duration = kube::parse_duration(text);
  if (!duration) return fail(Errc::Invalid, "{} is not a duration such as 15s or 10m", kube::quoted(text));
  const Millis millis = std::chrono::duration_cast<std::chrono::milliseconds>(*duration).count();
  if (millis < least) return fail(Errc::Invalid, "{} is too short; the minimum is {} ms", kube::quoted(text), least);
  return millis;
}

}  // namespace

// The arguments after the form: key=value, each at most once, none unused.
class ProfileParser {
 public:
  ProfileParser(LoadResource resource, SeriesLibrary& library) : resource_(resource), library_(library) {}

  Result<Profile> parse(std::string_view text) {
    const auto words = words_of(text);
    if (words.empty()) return fail(Errc::Invalid, "it is empty");
    if (auto split = split_options(words); !split) return fail(std::move(split.error()));
    Profile profile;
    if (auto read = read_form(words.front(), profile); !read) return fail(std::move(read.error()));
    if (!options_.empty()) {
      const auto& [name, value] = options_.front();
      if (asked_.empty())
        return fail(Errc::Invalid, "{} has no parameters, so {} must be removed", words.front(), name);
      return fail(Errc::Invalid, "{} is not a parameter of {}; valid parameters are {}", name, words.front(),
                  fmt::join(asked_, ", "));
    }
    return profile;
  }

 private:
  Result<void> split_options(const std::vector<std::string_view>& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto equals = words[i].find('=');
      if (equals == std::string_view::npos || equals == 0)
        return fail(Errc::Invalid, "{} should have the form key=value", kube::quoted(words[i]));
      const auto key = words[i].substr(0, equals);
      if (std::ranges::find(options_, key, &Option::first) != options_.end())
        return fail(Errc::Invalid, "{} is given twice", key);
      options_.emplace_back(key, words[i].substr(equals + 1));
    }
    return {};
  }

  Result<void> read_form(std::string_view form, Profile& profile) {
    using Form = Profile::Form;
    if (form == "noisy") return read_noisy(profile);
    if (form == "daily") return read_moving(profile, Form::Daily, "low", "high");
    if (form == "ramp") return read_moving(profile, Form::Ramp, "from", "to");
    if (form == "step") return read_moving(profile, Form::Step, "from", "to");
    if (form == "series") return read_series(profile);
    auto amount = to_amount(form, resource_);
    if (!amount && !form.empty() && (form.front() < '0' || form.front() > '9')) {
      return fail(Errc::Invalid, "{} is neither an amount nor one of noisy, daily, ramp, step, series",
                  kube::quoted(form));
    }
    if (!amount) return fail(std::move(amount.error()));
    profile.low_ = *amount;
    return {};
  }

  Result<void> read_noisy(Profile& profile) {
    if (auto read = required_amount("mean", profile.low_); !read) return read;
    if (auto read = required_amount("deviation", profile.deviation_); !read) return read;
    return optional_duration("every", profile.every_, 1000);
  }

  Result<void> read_moving(Profile& profile, Profile::Form form, std::string_view from, std::string_view to) {
    profile.form_ = form;
    if (auto read = required_amount(from, profile.low_); !read) return read;
    if (auto read = required_amount(to, profile.high_); !read) return read;
    if (form == Profile::Form::Daily) {
      const auto peak = take("peak");
      if (!peak) return fail(Errc::Invalid, "peak= is missing");
      const auto time = to_time_of_day(*peak);
      if (!time) return fail(Error(time.error()).within("peak"));
      profile.after_ = *time;
    } else if (form == Profile::Form::Ramp) {
      if (auto read = required_duration("over", profile.over_, 1); !read) return read;
      if (auto read = optional_duration("after", profile.after_, 0); !read) return read;
    } else {
      if (auto read = required_duration("after", profile.after_, 0); !read) return read;
      if (auto read = optional_duration("for", profile.over_, 1); !read) return read;
    }
    return read_shiver(profile);
  }

  Result<void> read_series(Profile& profile) {
    profile.form_ = Profile::Form::Series;
    const auto file = take("file");
    const auto column = take("column");
    const auto row = take("row");
    const auto offset = take("offset");
    if (!file) return fail(Errc::Invalid, "file= is missing");
    if (auto read = required_amount("of", profile.low_); !read) return read;
    auto table = library_.open(*file, column.value_or(std::string_view{}));
    if (!table) return fail(std::move(table.error()));
    profile.series_ = *table;
    profile.any_row_ = row == "any";
    if (row && !profile.any_row_) {
      const auto number = kube::parse_int64(*row);
      const auto rows = static_cast<std::int64_t>((*table)->rows());
      if (!number || *number < 0 || *number >= rows)
        return fail(Errc::Invalid, "there is no row {}; {} has rows 0 to {}", kube::quoted(*row), *file, rows - 1);
      profile.row_ = static_cast<std::uint32_t>(*number);
    }
    profile.any_offset_ = offset == "any";
    if (offset && !profile.any_offset_) {
      const auto millis = to_millis(*offset, 0);
      if (!millis) return fail(Error(millis.error()).within("offset"));
      profile.after_ = *millis;
    }
    return read_shiver(profile);
  }

  Result<void> read_shiver(Profile& profile) {
    if (const auto deviation = take("deviation")) {
      const auto amount = to_amount(*deviation, resource_);
      if (!amount) return fail(Error(amount.error()).within("deviation"));
      profile.deviation_ = *amount;
      return optional_duration("every", profile.every_, 1000);
    }
    return {};
  }

  Result<void> required_amount(std::string_view key, Profile::Amount& into) {
    const auto text = take(key);
    if (!text) return fail(Errc::Invalid, "{}= is missing", key);
    auto amount = to_amount(*text, resource_);
    if (!amount) return fail(std::move(amount.error()).within(key));
    into = *amount;
    return {};
  }

  Result<void> required_duration(std::string_view key, Millis& into, Millis least) {
    if (std::ranges::find(options_, key, &Option::first) == options_.end())
      return fail(Errc::Invalid, "{}= is missing", key);
    return optional_duration(key, into, least);
  }

  Result<void> optional_duration(std::string_view key, Millis& into, Millis least) {
    const auto text = take(key);
    if (!text) return {};
    auto millis = to_millis(*text, least);
    if (!millis) return fail(std::move(millis.error()).within(key));
    into = *millis;
    return {};
  }

  std::optional<std::string_view> take(std::string_view key) {
    asked_.push_back(key);
    const auto found = std::ranges::find(options_, key, &Option::first);
    if (found == options_.end()) return std::nullopt;
    const std::string_view value = found->second;
    options_.erase(found);
    return value;
  }

  using Option = std::pair<std::string_view, std::string_view>;
  LoadResource resource_;
  SeriesLibrary& library_;
  std::vector<Option> options_;
  std::vector<std::string_view> asked_;
};

Result<Profile> Profile::parse(std::string_view text, LoadResource resource, SeriesLibrary& library) {
  auto profile = ProfileParser(resource, library).parse(text);
  if (!profile) return fail(std::move(profile.error()).within(fmt::format("load profile {}", kube::quoted(text))));
  return profile;
}

}  // namespace rescheduler::sim
