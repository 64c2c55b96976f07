// The replay itself: measurement, counting, and that the same day gives the same result twice.
#include "replay.h"

#include <gtest/gtest.h>

#include "meter.h"
#include "rules/ours.h"

namespace rescheduler::replay {
namespace {

TEST(Meter, ReportsMeansDeviationsAndPeaksOfTheLastReadings) {
  Meter meter(1);
  for (const double share : {0.9, 0.2, 0.4}) meter.record(std::vector{share}, std::vector{0.5});
  EXPECT_NEAR(meter.mean(Measured::Cpu, 0, 2), 0.3, 1e-6);
  EXPECT_NEAR(meter.mean(Measured::Cpu, 0, 15), 0.5, 1e-6);
  EXPECT_NEAR(meter.deviation(Measured::Cpu, 0, 2), 0.1, 1e-6);
  EXPECT_NEAR(meter.deviation(Measured::Memory, 0, 15), 0, 1e-6);
  EXPECT_NEAR(meter.latest(Measured::Cpu, 0), 0.4, 1e-6);
  EXPECT_NEAR(meter.largest_mean(Measured::Cpu, 0, 60), 0.9, 1e-6);
  EXPECT_NEAR(meter.largest_mean(Measured::Cpu, 0, 2), 0.55, 1e-6);  // of (0.9 + 0.2) / 2 and 0.5
}

TEST(Tally, CountsMinutesAboveTheThresholdAndContiguousEpisodes) {
  Tally tally(2);
  const std::vector<std::vector<double>> minutes{{0.9, 0.1}, {0.85, 0.8}, {0.5, 0.5}, {1.2, 0.5}};
  for (const auto& cpu : minutes) tally.minute(cpu, std::vector{0.81, 0.2}, 3);
  const Outcome outcome = tally.finish();
  EXPECT_EQ(outcome.cpu_over, 3);  // 0.8 itself is not above the threshold
  EXPECT_EQ(outcome.memory_over, 4);
  EXPECT_EQ(outcome.episodes, 2);
  EXPECT_DOUBLE_EQ(outcome.mean_episode, 1.5);
  EXPECT_EQ(outcome.longest_episode, 2);
  EXPECT_DOUBLE_EQ(outcome.largest_load, 1.2);
  EXPECT_EQ(outcome.pending_minutes, 12);
  EXPECT_DOUBLE_EQ(outcome.deviation_over_time.front(), 0.4);
}

// Two rows of three samples: 0, 100, 0 percent; and always 50 percent.
Traces traces() {
  auto rows = std::make_shared<sim::SeriesTable>();
  rows->samples = {0, 10'000, 0, 5'000, 5'000, 5'000};
  rows->ends = {3, 6};
  return {rows, {0.4}};
}

TEST(Demand, InterpolatesItsRowLinearlyUpToTheMaximumOfThePod) {
  const auto rows = traces().cpu;
  Job job;
  job.appetite = 4;
  job.most_cpu = 3;
  EXPECT_DOUBLE_EQ(cpu_demand(job, *rows, 0), 0);
  EXPECT_DOUBLE_EQ(cpu_demand(job, *rows, 1), 0.8);
  EXPECT_DOUBLE_EQ(cpu_demand(job, *rows, 5), 3);
  EXPECT_DOUBLE_EQ(cpu_demand(job, *rows, 15), 0);  // the row starts again
  job.offset = 7;
  EXPECT_DOUBLE_EQ(cpu_demand(job, *rows, 0), 2.4);
}

TEST(Workload, RequestsTheExpectedShareOfTheCluster) {
  const Workload workload = make_workload({.nodes = 30, .minutes = 300}, traces());
  double capacity = 0;
  for (const NodeShape& node : workload.nodes) capacity += node.cores;
  for (const std::int64_t hour : {2, 4, 6}) {
    double asked = 0;
    for (const Job& job : workload.jobs) {
      if (job.arrives <= hour * 3600 && job.arrives + job.lifetime > hour * 3600) asked += job.cpu;
    }
    EXPECT_NEAR(asked / capacity, 0.65, 0.12) << hour;
  }
}

TEST(Replay, TheSameDayGivesTheSameOutcome) {
  const Workload workload = make_workload({.nodes = 6, .warm_up_minutes = 20, .minutes = 60}, traces());
  const NamedRule rule{"rescheduler", rescheduler_plugin(), 1};
  const Outcome once = replay(workload, rule, {});
  const Outcome again = replay(workload, rule, {});
  EXPECT_GT(once.placed, 0);
  EXPECT_EQ(once.placed, again.placed);
  EXPECT_EQ(once.deviation_over_time, again.deviation_over_time);
}

}  // namespace
}  // namespace rescheduler::replay
