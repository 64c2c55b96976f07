#include "small_cases.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "placer.h"

namespace rescheduler::replay {
namespace {

const sim::SeriesTable& no_rows() {
  static const sim::SeriesTable none;
  return none;
}

Spread spread_of(const std::vector<double>& shares) {
  Spread spread;
  double mean = 0;
  for (const double one : shares) mean += one / static_cast<double>(shares.size());
  for (const double one : shares) {
    spread.deviation += (one - mean) * (one - mean) / static_cast<double>(shares.size());
    spread.largest = std::max(spread.largest, one);
  }
  spread.deviation = std::sqrt(spread.deviation);
  return spread;
}

// A quarter of an hour of readings that do not change, so that every rule knows all it wants to know.
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

// --- The twelve: scenarios/seed-12-pods.yaml has the same numbers. ---

Job asking(double cpu, double memory_mib) {
  Job job;
  job.cpu = cpu;
  job.memory = memory_mib / 1024;
  return job;
}

const std::vector<Job>& the_twelve() {
  static const std::vector<Job> all{asking(0.5, 500),  asking(1, 1024),   asking(1, 1536),   asking(2, 2048),
                                    asking(0.25, 256), asking(1.5, 2048), asking(0.5, 1024), asking(2, 4096),
                                    asking(3, 3072),   asking(0.75, 512), asking(1, 1024),   asking(0.25, 128)};
  return all;
}

struct Background {
  int pods;
  double cpu;  // cores, of each
  double memory_mib;
};
constexpr std::array<Background, 4> kBackground{{{4, 1.3, 2048}, {3, 1.0, 1800}, {2, 0.6, 1600}, {0, 0, 0}}};
constexpr NodeShape kTwelveShape{8, 16};

struct Shares {
  std::vector<double> cpu;
  std::vector<double> memory;
};

Shares background_shares() {
  Shares shares;
  for (const Background& one : kBackground) {
    shares.cpu.push_back(one.pods * one.cpu / kTwelveShape.cores);
    shares.memory.push_back(one.pods * one.memory_mib / 1024 / kTwelveShape.memory_gib);
  }
  return shares;
}

void add(Shares& shares, const Job& job, std::size_t node) {
  shares.cpu[node] += job.cpu / kTwelveShape.cores;
  shares.memory[node] += job.memory / kTwelveShape.memory_gib;
}

TwelvePods outcome_of(const Shares& shares) {
  return {spread_of(shares.cpu), spread_of(shares.memory), shares.cpu, shares.memory, 0};
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
    jobs.push_back(asking(size, size * 2048));
  }
  for (const Job& job : jobs) {
    const auto placed = placer.place(job, kAfterReadings + 1);
    RESCHEDULER_CHECK(placed.has_value(), "there is room for all of the burst");
    cpu[placed->node] += job.cpu / kShape.cores;
  }
  double sum = 0;
  for (const double one : cpu) sum += one;
  return *std::ranges::max_element(cpu) / (sum / static_cast<double>(cpu.size()));
}

TwelvePods twelve_pods(const NamedRule& rule, std::uint64_t seed) {
  const std::vector<NodeShape> nodes(kBackground.size(), kTwelveShape);
  Placer placer(nodes, rule, seed);
  Meter meter(nodes.size());
  Shares shares = background_shares();
  measure(placer, meter, nodes, shares.cpu, shares.memory);
  double pending = 0;
  for (const Job& job : the_twelve()) {
    const auto placed = placer.place(job, kAfterReadings + 1);
    if (placed) {
      add(shares, job, placed->node);
    } else {
      pending += 1;
    }
  }
  TwelvePods outcome = outcome_of(shares);
  outcome.pending = pending;
  return outcome;
}

TwelvePods twelve_pods_in_turn() {
  Shares shares = background_shares();
  for (std::size_t i = 0; i < the_twelve().size(); ++i) add(shares, the_twelve()[i], i % kBackground.size());
  return outcome_of(shares);
}

TwelvePods mean_of(const std::vector<TwelvePods>& runs) {
  TwelvePods mean;
  mean.cpu_by_node.assign(kBackground.size(), 0);
  mean.memory_by_node.assign(kBackground.size(), 0);
  const auto count = static_cast<double>(runs.size());
  for (const TwelvePods& run : runs) {
    mean.pending += run.pending / count;
    mean.cpu.deviation += run.cpu.deviation / count;
    mean.cpu.largest += run.cpu.largest / count;
    mean.memory.deviation += run.memory.deviation / count;
    mean.memory.largest += run.memory.largest / count;
    for (std::size_t i = 0; i < kBackground.size(); ++i) {
      mean.cpu_by_node[i] += run.cpu_by_node[i] / count;
      mean.memory_by_node[i] += run.memory_by_node[i] / count;
    }
  }
  return mean;
}

}  // namespace rescheduler::replay
