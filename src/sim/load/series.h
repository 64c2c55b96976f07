// Recorded utilisation: tables of percentages over time, read from CSV files (plain or xz-compressed).
//
// The header line selects one of three layouts:
//   day,vm,t0,t1,...       a series per row, samples in the columns t0 upwards, 300 s apart
//   machine,t,cpu_mean,... a series per value of the first column; `t` is seconds, each value holds until the next
//   cpu_util_percent,...   one series per column, a sample per row, 300 s apart
// Series are numbered from 0 in the order of the file. A series repeats after its end.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace rescheduler::kube {
class Environment;
}

namespace rescheduler::sim {

// One column of a file: all its series, concatenated.
struct SeriesTable {
  std::int64_t step_ms = 300'000;
  std::vector<std::uint16_t> samples;  // hundredths of a percent
  std::vector<std::uint32_t> ends;     // end of each series in samples

  std::size_t rows() const { return ends.size(); }
  std::size_t length(std::size_t row) const { return ends[row] - begin(row); }
  std::uint16_t sample(std::size_t row, std::size_t index) const { return samples[begin(row) + index]; }

 private:
  std::size_t begin(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
};

// Pure: the named column of a file's text; an empty column means the first column with values. `percent_per_unit` is 1
// for files of percentages and 100 for files of fractions.
Result<SeriesTable> parse_series(std::string_view text, std::string_view column, double percent_per_unit);

// Reads each table once.
class SeriesLibrary {
 public:
  explicit SeriesLibrary(std::string directory) : directory_(std::move(directory)) {}
  // "planetlab_vm_cpu" finds planetlab_vm_cpu.csv or .csv.xz in the directory.
  Result<std::shared_ptr<const SeriesTable>> open(std::string_view file, std::string_view column);

 private:
  std::string directory_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const SeriesTable>> tables_;
};

// $RESCHEDULER_DATA/utilisation; without the variable, ../shared/data/utilisation.
std::string series_directory(const kube::Environment& environment);

}  // namespace rescheduler::sim
