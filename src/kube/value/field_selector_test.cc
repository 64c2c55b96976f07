#include "kube/value/field_selector.h"

#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

using Fields = std::map<std::string, std::string, std::less<>>;

FieldSelector selector(std::string_view text) {
  auto parsed = FieldSelector::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << parsed.error().message;
  return parsed.value_or(FieldSelector{});
}

TEST(FieldSelector, ReadsAndPrintsSortedAndEscaped) {
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {",", ""},
      {"=", ""},
      {"x=a,y=b,z=c", "x=a,y=b,z=c"},
      {"x!=a,y=b", "x!=a,y=b"},
      {"z=1,a=2", "a=2,z=1"},
      {"x==a", "x=a"},
      {"x=", "x="},
      {"a=a,", "a=a"},
      {",a=a", "a=a"},
      {R"(x=a||y\=b)", R"(x=a||y\=b)"},
      {R"(x=a\=\=b)", R"(x=a\=\=b)"},
      {R"(k=\,,k2=v2)", R"(k2=v2,k=\,)"},
      {R"(k=\\,k2=v2)", R"(k2=v2,k=\\)"},
      {R"(k=\\\,,k2=v2)", R"(k2=v2,k=\\\,)"},
      {"metadata.name=x,status.phase!=Running", "metadata.name=x,status.phase!=Running"},
      {"\xED\x95\xA8=\xEC\x88\x98", "\xED\x95\xA8=\xEC\x88\x98"},
  };
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(selector(text).to_string(), canonical) << text;
    EXPECT_EQ(selector(canonical), selector(text)) << text;
  }
}

TEST(FieldSelector, ParsingRemovesTheEscapes) {
  EXPECT_EQ(selector(R"(a=\\\=\\\,\\)").terms().front().value, R"(\=\,\)");
  EXPECT_EQ(selector("a!=b").terms().front(), (FieldSelector::Term{"a", false, "b"}));
}

TEST(FieldSelector, InvalidSelectorsAreRefusedWithAReason) {
  const std::pair<std::string, const char*> cases[] = {
      {"x=a||y=b", "write '=' as '\\='"},
      {"x==a==b", "write '=' as '\\='"},
      {"x=a,b", "\"b\" has no '='"},
      {"x in (a)", "has no '='"},
      {"x", "has no '='"},
      {R"(x=\)", "a backslash may only protect"},
      {R"(x=\\\)", "a backslash may only protect"},
      {R"(x=\a)", "a backslash may only protect"},
      {std::string("x=\\\0", 4), "a backslash may only protect"},
      {std::string(100'000, 'x'), "(100000 bytes)"},
  };
  for (const auto& [text, says] : cases) {
    const auto parsed = FieldSelector::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::Invalid);
    EXPECT_NE(parsed.error().message.find(says), std::string::npos) << parsed.error().message;
  }
}

TEST(FieldSelector, MatchesFieldsAndTreatsAnAbsentFieldAsEmpty) {
  const Fields fields{{"foo", "bar"}, {"baz", "blah"}, {"complex", R"(=value\,\)"}};
  EXPECT_TRUE(selector("").matches(fields));
  EXPECT_TRUE(selector("foo=bar,baz=blah").matches(fields));
  EXPECT_TRUE(selector(R"(foo=bar,baz=blah,complex=\=value\\\,\\)").matches(fields));
  EXPECT_FALSE(selector("foo=blah").matches(fields));
  EXPECT_FALSE(selector("foo=bar,foobar=bar,baz=blah").matches(fields));
  EXPECT_TRUE(selector("foo!=blah").matches(fields));
  EXPECT_FALSE(selector("foo!=bar").matches(fields));
  EXPECT_TRUE(selector("absent!=x").matches(fields));
  EXPECT_TRUE(selector("absent=").matches(fields));
  EXPECT_FALSE(selector("absent!=").matches(fields));
}

}  // namespace
}  // namespace rescheduler::kube
