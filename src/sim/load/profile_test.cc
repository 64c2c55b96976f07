#include "sim/load/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/load/series.h"

namespace rescheduler::sim {
namespace {

using testing::HasSubstr;

constexpr Millis kMidnight = 1'704'067'200'000;  // 2024-01-01T00:00:00Z
constexpr Millis kMinute = 60'000, kHour = 60 * kMinute;

class ProfileTest : public testing::Test {
 protected:
  Profile parse(std::string_view text, LoadResource resource = LoadResource::Cpu) {
    auto parsed = Profile::parse(text, resource, library);
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
    return parsed ? *parsed : Profile();
  }
  std::string fault(std::string_view text, LoadResource resource = LoadResource::Cpu) {
    const auto parsed = Profile::parse(text, resource, library);
    return parsed ? "" : parsed.error().message;
  }

  SeriesLibrary library{"/nowhere"};
  LoadSubject subject{42, 1'000'000, kMidnight};
};

TEST_F(ProfileTest, AConstantAmountHoldsForever) {
  const Level cpu = parse("200m").at(subject, kMidnight);
  EXPECT_EQ(cpu.amount, 200'000);
  EXPECT_EQ(cpu.until, kForever);
  EXPECT_EQ(parse("512Mi", LoadResource::Memory).at(subject, kMidnight).amount, std::int64_t{512} << 20);
}

TEST_F(ProfileTest, APercentageIsAShareOfTheRequest) {
  EXPECT_EQ(parse("50%").at(subject, kMidnight).amount, 500'000);
  EXPECT_EQ(parse("12.5%").at(subject, kMidnight).amount, 125'000);
  EXPECT_EQ(parse("150%").at(subject, kMidnight).amount, 1'500'000);
}

TEST_F(ProfileTest, NoiseHasItsMeanAndDeviationAndIsConstantWithinAPeriod) {
  const Profile noisy = parse("noisy mean=200m deviation=20m every=15s");
  double sum = 0, squares = 0;
  constexpr int kDraws = 20'000;
  for (int i = 0; i < kDraws; ++i) {
    const Millis begin = kMidnight + i * 15'000;
    const Level level = noisy.at(subject, begin);
    EXPECT_EQ(level.until, begin + 15'000);
    EXPECT_EQ(noisy.at(subject, begin + 14'999).amount, level.amount);
    sum += static_cast<double>(level.amount);
    squares += static_cast<double>(level.amount) * static_cast<double>(level.amount);
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, 200'000, 1'000);
  EXPECT_NEAR(std::sqrt(squares / kDraws - mean * mean), 20'000, 1'000);
}

TEST_F(ProfileTest, PodsWithDifferentSeedsHaveDifferentNoise) {
  const Profile noisy = parse("noisy mean=200m deviation=20m");
  LoadSubject other = subject;
  other.seed = 43;
  EXPECT_NE(noisy.at(subject, kMidnight).amount, noisy.at(other, kMidnight).amount);
  EXPECT_NE(seed_of("u1", "web", "a"), seed_of("u2", "web", "a"));
  EXPECT_NE(seed_of("", "web", "ab"), seed_of("", "weba", "b"));
}

TEST_F(ProfileTest, NoiseIsNeverNegative) {
  const Profile noisy = parse("noisy mean=10m deviation=50m every=1s");
  for (int i = 0; i < 1000; ++i) EXPECT_GE(noisy.at(subject, kMidnight + i * 1000).amount, 0);
}

TEST_F(ProfileTest, ADailyProfileHasItsPeakAndItsLowTwelveHoursApart) {
  const Profile daily = parse("daily low=100m high=900m peak=14:00");
  EXPECT_EQ(daily.at(subject, kMidnight + 14 * kHour).amount, 900'000);
  EXPECT_EQ(daily.at(subject, kMidnight + 2 * kHour).amount, 100'000);
  EXPECT_EQ(daily.at(subject, kMidnight + 8 * kHour).amount, 500'000);
  EXPECT_EQ(daily.at(subject, kMidnight + 38 * kHour).amount, 900'000);
  EXPECT_EQ(daily.at(subject, kMidnight + 8 * kHour + 1).until, kMidnight + 8 * kHour + kMinute);
}

TEST_F(ProfileTest, ARampChangesLinearlyAndThenStaysConstant) {
  const Profile ramp = parse("ramp from=100m to=1100m over=10m after=1m");
  const Millis begin = kMidnight + kMinute;
  EXPECT_EQ(ramp.at(subject, kMidnight).amount, 100'000);
  EXPECT_EQ(ramp.at(subject, kMidnight).until, begin);
  EXPECT_EQ(ramp.at(subject, begin + 5 * kMinute).amount, 600'000);
  EXPECT_EQ(ramp.at(subject, begin + 10 * kMinute).amount, 1'100'000);
  EXPECT_EQ(ramp.at(subject, begin + 10 * kMinute).until, kForever);
}

TEST_F(ProfileTest, AStepChangesTheLevelAndReturnsAfterItsDuration) {
  const Profile step = parse("step from=100m to=900m after=10m for=5m");
  EXPECT_EQ(step.at(subject, kMidnight + 10 * kMinute - 1).amount, 100'000);
  EXPECT_EQ(step.at(subject, kMidnight + 10 * kMinute).amount, 900'000);
  EXPECT_EQ(step.at(subject, kMidnight + 15 * kMinute).amount, 100'000);
  EXPECT_EQ(parse("step from=1 to=2 after=0s").at(subject, kMidnight + 900 * kHour).amount, 2'000'000);
}

TEST_F(ProfileTest, NoiseCanBeAddedToADailyProfile) {
  const Profile noisy_daily = parse("daily low=100m high=900m peak=14:00 deviation=10m every=5s");
  const Level level = noisy_daily.at(subject, kMidnight + 14 * kHour);
  EXPECT_NE(level.amount, 900'000);
  EXPECT_NEAR(static_cast<double>(level.amount), 900'000, 40'000);
  EXPECT_EQ(level.until, kMidnight + 14 * kHour + 5'000);
}

TEST_F(ProfileTest, EveryLevelIsConstantUntilItsEnd) {
  for (const char* text : {"noisy mean=300m deviation=99m every=7s", "daily low=1m high=2 peak=03:30",
                           "ramp from=0 to=3 over=17m after=7s", "step from=1 to=2 after=61s for=13s deviation=1m"}) {
    const Profile profile = parse(text);
    Millis now = kMidnight;
    for (int i = 0; i < 300 && now != kForever; ++i) {
      const Level level = profile.at(subject, now);
      ASSERT_GT(level.until, now) << text;
      const Millis end = level.until == kForever ? now + kHour : level.until;
      EXPECT_EQ(profile.at(subject, end - 1).amount, level.amount) << text;
      EXPECT_EQ(profile.at(subject, now + (end - now) / 2).amount, level.amount) << text;
      now = level.until;
    }
  }
}

TEST_F(ProfileTest, ErrorsOfInvalidProfilesNameTheMistake) {
  EXPECT_THAT(fault(""), HasSubstr("it is empty"));
  EXPECT_THAT(fault("2x"), HasSubstr("\"2x\" is not an amount; write cores such as 200m"));
  EXPECT_THAT(fault("2x", LoadResource::Memory), HasSubstr("bytes such as 512Mi"));
  EXPECT_THAT(fault("-5m"), HasSubstr("neither an amount nor one of noisy, daily, ramp, step, series"));
  EXPECT_THAT(fault("wavy mean=1"), HasSubstr("\"wavy\" is neither an amount nor one of noisy"));
  EXPECT_THAT(fault("noisy mean=1"), HasSubstr("deviation= is missing"));
  EXPECT_THAT(fault("noisy mean=abc deviation=1"), HasSubstr("mean: \"abc\" is not an amount"));
  EXPECT_THAT(fault("noisy mean=1 deviation=1 every=10ms"), HasSubstr("every: \"10ms\" is too short"));
  EXPECT_THAT(fault("noisy mean=1 mean=2 deviation=1"), HasSubstr("mean is given twice"));
  EXPECT_THAT(fault("noisy mean=1 deviation=1 peak=3"),
              HasSubstr("peak is not a parameter of noisy; valid parameters are mean,"));
  EXPECT_THAT(fault("200m every=3s"), HasSubstr("200m has no parameters"));
  EXPECT_THAT(fault("daily low=1 high=2 peak=25:00"), HasSubstr("peak: \"25:00\" is not a time of day"));
  EXPECT_THAT(fault("ramp from=1 to=2"), HasSubstr("over= is missing"));
  EXPECT_THAT(fault("step from=1 to=2 after=soon"), HasSubstr("after: \"soon\" is not a duration"));
  EXPECT_THAT(fault("noisy mean"), HasSubstr("\"mean\" should have the form key=value"));
  EXPECT_THAT(fault("series file=nope row=1 of=1"), HasSubstr("cannot be read"));
  EXPECT_THAT(fault("series file=../x row=1 of=1"), HasSubstr("without a path"));
}

}  // namespace
}  // namespace rescheduler::sim
