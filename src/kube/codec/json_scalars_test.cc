#include "kube/codec/json_scalars.h"

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

using namespace std::string_literals;

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonString, EscapesQuotesBackslashesAndControlCharacters) {
  EXPECT_EQ(json_string("a\"b\\c\nd\te\x01"), "\"a\\\"b\\\\c\\nd\\te\\u0001\"");
  EXPECT_EQ(json_string("\x7f"), "\"\\u007f\"");
  EXPECT_EQ(json_string("a\0b"s), "\"a\\u0000b\"");
}

TEST(JsonString, KeepsUtf8AndReplacesInvalidBytes) {
  EXPECT_EQ(json_string("\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"), "\"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\"");
  const std::string replacement = "\xef\xbf\xbd";
  EXPECT_EQ(json_string("a\xff"), "\"a" + replacement + "\"");
  EXPECT_EQ(json_string("\xc3"), "\"" + replacement + "\"") << "cut short";
  EXPECT_EQ(json_string("\xc0\x80"), "\"" + replacement + replacement + "\"") << "overlong";
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"" + replacement + replacement + replacement + "\"") << "surrogate";
  EXPECT_EQ(json_string("\xf4\x90\x80\x80").size(), 2 + 4 * 3U) << "beyond Unicode";
}

}  // namespace
}  // namespace rescheduler::kube
