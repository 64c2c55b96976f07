#include "kube/value/duration.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST(Duration, ParsesEveryFormThatGoParses) {
  const std::pair<std::string, nanoseconds> cases[] = {
      {"0", 0ns},
      {"-0", 0ns},
      {"+0", 0ns},
      {"5s", 5s},
      {"30s", 30s},
      {"1478s", 1478s},
      {"-5s", -5s},
      {"+5s", 5s},
      {"5.0s", 5s},
      {"5.6s", 5600ms},
      {"5.s", 5s},
      {".5s", 500ms},
      {"1.004s", 1004ms},
      {"1.0040s", 1004ms},
      {"100.00100s", 100001ms},
      {"10ns", 10ns},
      {"11us", 11us},
      {"12\xC2\xB5s", 12us},
      {"12\xCE\xBCs", 12us},
      {"13ms", 13ms},
      {"14s", 14s},
      {"15m", 15min},
      {"16h", 16h},
      {"3h30m", 3h + 30min},
      {"1h30m", 90min},
      {"300ms", 300ms},
      {"1.5s", 1500ms},
      {"-2us", -2us},
      {"10.5s4m", 4min + 10500ms},
      {"-2m3.4s", -(2min + 3400ms)},
      {"1h2m3s4ms5us6ns", 1h + 2min + 3s + 4ms + 5us + 6ns},
      {"39h9m14.425s", 39h + 9min + 14425ms},
      {"52763797000ns", 52763797000ns},
      {"0.3333333333333333333h", 20min},
      {"9007199254740993ns", 9007199254740993ns},
      {"9223372036854775807ns", nanoseconds::max()},
      {"9223372036854775.807us", nanoseconds::max()},
      {"9223372036s854ms775us807ns", nanoseconds::max()},
      {"-9223372036854775808ns", nanoseconds::min()},
      {"0.100000000000000000000h", 6min},
      {"0.830103483285477580700h", 49min + 48s + 372539827ns},
  };
  for (const auto& [text, expected] : cases) {
    const auto parsed = parse_duration(text);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
    EXPECT_EQ(*parsed, expected) << text;
  }
}

TEST(Duration, PrintsExactlyAsGoPrints) {
  const std::pair<nanoseconds, const char*> cases[] = {
      {0ns, "0s"},
      {1ns, "1ns"},
      {1100ns, "1.1\xC2\xB5s"},
      {2200us, "2.2ms"},
      {3300ms, "3.3s"},
      {4min + 5s, "4m5s"},
      {4min + 5001ms, "4m5.001s"},
      {5h + 6min + 7001ms, "5h6m7.001s"},
      {8min + 1ns, "8m0.000000001s"},
      {90min, "1h30m0s"},
      {1h, "1h0m0s"},
      {-30s, "-30s"},
      {nanoseconds::max(), "2562047h47m16.854775807s"},
      {nanoseconds::min(), "-2562047h47m16.854775808s"},
  };
  for (const auto& [duration, text] : cases) EXPECT_EQ(format_duration(duration), text);
}

TEST(Duration, ErrorsNameTheProblemAndItsPosition) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "it is empty"},
      {"3", "at byte 1: the unit is missing"},
      {"-", "it is empty"},
      {"s", "a number is missing"},
      {".", "a number is missing"},
      {"-.", "a number is missing"},
      {".s", "a number is missing"},
      {"+.s", "a number is missing"},
      {"1d", "unknown unit \"d\""},
      {"1 s", "unknown unit \" s\""},
      {"--1s", "a number is missing"},
      {"1h 30m", "unknown unit \"h \""},
      {"\x85\x85", "a number is missing"},
      {"3000000h", "longer than 292 years"},
      {"9223372036854775808ns", "longer than 292 years"},
      {"-9223372036854775809ns", "longer than 292 years"},
      {"9223372036854775.808us", "longer than 292 years"},
      {"99999999999999999999999s", "longer than 292 years"},
      {"2562047h47m16s1s", "longer than 292 years"},
      {std::string("1s\0", 3), "unknown unit \"s\\x00\""},
      {std::string(100'000, '1') + "s", "longer than 292 years"},
  };
  for (const auto& [text, says] : cases) {
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find(says), std::string::npos) << parsed.error().message;
  }
}

}  // namespace
}  // namespace rescheduler::kube
