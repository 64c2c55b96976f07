#include "usage/smoothing.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::usage {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kStart{seconds{1'800'000'000}};

double after(const SmoothingSettings& how, const std::vector<std::pair<int, double>>& samples) {
  Smoother smoother;
  for (const auto& [second, value] : samples) smoother.add(value, kStart + seconds{second}, how);
  return smoother.value();
}

TEST(Smoothing, NoneReturnsTheNewestSample) {
  EXPECT_DOUBLE_EQ(after({.kind = Smoothing::None}, {{0, 0.2}, {15, 0.9}}), 0.9);
}

TEST(Smoothing, TheFirstSampleCountsInFull) { EXPECT_DOUBLE_EQ(after({}, {{0, 0.7}}), 0.7); }

TEST(Smoothing, AfterOneHalfLifeTheMeanIsHalfWayToTheNewValue) {
  const SmoothingSettings minute{.half_life = seconds{60}};
  EXPECT_DOUBLE_EQ(after(minute, {{0, 0.0}, {60, 1.0}}), 0.5);
  EXPECT_DOUBLE_EQ(after(minute, {{0, 0.0}, {180, 1.0}}), 0.875);
}

TEST(Smoothing, TheMeanDependsOnTheElapsedTimeAndNotOnTheNumberOfSamples) {
  EXPECT_NEAR(after({.half_life = seconds{60}}, {{0, 0.0}, {10, 1.0}, {17, 1.0}, {44, 1.0}, {60, 1.0}}), 0.5, 1e-12);
}

TEST(Smoothing, ASampleThatIsNotNewerChangesNothing) {
  EXPECT_DOUBLE_EQ(after({}, {{60, 0.4}, {60, 0.9}, {30, 0.9}}), 0.4);
  EXPECT_DOUBLE_EQ(after({.kind = Smoothing::None}, {{60, 0.4}, {30, 0.9}}), 0.4);
}

TEST(Smoothing, APercentileUsesOnlyTheSamplesOfItsWindow) {
  const SmoothingSettings how{.kind = Smoothing::Percentile, .percentile = 50, .window = seconds{60}};
  EXPECT_DOUBLE_EQ(after(how, {{0, 0.1}, {20, 0.9}, {40, 0.2}}), 0.2);
  EXPECT_DOUBLE_EQ(after(how, {{0, 0.1}, {20, 0.9}, {40, 0.2}, {80, 0.3}}), 0.3);  // the first sample is outside the
                                                                                   // window
  const SmoothingSettings high{.kind = Smoothing::Percentile, .percentile = 100, .window = seconds{60}};
  EXPECT_DOUBLE_EQ(after(high, {{0, 0.1}, {20, 0.9}, {40, 0.2}}), 0.9);
}

TEST(Unseen, WithoutSmoothingTheUnseenShareFallsLinearly) {
  const SmoothingSettings none{.kind = Smoothing::None};
  EXPECT_DOUBLE_EQ(unseen(seconds{-10}, minutes{5}, none), 1.0);
  EXPECT_DOUBLE_EQ(unseen(seconds{0}, minutes{5}, none), 1.0);
  EXPECT_DOUBLE_EQ(unseen(minutes{1}, minutes{5}, none), 0.8);
  EXPECT_DOUBLE_EQ(unseen(minutes{5}, minutes{5}, none), 0.0);
  EXPECT_DOUBLE_EQ(unseen(seconds{1}, seconds{0}, none), 0.0);
}

TEST(Unseen, WithAPercentileTheUnseenShareFallsLater) {
  const SmoothingSettings how{.kind = Smoothing::Percentile, .percentile = 90, .window = minutes{10}};
  EXPECT_DOUBLE_EQ(unseen(minutes{1}, minutes{4}, how), 1.0);
  EXPECT_NEAR(unseen(minutes{3}, minutes{4}, how), 0.5, 1e-9);
}

// Compares the formula with a Smoother for a load that begins as a step.
TEST(Unseen, TheUnseenShareIsTheErrorOfTheSmoothedMeanAfterAStepOfTheLoad) {
  const SmoothingSettings ewma{.half_life = seconds{60}};
  for (const auto averaged : {minutes{1}, minutes{5}}) {
    Smoother smoother;
    for (int second = -60; second <= 900; ++second) {
      const double sampled = std::clamp(second / std::chrono::duration<double>(averaged).count(), 0.0, 1.0);
      smoother.add(sampled, kStart + seconds{second}, ewma);
      EXPECT_NEAR(unseen(seconds{second}, averaged, ewma), 1.0 - smoother.value(), 0.012) << second;
    }
  }
}

RC_GTEST_PROP(Unseen, TheUnseenShareNeverGrowsStaysBetweenZeroAndOneAndEndsInTime, ()) {
  const auto pick = [](int least, int most) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most));
  };
  const SmoothingSettings how{.kind = static_cast<Smoothing>(pick(0, 3)),
                              .half_life = seconds{pick(0, 300)},
                              .percentile = static_cast<double>(pick(1, 101)),
                              .window = seconds{pick(1, 900)}};
  const seconds averaged{pick(0, 600)};
  double before = 1.0;
  for (int age = -5; age < 4000; age += 7) {
    const double share = unseen(seconds{age}, averaged, how);
    RC_ASSERT(share >= 0.0);
    RC_ASSERT(share <= before);
    if (seconds{age} > time_to_be_seen(averaged, how)) RC_ASSERT(share == 0.0);
    before = share;
  }
}

TEST(Volatility, IsTheStandardDeviationOfRecentSamples) {
  Volatility quiet;
  Volatility jumps;
  for (int i = 0; i < 2000; ++i) {
    const WallTime at{minutes{i}};
    quiet.add(0.5, at);
    jumps.add(i % 2 == 0 ? 0.4 : 0.6, at);
  }
  EXPECT_EQ(quiet.deviation(), 0.0);
  EXPECT_NEAR(jumps.deviation(), 0.1, 0.005);
  for (int i = 2000; i < 2300; ++i) jumps.add(0.5, WallTime{minutes{i}});
  EXPECT_LT(jumps.deviation(), 0.01) << "the samples have been constant for five hours";
  jumps.add(9.0, WallTime{minutes{3}});
  EXPECT_LT(jumps.deviation(), 0.01) << "a sample with an old time is ignored";
}

}  // namespace
}  // namespace rescheduler::usage
