#include "kube/value/time.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.h"

namespace rescheduler::kube {
namespace {

WallTime at(std::int64_t seconds, std::int64_t nanos = 0) {
  return WallTime{std::chrono::seconds{seconds}} + std::chrono::nanoseconds{nanos};
}

std::int64_t at_year(int year) {
  return std::chrono::sys_seconds{std::chrono::sys_days{std::chrono::year{year} / 1 / 1}}.time_since_epoch().count();
}

TEST(Time, ReadsRfc3339WithFractionsAndOffsets) {
  const std::pair<const char*, WallTime> cases[] = {
      {"1970-01-01T00:00:00Z", at(0)},
      {"2006-01-02T15:04:05Z", at(1136214245)},
      {"2006-01-02T15:04:05+00:00", at(1136214245)},
      {"2006-01-02T17:34:05+02:30", at(1136214245)},
      {"2006-01-01T23:04:05-16:00", at(1136214245)},
      {"2006-01-02T15:04:05.5Z", at(1136214245, 500'000'000)},
      {"2006-01-02T15:04:05.000001Z", at(1136214245, 1'000)},
      {"2006-01-02T15:04:05.123456789Z", at(1136214245, 123'456'789)},
      {"2006-01-02T15:04:05.1234567899999Z", at(1136214245, 123'456'789)},
      {"2024-02-29T12:00:00Z", at(1709208000)},
      {"2000-02-29T00:00:00Z", at(951782400)},
      {"1969-12-31T23:59:59.75Z", at(-1, 750'000'000)},
      {"1678-01-01T00:00:00Z", at(-9214560000)},
      {"2262-04-11T00:00:00Z", at(9223286400)},
  };
  for (const auto& [text, expected] : cases) {
    const auto parsed = parse_time(text);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(*parsed, expected) << text;
  }
}

TEST(Time, PrintsSecondsForTimeAndMicrosecondsForMicroTime) {
  EXPECT_EQ(format_time(at(1136214245, 999'999'999)), "2006-01-02T15:04:05Z");
  EXPECT_EQ(format_micro_time(at(1136214245, 123'456'999)), "2006-01-02T15:04:05.123456Z");
  EXPECT_EQ(format_micro_time(at(1136214245)), "2006-01-02T15:04:05.000000Z");
  EXPECT_EQ(format_time(at(-1, 750'000'000)), "1969-12-31T23:59:59Z") << "times before 1970 are rounded down";
  EXPECT_EQ(format_micro_time(at(-1, 750'000'000)), "1969-12-31T23:59:59.750000Z");
  EXPECT_EQ(format_time(WallTime::min()), "1677-09-21T00:12:43Z");
  EXPECT_EQ(format_time(WallTime::max()), "2262-04-11T23:47:16Z");
}

TEST(Time, ErrorsNameTheProblemAndItsPosition) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "at byte 0: expected a year"},
      {"2006", "expected a year of four digits"},
      {"206-01-02T15:04:05Z", "expected a year of four digits"},
      {"2006-13-02T15:04:05Z", "at byte 5: expected a month"},
      {"2006-00-02T15:04:05Z", "expected a month"},
      {"2006-1-02T15:04:05Z", "expected a month"},
      {"2006-01-32T15:04:05Z", "expected a day"},
      {"2006-01-00T15:04:05Z", "no such day"},
      {"2023-02-29T15:04:05Z", "no such day"},
      {"1900-02-29T15:04:05Z", "no such day"},
      {"2006-04-31T15:04:05Z", "no such day"},
      {"2006-01-02 15:04:05Z", "at byte 10: expected 'T'"},
      {"2006-01-02t15:04:05Z", "expected 'T'"},
      {"2006-01-02T24:04:05Z", "expected an hour"},
      {"2006-01-02T15:60:05Z", "expected a minute"},
      {"2006-12-31T23:59:60Z", "there is no leap second"},
      {"2006-01-02T15:04Z", "expected a minute"},
      {"2006-01-02T15:04:05", "expected 'Z' or an offset"},
      {"2006-01-02T15:04:05z", "expected 'Z' or an offset"},
      {"2006-01-02T15:04:05.Z", "expected digits after the point"},
      {"2006-01-02T15:04:05+2:00", "offset's hours"},
      {"2006-01-02T15:04:05+0200", "offset's hours"},
      {"2006-01-02T15:04:05+24:00", "offset's hours"},
      {"2006-01-02T15:04:05+02:60", "offset's minutes"},
      {"2006-01-02T15:04:05Z ", "unexpected text after the time"},
      {"+2006-01-02T15:04:05Z", "expected a year"},
      {"0000-01-01T00:00:00Z", "outside 1677"},
      {"0001-01-01T00:00:00Z", "outside 1677"},
      {"1677-09-20T00:00:00Z", "outside 1677"},
      {"2262-04-12T00:00:00Z", "outside 1677"},
      {"9999-12-31T23:59:59Z", "outside 1677"},
      {std::string("2006-01-02T15:04:05Z\0", 21), "unexpected text after the time"},
      {std::string(100'000, '2'), "(100000 bytes)"},
  };
  for (const auto& [text, says] : cases) {
    const auto parsed = parse_time(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find(says), std::string::npos) << parsed.error().message;
  }
}

TEST(Time, FromUnixRefusesTimesOutOfRange) {
  EXPECT_EQ(time_from_unix(1136214245, 5).value(), at(1136214245, 5));
  EXPECT_FALSE(time_from_unix(std::numeric_limits<std::int64_t>::max(), 0));
  EXPECT_FALSE(time_from_unix(std::numeric_limits<std::int64_t>::min(), 0));
  EXPECT_FALSE(time_from_unix(-62135596800, 0)) << "Go's zero time";
  EXPECT_FALSE(time_from_unix(0, -1));
  EXPECT_FALSE(time_from_unix(0, 1'000'000'000));
}

TEST(Time, AFieldThatLeavesNoRoomForADurationIsReadAsTheEpoch) {
  EXPECT_EQ(wall_time_or_epoch(1136214245, 5), at(1136214245, 5));
  EXPECT_EQ(wall_time_or_epoch(at_year(2199), 0), at(at_year(2199)));
  EXPECT_EQ(wall_time_or_epoch(at_year(2200), 0), WallTime{});
  EXPECT_EQ(wall_time_or_epoch(at_year(1700), 0), at(at_year(1700)));
  EXPECT_EQ(wall_time_or_epoch(at_year(1700) - 1, 0), WallTime{});
  EXPECT_EQ(wall_time_or_epoch(at_year(9999), 0), WallTime{});
  EXPECT_EQ(wall_time_or_epoch(std::numeric_limits<std::int64_t>::min(), 0), WallTime{});
  EXPECT_EQ(wall_time_or_epoch(5, -1), WallTime{});
}

TEST(UnixTime, PrintsInUtc) {
  EXPECT_EQ(format_unix_time({0, 0}, TimePrecision::Seconds), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_unix_time({1'709'210'096, 999'999'999}, TimePrecision::Seconds), "2024-02-29T12:34:56Z");
  EXPECT_EQ(format_unix_time({1'709'210'096, 1'234'000}, TimePrecision::Micros), "2024-02-29T12:34:56.001234Z");
  EXPECT_EQ(format_unix_time({-62'135'596'800, 0}, TimePrecision::Seconds), "0001-01-01T00:00:00Z");
}

TEST(UnixTime, ClampsYearsOutOfRangeToTheNearestLimit) {
  EXPECT_EQ(format_unix_time({std::numeric_limits<std::int64_t>::max(), 0}, TimePrecision::Seconds),
            "9999-12-31T23:59:59Z");
  EXPECT_EQ(format_unix_time({std::numeric_limits<std::int64_t>::min(), -7}, TimePrecision::Micros),
            "0000-01-01T00:00:00.000000Z");
}

TEST(UnixTime, HoldsDatesOutsideTheRangeOfWallTime) {
  EXPECT_EQ(parse_unix_time("0001-01-01T00:00:00Z").value(), (UnixTime{-62'135'596'800, 0}));
  EXPECT_EQ(parse_unix_time("1969-12-31T23:59:59.25Z").value(), (UnixTime{-1, 250'000'000}));
  EXPECT_FALSE(parse_time("0001-01-01T00:00:00Z"));
}

}  // namespace
}  // namespace rescheduler::kube
