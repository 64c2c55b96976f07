#include "sim/load/series.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/ranges.h>

#include "kube/config/environment.h"
#include "kube/value/integer.h"
#include "kube/value/quote.h"
#include "sim/load/packed_file.h"

namespace rescheduler::sim {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // the largest file known has 9 MB
// A gap between two readings can last days. This many steps of a gap are filled with the last value, the rest is
// skipped.
constexpr std::int64_t kLongestGapSteps = 288;

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const auto comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// An empty cell is a missing reading: it repeats the reading before.
std::optional<std::uint16_t> to_sample(std::string_view cell, double percent_per_unit, std::uint16_t before) {
  if (cell.empty()) return before;
  double value = 0;
  const auto [stopped, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (problem != std::errc{} || stopped != cell.data() + cell.size() || !std::isfinite(value)) return std::nullopt;
  return static_cast<std::uint16_t>(std::lround(std::clamp(value * percent_per_unit * 100, 0.0, 65'535.0)));
}

class Reader {
 public:
  Reader(std::string_view header, std::string_view column, double percent_per_unit)
      : names_(split(header)), percent_per_unit_(percent_per_unit) {
    const auto place = [this](std::string_view name) {
      return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
    };
    wide_from_ = place("t0");
    time_ = place("t");
    column_ = column.empty() ? (keyed() ? time_ + 1 : 0) : place(column);
  }
  bool wide() const { return wide_from_ < names_.size(); }
  bool keyed() const { return time_ < names_.size(); }

  Result<void> start(std::string_view column) const {
    if (wide() && !column.empty())
      return fail(Errc::Invalid, "the file has no columns to select: each row is a series");
    if (wide() || column_ < names_.size()) return {};
    return fail(Errc::Invalid, "there is no column {}; valid columns are {}", kube::quoted(column),
                fmt::join(names_, ", "));
  }

  Result<void> line(std::string_view text) {
    const auto cells = split(text);
    ++number_;
    if (cells.size() != names_.size())
      return fail(Errc::Invalid, "line {} has {} cells, but the header has {}", number_, cells.size(), names_.size());
    return wide() ? wide_line(cells) : keyed() ? keyed_line(cells) : add(cells[column_]);
  }

  Result<SeriesTable> finish() {
    if (keyed()) lay_out_readings();
    if (!wide() && !table_.samples.empty()) end_series();
    if (table_.rows() == 0) return fail(Errc::Invalid, "the file contains no series");
    return std::move(table_);
  }

 private:
  Result<void> add(std::string_view cell) {
    const auto sample = to_sample(cell, percent_per_unit_, last_);
    if (!sample) return fail(Errc::Invalid, "line {}: {} is not a number", number_, kube::quoted(cell));
    table_.samples.push_back(*sample);
    last_ = *sample;
    return {};
  }

  Result<void> wide_line(const std::vector<std::string_view>& cells) {
    last_ = 0;
    for (std::size_t i = wide_from_; i < cells.size(); ++i) {
      if (auto added = add(cells[i]); !added) return added;
    }
    end_series();
    return {};
  }

  Result<void> keyed_line(const std::vector<std::string_view>& cells) {
    const auto time = kube::parse_int64(cells[time_]);
    if (!time) return fail(Errc::Invalid, "line {}: t {} is not a whole number", number_, kube::quoted(cells[time_]));
    const bool first = readings_.empty() || cells[0] != key_;
    if (!first && *time <= readings_.back().time) return fail(Errc::Invalid, "line {}: t does not increase", number_);
    key_ = cells[0];
    if (first) last_ = 0;
    const auto sample = to_sample(cells[column_], percent_per_unit_, last_);
    if (!sample) return fail(Errc::Invalid, "line {}: {} is not a number", number_, kube::quoted(cells[column_]));
    last_ = *sample;
    readings_.push_back({*time, *sample, first});
    return {};
  }

  // The smallest distance between readings is the step. Longer gaps are filled with the reading before.
  void lay_out_readings() {
    std::int64_t step = 0;
    for (std::size_t i = 1; i < readings_.size(); ++i) {
      const std::int64_t passed = readings_[i].time - readings_[i - 1].time;
      if (!readings_[i].first && (step == 0 || passed < step)) step = passed;
    }
    if (step > 0) table_.step_ms = step * 1000;
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      const Reading& reading = readings_[i];
      if (reading.first && i > 0) end_series();
      if (!reading.first) {
        const std::int64_t missing = (reading.time - readings_[i - 1].time) / step - 1;
        const auto filled = static_cast<std::size_t>(std::clamp(missing, std::int64_t{0}, kLongestGapSteps));
        table_.samples.insert(table_.samples.end(), filled, readings_[i - 1].sample);
      }
      table_.samples.push_back(reading.sample);
    }
  }

  void end_series() { table_.ends.push_back(static_cast<std::uint32_t>(table_.samples.size())); }

  std::vector<std::string_view> names_;
  double percent_per_unit_;
  std::size_t wide_from_ = 0, time_ = 0, column_ = 0;
  SeriesTable table_;
  struct Reading {
    std::int64_t time;
    std::uint16_t sample;
    bool first;
  };
  std::vector<Reading> readings_;
  std::string_view key_;
  std::uint16_t last_ = 0;
  int number_ = 1;
};

// The only file whose values are fractions of 1.
double percent_per_unit(std::string_view file) { return file == "google2019_fleet_300s" ? 100 : 1; }

}  // namespace

Result<SeriesTable> parse_series(std::string_view text, std::string_view column, double percent_per_unit) {
  Reader reader(take_line(text), column, percent_per_unit);
  if (auto started = reader.start(column); !started) return fail(std::move(started.error()));
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    if (auto read = reader.line(line); !read) return fail(std::move(read.error()));
  }
  return reader.finish();
}

Result<std::shared_ptr<const SeriesTable>> SeriesLibrary::open(std::string_view file, std::string_view column) {
  const std::pair key{std::string(file), std::string(column)};
  if (const auto known = tables_.find(key); known != tables_.end()) return known->second;
  if (file.empty() || file.find('/') != std::string_view::npos)
    return fail(Errc::Invalid, "file={} must be the name of a file in {}, without a path", file, directory_);
  const std::string path = fmt::format("{}/{}.csv", directory_, file);
  auto text = read_packed_file(path, kMostBytes);
  if (!text && text.error().code == Errc::NotFound) text = read_packed_file(path + ".xz", kMostBytes);
  if (!text) {
    return fail(text.error().code,
                "the recorded series {} cannot be read: {}; set RESCHEDULER_DATA to the directory with the data", file,
                text.error().message);
  }
  auto table = parse_series(*text, column, percent_per_unit(file));
  if (!table) return fail(std::move(table.error()).within(file));
  return tables_[key] = std::make_shared<const SeriesTable>(std::move(*table));
}

std::string series_directory(const kube::Environment& environment) {
  return environment.find("RESCHEDULER_DATA").value_or("../shared/data") + "/utilisation";
}

}  // namespace rescheduler::sim
