#include "burst.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"
#include "placer.h"

namespace rescheduler::replay {
namespace {

const sim::SeriesTable& no_rows() {
  static const sim::SeriesTable none;
  return none;
}

// A quarter of an hour of constant readings, so that every rule has all the history it uses.
constexpr int kReadings = 15;

void measure(Placer& placer,
             Meter& meter,
             const std::vector<NodeShape>& nodes,
             const std::vector<double>& cpu,
             const std::vector<double>& memory) {
  for (int minute = 0; minute < kReadings; ++minute) {
    meter.record(cpu, memory);
    placer.sampled({meter, minute * 60, nodes, no_rows()});
  }
}

constexpr std::int64_t kAfterReadings = (kReadings - 1) * 60;

Job job_with(double cpu, double memory_mib) {
  Job job;
  job.cpu = cpu;
  job.memory = memory_mib / 1024;
  return job;
}

}  // namespace

double burst(const NamedRule& rule, const BurstOptions& options) {
  constexpr double kInUse = 0.2;
  constexpr NodeShape kShape{32, 128};
  const std::vector<NodeShape> nodes(static_cast<std::size_t>(options.nodes), kShape);
  Placer placer(nodes, rule, options.seed);
  Meter meter(nodes.size());
  std::vector<double> cpu(nodes.size(), kInUse);
  if (options.one_idle) cpu.front() = 0;
  measure(placer, meter, nodes, cpu, cpu);
  Rng rng(options.seed);
  constexpr std::array kSizes{0.25, 0.5, 1.0, 2.0};
  std::vector<Job> jobs;
  for (int i = 0; i < options.pods; ++i) {
    const double size = options.mixed ? kSizes[rng.below(kSizes.size())] : 1.0;
    jobs.push_back(job_with(size, size * 2048));
  }
  for (const Job& job : jobs) {
    const auto placed = placer.place(job, kAfterReadings + 1);
    RESCHEDULER_CHECK(placed.has_value(), "every pod of the burst must fit");
    cpu[placed->node] += job.cpu / kShape.cores;
  }
  double sum = 0;
  for (const double one : cpu) sum += one;
  return *std::ranges::max_element(cpu) / (sum / static_cast<double>(cpu.size()));
}

}  // namespace rescheduler::replay
