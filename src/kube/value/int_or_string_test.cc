#include "kube/value/int_or_string.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

using Rounding = IntOrString::Rounding;

TEST(IntOrString, ReadsThirtyTwoBitIntegersAndKeepsTheRestAsText) {
  EXPECT_EQ(IntOrString::parse("0"), IntOrString::from_int(0));
  EXPECT_EQ(IntOrString::parse("2147483647"), IntOrString::from_int(2147483647));
  EXPECT_EQ(IntOrString::parse("-2147483648"), IntOrString::from_int(std::numeric_limits<std::int32_t>::min()));
  EXPECT_EQ(IntOrString::parse("+3"), IntOrString::from_int(3));
  for (const char* text : {"2147483648", "-2147483649", "9223372036854775808", "25%", "", "http", " 3", "+-3", "0x3"}) {
    EXPECT_EQ(IntOrString::parse(text), IntOrString::from_string(text));
    EXPECT_EQ(IntOrString::parse(text).to_string(), text);
  }
  EXPECT_EQ(IntOrString::from_int(-7).to_string(), "-7");
}

TEST(IntOrString, ScalesAPercentageAndReturnsANumberUnchanged) {
  struct Case {
    const char* text;
    std::int64_t total;
    std::int64_t up;
    std::int64_t down;
  };
  const Case cases[] = {
      {"123", 0, 123, 123},
      {"90%", 100, 90, 90},
      {"90%", 95, 86, 85},
      {"25%", 4, 1, 1},
      {"25%", 3, 1, 0},
      {"0%", 10, 0, 0},
      {"100%", 7, 7, 7},
      {"150%", 3, 5, 4},
      {"-25%", 3, 0, -1},
      {"30%", 10, 3, 3},
      {"33%", 1'000'000'000, 330'000'000, 330'000'000},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(IntOrString::parse(c.text).scaled(c.total, Rounding::Up).value(), c.up) << c.text;
    EXPECT_EQ(IntOrString::parse(c.text).scaled(c.total, Rounding::Down).value(), c.down) << c.text;
  }
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(IntOrString::parse("9223372036854775807%").scaled(kMax, Rounding::Up).value(), kMax);
}

TEST(IntOrString, RefusesToScaleTextThatIsNoPercentage) {
  for (const char* text : {"", "%", "a%", "a", "40#", "40%%", "30%0", "1.5%", "% 5", "99999999999999999999%"}) {
    const auto scaled = IntOrString::from_string(text).scaled(10, Rounding::Up);
    ASSERT_FALSE(scaled) << text;
    EXPECT_EQ(scaled.error().code, Errc::Invalid);
  }
  EXPECT_FALSE(IntOrString::from_string("200").scaled(10, Rounding::Up)) << "a number in a string is not a percentage";
}

}  // namespace
}  // namespace rescheduler::kube
