#include "kube/codec/json_scalars.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/rng.h"

namespace rescheduler::kube {
namespace {

using namespace std::string_literals;

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonString, EscapesWhatMustBeEscaped) {
  EXPECT_EQ(json_string("a\"b\\c\nd\te\x01"), "\"a\\\"b\\\\c\\nd\\te\\u0001\"");
  EXPECT_EQ(json_string("\x7f"), "\"\\u007f\"");
  EXPECT_EQ(json_string("a\0b"s), "\"a\\u0000b\"");
}

TEST(JsonString, KeepsUtf8AndReplacesWhatIsNot) {
  EXPECT_EQ(json_string("\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"), "\"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\"");
  const std::string replacement = "\xef\xbf\xbd";
  EXPECT_EQ(json_string("a\xff"), "\"a" + replacement + "\"");
  EXPECT_EQ(json_string("\xc3"), "\"" + replacement + "\"") << "cut short";
  EXPECT_EQ(json_string("\xc0\x80"), "\"" + replacement + replacement + "\"") << "overlong";
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"" + replacement + replacement + replacement + "\"") << "surrogate";
  EXPECT_EQ(json_string("\xf4\x90\x80\x80").size(), 2 + 4 * 3U) << "beyond Unicode";
}

TEST(JsonTime, PrintsInUtc) {
  EXPECT_EQ(format_time({0, 0}, TimePrecision::Seconds), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_time({1'709'210'096, 999'999'999}, TimePrecision::Seconds), "2024-02-29T12:34:56Z");
  EXPECT_EQ(format_time({1'709'210'096, 1'234'000}, TimePrecision::Micros), "2024-02-29T12:34:56.001234Z");
  EXPECT_EQ(format_time({-62'135'596'800, 0}, TimePrecision::Seconds), "0001-01-01T00:00:00Z");
}

TEST(JsonTime, DrawsImpossibleYearsToTheNearerEnd) {
  EXPECT_EQ(format_time({std::numeric_limits<std::int64_t>::max(), 0}, TimePrecision::Seconds), "9999-12-31T23:59:59Z");
  EXPECT_EQ(format_time({std::numeric_limits<std::int64_t>::min(), -7}, TimePrecision::Micros),
            "0000-01-01T00:00:00.000000Z");
}

TEST(JsonTime, ReadsEveryForm) {
  const TimePoint expected{1'709'210'096, 0};
  EXPECT_EQ(parse_time("2024-02-29T12:34:56Z"), expected);
  EXPECT_EQ(parse_time("2024-02-29T20:34:56+08:00"), expected);
  EXPECT_EQ(parse_time("2024-02-29T06:04:56-06:30"), expected);
  EXPECT_EQ(parse_time("2024-02-29T12:34:56.5Z"), (TimePoint{1'709'210'096, 500'000'000}));
  EXPECT_EQ(parse_time("2024-02-29T12:34:56.0000000019Z"), (TimePoint{1'709'210'096, 1}));
  EXPECT_EQ(parse_time("1969-12-31T23:59:59.25Z"), (TimePoint{-1, 250'000'000}));
}

TEST(JsonTime, RefusesWhatIsNoTime) {
  for (const char* text : {"", "2024-02-29", "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-01T24:00:00Z",
                           "2024-01-01T00:00:00", "2024-01-01T00:00:00Zx", "2024-01-01T00:00:00.Z",
                           "2024-01-01T00:60:00Z", "2024-01-01T00:00:00+0800", "2024-01-01 00:00:00Z", "now"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(JsonDuration, SpeaksGo) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::pair<std::int64_t, const char*> cases[] = {
      {0, "0s"},
      {1, "1ns"},
      {1500, "1.5\xc2\xb5s"},
      {100'000'000, "100ms"},
      {30 * kSecond, "30s"},
      {90 * kSecond + 500'000'000, "1m30.5s"},
      {3600 * kSecond, "1h0m0s"},
      {-2 * kSecond, "-2s"},
      {std::numeric_limits<std::int64_t>::max(), "2562047h47m16.854775807s"},
      {std::numeric_limits<std::int64_t>::min(), "-2562047h47m16.854775808s"},
  };
  for (const auto& [nanos, text] : cases) {
    EXPECT_EQ(format_duration(nanos), text);
    EXPECT_EQ(parse_duration(text), nanos) << text;
  }
  EXPECT_EQ(parse_duration("1.5h"), 5400 * kSecond);
  EXPECT_EQ(parse_duration("1us"), 1000);
  EXPECT_EQ(parse_duration("+.5s"), kSecond / 2);
  EXPECT_EQ(parse_duration("0"), 0);
}

TEST(JsonDuration, RefusesWhatIsNone) {
  for (const char* text : {"", "-", "1", "s", ".s", "1x", "1s2", "1 s", "9223372037s", "2562048h"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Base64, KnowsTheStandardVectors) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"},
                                                       {"\xfb\xff", "+/8="}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), bytes);
  }
  EXPECT_EQ(base64_decode("Zm9v\r\nYmFy"), "foobar");
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "=", "Zm9v=", "Z=g=", "Zm 9", "-_8="}) {
    EXPECT_FALSE(base64_decode(text)) << text;
  }
}

TEST(Base64, SurvivesRandomBytes) {
  Rng rng(1);
  for (std::size_t size = 0; size < 200; ++size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(rng.next());
    ASSERT_EQ(base64_decode(base64_encode(bytes)), bytes);
  }
}

}  // namespace
}  // namespace rescheduler::kube
