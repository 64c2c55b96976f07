// The instances of the ROADEF/EURO challenge 2012 (machine reassignment), in the file format of its organisers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "planner/problem.h"

namespace rescheduler::roadef {

struct Files {
  std::string model{};
  std::string assignment{};
};

// Published results: a row of reference.csv. docs/benchmarks.md names the sources.
struct Known {
  std::string name{};
  planner::Cost initial = 0;
  planner::Cost bound = 0;
  planner::Cost reference = 0;
  std::optional<planner::Cost> s41{};
  std::optional<planner::Cost> j33{};
};

// $RESCHEDULER_DATA/roadef2012; without the variable, ../shared/data/roadef2012.
std::string default_directory();

std::optional<Files> find_instance(const std::string& directory, const std::string& name);
Result<planner::Problem> read_instance(const Files& files);
Result<std::vector<Known>> read_known();

}  // namespace rescheduler::roadef
