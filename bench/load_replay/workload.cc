#include "workload.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <tuple>

#include "base/rng.h"

namespace rescheduler::replay {
namespace {

constexpr double kGibPerCore = 4;
constexpr std::array kNodeCores{16.0, 32.0, 64.0};

struct SizeShare {
  double value;
  double share;
};

// Many small pods and few large ones; 1.6 cores on average.
constexpr std::array<SizeShare, 6> kPodCores{{{0.25, 0.15}, {0.5, 0.25}, {1, 0.25}, {2, 0.2}, {4, 0.1}, {8, 0.05}}};
// Requested GiB per core; nodes have four.
constexpr std::array<SizeShare, 3> kPodGibPerCore{{{1, 0.25}, {2, 0.4}, {4, 0.35}}};

// Services stay for the day; jobs and rollouts come and go.
constexpr double kStays = 0.4;
constexpr double kMeanLifetimeSeconds = 4 * 3600;
constexpr double kShortestLifetimeSeconds = 300;

// The mean of the rows is 11 %. At 100 % a pod would use several times its request. So on average a pod uses about two
// thirds of its request; a few use a multiple and most use far less.
constexpr double kMedianAppetite = 5;
constexpr double kAppetiteSpread = 0.8;  // sigma of the logarithm
constexpr double kLimited = 0.5;         // share of the pods with limits
constexpr double kCpuLimit = 2;          // times the request
constexpr double kMemoryLimit = 1.5;
// The most that a pod without a limit can use: six times its request, but at most six cores more than its request.
// Small pods use multiples of their requests; the requests of large pods are usually set with care.
constexpr double kMostTimes = 6;
constexpr double kMostBeyond = 6;
constexpr double kMemoryAppetite = 1.5;

double draw(std::span<const SizeShare> of, Rng& rng) {
  double left = rng.unit();
  for (const SizeShare& one : of) {
    if (left < one.share) return one.value;
    left -= one.share;
  }
  return of.back().value;
}

double exponential(double mean, Rng& rng) { return -mean * std::log(1 - rng.unit()); }

double normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.unit()));
  return radius * std::cos(2 * std::numbers::pi * rng.unit());
}

Job any_job(const Traces& traces, Rng& rng) {
  Job job;
  job.cpu = draw(kPodCores, rng);
  job.memory = job.cpu * draw(kPodGibPerCore, rng);
  job.appetite = job.cpu * kMedianAppetite * std::exp(kAppetiteSpread * normal(rng));
  job.most_cpu = std::min(job.cpu * kMostTimes, job.cpu + kMostBeyond);
  if (rng.unit() < kLimited) {
    job.cpu_limit = job.most_cpu = job.cpu * kCpuLimit;
    job.memory_limit = job.memory * kMemoryLimit;
  }
  job.row = static_cast<std::uint32_t>(rng.below(traces.cpu->rows()));
  job.offset = static_cast<std::uint32_t>(rng.below(1440));
  job.memory_used = job.memory * kMemoryAppetite * traces.memory_levels[rng.below(traces.memory_levels.size())];
  job.lifetime = static_cast<std::int64_t>(kShortestLifetimeSeconds + exponential(kMeanLifetimeSeconds, rng));
  return job;
}

}  // namespace

Result<Traces> read_traces(const std::string& directory) {
  sim::SeriesLibrary library(directory);
  auto cpu = library.open("planetlab_vm_cpu", "");
  if (!cpu) return fail(std::move(cpu.error()));
  auto memory = library.open("genai_pods_285s", "mem_pct");
  if (!memory) return fail(std::move(memory.error()));
  Traces traces{*cpu, {}};
  for (std::size_t row = 0; row < (*memory)->rows(); ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < (*memory)->length(row); ++i) sum += (*memory)->sample(row, i);
    traces.memory_levels.push_back(sum / static_cast<double>((*memory)->length(row)) / 10'000);
  }
  return traces;
}

double cpu_demand(const Job& job, const sim::SeriesTable& rows, std::int64_t minute) {
  const std::size_t length = rows.length(job.row);
  const auto at = static_cast<std::size_t>(minute) + job.offset;
  const std::size_t before = at / 5 % length;
  const std::size_t after = before + 1 == length ? 0 : before + 1;
  const double share = static_cast<double>(at % 5) / 5;
  const double percent = (1 - share) * rows.sample(job.row, before) + share * rows.sample(job.row, after);
  return std::min(job.most_cpu, job.appetite * percent / 10'000);
}

Workload make_workload(const WorkloadOptions& options, const Traces& traces) {
  Rng rng(options.seed);
  Workload workload{options, {}, {}, traces.cpu};
  double cores = 0;
  for (int i = 0; i < options.nodes; ++i) {
    const double own = kNodeCores[static_cast<std::size_t>(i) % kNodeCores.size()];
    workload.nodes.push_back({own, own * kGibPerCore});
    cores += own;
  }
  const std::int64_t warm_up = std::int64_t{options.warm_up_minutes} * 60;
  const std::int64_t end = warm_up + std::int64_t{options.minutes} * 60;

  // Pods that exist when the day begins; they arrive in the first half of the warm-up.
  double staying = 0;
  double passing = 0;
  int passing_pods = 0;
  while (staying + passing < options.requested * cores) {
    Job job = any_job(traces, rng);
    job.arrives = static_cast<std::int64_t>(rng.unit() * static_cast<double>(warm_up) / 2);
    const bool stays = staying < kStays * (staying + passing + job.cpu);
    if (stays) job.lifetime = 2 * end;
    (stays ? staying : passing) += job.cpu;
    if (!stays) ++passing_pods;
    workload.jobs.push_back(job);
  }
  // As many pods arrive as leave, one by one.
  const double every = (kMeanLifetimeSeconds + kShortestLifetimeSeconds) / passing_pods;
  for (double time = exponential(every, rng); time < static_cast<double>(end); time += exponential(every, rng)) {
    Job job = any_job(traces, rng);
    job.arrives = static_cast<std::int64_t>(time);
    workload.jobs.push_back(job);
  }
  std::ranges::sort(workload.jobs, {}, [](const Job& job) { return std::tuple(job.arrives, job.row, job.offset); });
  return workload;
}

}  // namespace rescheduler::replay
