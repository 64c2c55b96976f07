#include "kube/config/yaml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

using testing::ElementsAre;

YamlNode parsed(std::string_view text) {
  auto node = parse_yaml(text, "f.yaml");
  EXPECT_TRUE(node) << node.error().message;
  return node.value_or(YamlNode{});
}

ScalarType type_of(std::string_view text) { return scalar_type(parsed(text)); }

TEST(YamlReader, ClassifiesScalarsByTheCoreSchema) {
  for (const char* text : {"true", "False", "TRUE"}) EXPECT_EQ(type_of(text), ScalarType::Bool) << text;
  for (const char* text : {"0", "-12", "+7", "007", "0x1F", "0o17"}) {
    EXPECT_EQ(type_of(text), ScalarType::Integer) << text;
  }
  for (const char* text : {"1.5", ".5", "1.", "1e3", "-1.5E-3", ".inf", "-.Inf", ".nan"}) {
    EXPECT_EQ(type_of(text), ScalarType::Float) << text;
  }
  for (const char* text : {"yes", "on", "tRue", "'1'", "1.2.3", "0x", "1e", ".", "-", "1_000", "v1", "+.", "--1"}) {
    EXPECT_EQ(type_of(text), ScalarType::String) << text;
  }
  for (const char* text : {"~", "null", ""}) EXPECT_EQ(type_of(text), ScalarType::Null) << text;
}

TEST(YamlReader, ReadsValuesAndKeepsTheDefaultsOfAbsentFields) {
  const YamlNode node = parsed("s: x\nb: true\ni: 0x10\nd: 1e3\nl: [a, b]\nn:\n");
  YamlProblems problems("f.yaml");
  YamlReader top(node, problems);
  std::string s = "old", absent = "kept", null = "kept";
  bool b = false;
  std::int64_t i = 0;
  double d = 0;
  std::vector<std::string> l;
  top.read("s", s);
  top.read("b", b);
  top.read("i", i);
  top.read("d", d);
  top.read("l", l);
  top.read("n", null);
  top.read("nothing", absent);
  EXPECT_EQ(s, "x");
  EXPECT_TRUE(b);
  EXPECT_EQ(i, 16);
  EXPECT_EQ(d, 1000.0);
  EXPECT_THAT(l, ElementsAre("a", "b"));
  EXPECT_EQ(null, "kept");
  EXPECT_EQ(absent, "kept");
  top.refuse_unknown_fields();
  EXPECT_TRUE(problems.empty()) << problems.error().message;
}

TEST(YamlReader, CollectsEveryProblemWithLineAndPath) {
  const YamlNode node = parsed(
      "name: 5\nflag: 'true'\ncount: x\nbig: 99999999999999999999\nsmall: 3\nratio: .inf\nnames: [a, 1, b]\nsub: 7\n"
      "list: {a: 1}\nextra: 1\n");
  YamlProblems problems("f.yaml");
  YamlReader top(node, problems);
  std::string text;
  bool flag = false;
  std::int64_t number = 42;
  double ratio = 0;
  std::vector<std::string> names;
  top.read("name", text);
  top.read("flag", flag);
  top.read("count", number);
  top.read("big", number);
  top.read("small", number, 10, 20);
  top.read("ratio", ratio);
  top.read("names", names);
  YamlReader sub = top.child("sub");
  sub.read("a", text);
  sub.read("b", text);
  EXPECT_TRUE(top.items("list").empty());
  top.refuse_unknown_fields();
  EXPECT_EQ(number, 42);
  EXPECT_THAT(
      problems.sentences(),
      ElementsAre("line 1, column 7: name: expected a string, found a number; put it in quotes",
                  "line 2, column 7: flag: expected true or false, found a string",
                  "line 3, column 8: count: expected a whole number, found a string",
                  "line 4, column 6: big: must be between -9223372036854775808 and 9223372036854775807",
                  "line 5, column 8: small: must be between 10 and 20",
                  "line 6, column 8: ratio: must be a finite decimal number",
                  "line 7, column 12: names[1]: expected a string, found a number; put it in quotes",
                  "line 8, column 6: sub: expected a map, found a number",
                  "line 9, column 7: list: expected a list, found a map", "line 10, column 1: extra: unknown field"));
  EXPECT_EQ(problems.error().code, Errc::Invalid);
  EXPECT_THAT(problems.error().message, testing::StartsWith("f.yaml: line 1, column 7: name: expected"));
}

TEST(YamlReader, ReadsListsAndMapsWithArbitraryKeys) {
  const YamlNode node = parsed("profiles:\n- name: a\n- name: b\n  odd: 1\nlabels: {x: '1', y: z}\n");
  YamlProblems problems("f.yaml");
  YamlReader top(node, problems);
  std::string names;
  for (YamlReader& item : top.items("profiles")) {
    std::string name;
    item.read("name", name);
    item.refuse_unknown_fields();
    names += name;
  }
  EXPECT_EQ(names, "ab");
  YamlReader labels = top.child("labels");
  std::string pairs;
  for (const auto& [key, value] : labels.members()) pairs += key + value.as_string();
  EXPECT_EQ(pairs, "x1yz");
  labels.refuse_unknown_fields();
  EXPECT_THAT(problems.sentences(), ElementsAre("line 4, column 3: profiles[1].odd: unknown field"));
}

TEST(YamlReader, TheErrorListsAtMostTwentyProblems) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += fmt::format("k{}: 1\n", i);
  const YamlNode node = parsed(text);
  YamlProblems problems("f.yaml");
  YamlReader(node, problems).refuse_unknown_fields();
  EXPECT_EQ(problems.sentences().size(), 30u);
  EXPECT_THAT(problems.error().message, testing::EndsWith("k19: unknown field; and 10 more"));
}

TEST(YamlReader, NotesAreKeptSeparateFromProblems) {
  const YamlNode node = parsed("a:\n  b: 1\n  c: 2\n");
  YamlProblems problems("f.yaml");
  YamlReader top(node, problems);
  YamlReader a = top.child("a");
  a.note("c", "has no effect");
  a.note("d", "is not there");
  top.note("as a whole");
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(problems.notes(),
            (std::vector<YamlRemark>{{3, 6, "a.c: has no effect"}, {2, 3, "a.d: is not there"}, {1, 1, "as a whole"}}));
  a.problem("b", "is wrong");
  EXPECT_EQ(problems.remarks(), (std::vector<YamlRemark>{{2, 6, "a.b: is wrong"}}));
}

}  // namespace
}  // namespace rescheduler::kube
