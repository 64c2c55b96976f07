#include "kube/config/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

std::string error_of(std::string_view text, const YamlLimits& limits = {}) {
  const auto parsed = parse_yaml(text, "f.yaml", limits);
  return parsed ? "parsed" : parsed.error().message;
}

TEST(Yaml, KeepsOrderQuotesAndPositions) {
  const auto top = parse_yaml("b: 1\na:\n  - x\n  - 'y'\n", "f.yaml");
  ASSERT_TRUE(top);
  ASSERT_EQ(top->kind, YamlKind::Map);
  ASSERT_EQ(top->entries.size(), 2u);
  EXPECT_EQ(top->entries[0].key, "b");
  EXPECT_EQ(top->entries[0].value.text, "1");
  EXPECT_FALSE(top->entries[0].value.quoted);
  const YamlNode* list = top->find("a");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->items.size(), 2u);
  EXPECT_TRUE(list->items[1].quoted);
  EXPECT_EQ(list->items[1].line, 4);
  EXPECT_EQ(list->items[1].column, 5);
  EXPECT_EQ(top->find("c"), nullptr);
}

TEST(Yaml, ReadsJsonIncludingTabs) {
  const auto top = parse_yaml("{\n\t\"a\": [1, \"1\", null],\n\t\"b\":{}}", "f.json");
  ASSERT_TRUE(top) << top.error().message;
  ASSERT_EQ(top->find("a")->items.size(), 3u);
  EXPECT_FALSE(top->find("a")->items[0].quoted);
  EXPECT_TRUE(top->find("a")->items[1].quoted);
  EXPECT_EQ(top->find("a")->items[2].kind, YamlKind::Null);
  EXPECT_EQ(top->find("b")->kind, YamlKind::Map);
}

TEST(Yaml, AnEmptyTextIsNullAndATrailingSeparatorIsNoDocument) {
  EXPECT_EQ(parse_yaml("", "f")->kind, YamlKind::Null);
  EXPECT_EQ(parse_yaml("# nothing\n", "f")->kind, YamlKind::Null);
  EXPECT_EQ(parse_yaml("---\na: 1\n---\n", "f")->kind, YamlKind::Map);
}

TEST(Yaml, ErrorsNameThePositionAndTheProblem) {
  EXPECT_EQ(error_of("a: 1\nb: [1, 2\n"), "f.yaml: line 3, column 1: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(error_of("a: 1\n---\nb: 2\n"),
            "f.yaml: line 3, column 1: a second document begins here, but one is expected");
  EXPECT_EQ(error_of("a: 1\nb:\n  c: 1\n  c: 2\n"), "f.yaml: line 4, column 3: key \"c\" is given twice");
  EXPECT_EQ(error_of("a: \"x\\qy\"\n"), "f.yaml: line 1, column 8: not valid YAML: unknown escape character");
  EXPECT_EQ(error_of("? [a]\n: b\n"), "f.yaml: line 1, column 3: a key must be a simple word, not a map or a sequence");
  EXPECT_EQ(error_of("null: b\n"),
            "f.yaml: line 1, column 1: a key must be a simple word, not empty, a map or a sequence");
  EXPECT_EQ(error_of("a: !mine 1\n"),
            "f.yaml: line 1, column 4: tags other than YAML's own simple ones are not supported");
  EXPECT_EQ(error_of("a: &x {b: 1}\nc:\n  <<: *x\n"),
            "f.yaml: line 3, column 3: merge keys (<<) are not supported: write the fields out");
  EXPECT_EQ(error_of("a: *x\n"), "f.yaml: line 1, column 4: not valid YAML: the referenced anchor is not defined");
}

TEST(Yaml, RefusesBytesThatAreNotUtf8Text) {
  EXPECT_EQ(error_of("a: b\nc: \xff\n"), "f.yaml: line 2, column 4: not UTF-8 text; save the file as UTF-8");
  EXPECT_EQ(error_of(std::string("a\0b", 3)),
            "f.yaml: line 1, column 2: a control character (0x00); this is not a text file");
  EXPECT_NE(error_of("\xED\xA0\x80"), "parsed");  // a surrogate
  EXPECT_NE(error_of("\xC0\xAF"), "parsed");      // overlong
  EXPECT_NE(error_of("\xE2\x82"), "parsed");      // truncated
  EXPECT_EQ(error_of("a: gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80\n"), "parsed");
}

TEST(Yaml, AliasesAreCopiesAndTagsOverrideTyping) {
  const auto top = parse_yaml("a: &x [1, 2]\nb: *x\nc: !!str 5\n", "f");
  ASSERT_TRUE(top);
  EXPECT_EQ(top->find("b")->items.size(), 2u);
  EXPECT_TRUE(top->find("c")->quoted);
}

TEST(Yaml, RefusesAliasesThatExpandBeyondTheLimits) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  }
  EXPECT_THAT(error_of(bomb), testing::HasSubstr("more than 200000 values, aliases written out"));
  std::string fat = "a: &a " + std::string(100'000, 'x') + "\nb:\n";
  for (int i = 0; i < 1000; ++i) fat += "- *a\n";
  EXPECT_THAT(error_of(fat), testing::HasSubstr("bytes of text, aliases written out"));
  EXPECT_THAT(error_of("a: &a [*a]\n"), testing::HasSubstr("line 1"));
}

TEST(Yaml, RefusesDeepNestingAndLargeText) {
  EXPECT_EQ(error_of(std::string(70, '[') + std::string(70, ']')),
            "f.yaml: line 1, column 65: nested deeper than 64 levels");
  EXPECT_EQ(error_of(std::string(64, '[') + std::string(64, ']')), "parsed");
  EXPECT_NE(error_of(std::string(100'000, '[')), "parsed");
  EXPECT_EQ(error_of("aaaaa", YamlLimits{4, 10, 10}),
            "f.yaml: larger than 4 bytes; this cannot be a configuration file");
}

TEST(Yaml, SplitsATextIntoItsDocuments) {
  const auto documents = parse_yaml_documents("a: 1\n---\n---\nb: &x 2\n---\n- c\n", "f");
  ASSERT_TRUE(documents);
  ASSERT_EQ(documents->size(), 3u);
  EXPECT_EQ((*documents)[2].items[0].line, 6);
}

}  // namespace
}  // namespace rescheduler::kube
