// Reports of replays: tables in Markdown, a CSV file, a plot.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "outcome.h"

namespace rescheduler::replay {

struct Row {
  std::string rule;
  int weight = 1;  // weight of its score
  Outcome mean;    // over the seeds
  std::vector<Outcome> runs;
};

struct Table {
  int nodes = 0;
  std::vector<Row> rows;
};

std::string table_head();
std::string table_line(const Row& row);
// A line for each run, and for the mean of the runs.
std::string csv_of(const std::vector<Table>& tables);
// Node-minutes above the threshold by rule, and the deviation over nodes over time.
std::string plot_of(const std::vector<Table>& tables);

Result<void> write_text(const std::string& path, const std::string& text);

}  // namespace rescheduler::replay
