// The input of a replay: nodes, and pods that come and go over a day, each with a recorded series as its demand. The
// input is the same for every rule.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "sim/load/series.h"

namespace rescheduler::replay {

struct Traces {
  std::shared_ptr<const sim::SeriesTable> cpu;  // PlanetLab: percent, 5 minutes apart, a day long
  std::vector<double> memory_levels;            // of the GenAI pods: mean share of the memory that they may use
};

Result<Traces> read_traces(const std::string& directory);

struct NodeShape {
  double cores = 0;
  double memory_gib = 0;
};

struct Job {
  std::int64_t arrives = 0;   // seconds since the start of the warm-up
  std::int64_t lifetime = 0;  // seconds from its placement
  double cpu = 0;             // requests: cores, GiB
  double memory = 0;
  double cpu_limit = 0;  // 0: none
  double memory_limit = 0;
  double appetite = 0;  // cores at 100 % of its row
  double most_cpu = 0;  // upper bound of its CPU usage, whatever its row says
  double memory_used = 0;
  std::uint32_t row = 0;
  std::uint32_t offset = 0;  // minutes by which its row is rotated
};

// Cores at a whole minute of the replay, interpolated linearly between two samples of the row.
double cpu_demand(const Job& job, const sim::SeriesTable& rows, std::int64_t minute);

struct WorkloadOptions {
  int nodes = 100;
  std::uint64_t seed = 1;
  int warm_up_minutes = 120;
  int minutes = 1440;  // measured minutes, after the warm-up
  double requested = 0.65;
};

struct Workload {
  WorkloadOptions options;
  std::vector<NodeShape> nodes;
  std::vector<Job> jobs;  // by arrival
  std::shared_ptr<const sim::SeriesTable> rows;
};

Workload make_workload(const WorkloadOptions& options, const Traces& traces);

}  // namespace rescheduler::replay
