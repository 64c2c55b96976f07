#include "kube/value/label_selector.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

using Labels = std::map<std::string, std::string, std::less<>>;

LabelSelector selector(std::string_view text) {
  auto parsed = LabelSelector::parse(text);
  EXPECT_TRUE(parsed) << text << ": " << parsed.error().message;
  return parsed.value_or(LabelSelector::nothing());
}

TEST(LabelSelector, ReadsEveryFormAndPrintsTheCanonicalForm) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"  ", ""},
      {"x=a,y=b,z=c", "x=a,y=b,z=c"},
      {"x!=a,y=b", "x!=a,y=b"},
      {"x=", "x="},
      {"x= ", "x="},
      {"x=,z= ", "x=,z="},
      {"!x", "!x"},
      {"! x", "!x"},
      {"x>1,z<5", "x>1,z<5"},
      {"x==a", "x==a"},
      {"x=a,a=x", "a=x,x=a"},
      {"\rx", "x"},
      {"a ", "a"},
      {"this-is-a-dns.domain.com/key-with-dash in (what,so)", "this-is-a-dns.domain.com/key-with-dash in (so,what)"},
      {"0.1.2.domain/99 notin (10.10.100.1, tick.tack.clock)", "0.1.2.domain/99 notin (10.10.100.1,tick.tack.clock)"},
      {"foo  in\t (abc)", "foo in (abc)"},
      {"x notin\n (abc)", "x notin (abc)"},
      {"x in(a)", "x in (a)"},
      {"x in (abc,)", "x in (,abc)"},
      {"x in (abc,abc)", "x in (abc)"},
      {"x in ()", "x in ()"},
      {"x in (a,,a,,a,,)", "x in (,a)"},
      {"x notin (, a)", "x notin (,a)"},
      {"x notin (abc,,def),bar,z in (),w", "bar,w,x notin (,abc,def),z in ()"},
      {"a in (x,y,notin, z,in)", "a in (in,notin,x,y,z)"},
      {"in in (in)", "in in (in)"},
      {"notin=in", "notin=in"},
      {"!in", "!in"},
      {"z!=a,z", "z!=a,z"},
  };
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(selector(text).to_string(), canonical) << text;
    EXPECT_EQ(selector(canonical), selector(text)) << text;
  }
}

TEST(LabelSelector, ErrorsNameTheProblemAndItsPosition) {
  const std::pair<std::string, const char*> cases[] = {
      {"x=a||y=b", "label value \"a||y\""},
      {"x==a==b", "at byte 4: found \"==\""},
      {"!x=a", "found \"=\""},
      {"x<a", "compare integers"},
      {"x>", "compare integers"},
      {"x>99999999999999999999", "compare integers"},
      {"x,,y", "found \",\", expected a key"},
      {",x,y", "at byte 0"},
      {"x,", "at its end: expected a key"},
      {"a in (xyz),", "at its end"},
      {"a in (xyz)b notin ()", "found \"b\""},
      {"x nott in (y)", "found \"nott\", expected one of in"},
      {"a in (xyz abc)", "found \"abc\", expected ',' or ')'"},
      {"a in (a,(b))", "found \"(\""},
      {"a notin(", "at its end: expected ',' or ')'"},
      {"a in b", "expected '('"},
      {"a (", "found \"(\""},
      {"(", "expected a key"},
      {"!", "expected a key after '!'"},
      {"!!x", "expected a key after '!'"},
      {"=x", "expected a key"},
      {"a>=3", "expected a value"},
      {"a b", "found \"b\""},
      {"-a", "begin and end"},
      {"a/b/c", "more than one '/'"},
      {"A/b", "prefix of key"},
      {"a=-1", "label value"},
      {"a=" + std::string(64, 'v'), "at most 63"},
      {std::string(64, 'k'), "at most 63"},
      {std::string("a=b\0c", 5), "NUL"},
      {std::string(1'000'000, '('), "(1000000 bytes)"},
  };
  for (const auto& [text, says] : cases) {
    const auto parsed = LabelSelector::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::Invalid);
    EXPECT_NE(parsed.error().message.find(says), std::string::npos) << parsed.error().message;
    EXPECT_LT(parsed.error().message.size(), 500U);
  }
}

TEST(LabelSelector, MatchesAsKubernetesDoes) {
  struct Case {
    const char* text;
    Labels labels;
    bool matches;
  };
  const Case cases[] = {
      {"", {{"x", "y"}}, true},
      {"x=y", {{"x", "y"}}, true},
      {"x=y", {{"x", "z"}}, false},
      {"x=y", {}, false},
      {"x=y,z=w", {{"x", "y"}, {"z", "w"}}, true},
      {"x=y,z=w", {{"x", "w"}, {"z", "w"}}, false},
      {"x!=y,z!=w", {{"x", "z"}, {"z", "a"}}, true},
      {"x!=y,z!=w", {{"x", "z"}, {"z", "w"}}, false},
      {"x!=y", {}, true},
      {"x notin (y)", {}, true},
      {"x notin (y)", {{"x", "y"}}, false},
      {"x in (y,z)", {{"x", "z"}}, true},
      {"x in (y,z)", {{"x", "a"}}, false},
      {"x in (y,z)", {}, false},
      {"x in ()", {{"x", ""}}, true},
      {"x in ()", {}, false},
      {"x=", {{"x", ""}}, true},
      {"x=", {}, false},
      {"notin=in", {{"notin", "in"}}, true},
      {"x", {{"x", "z"}}, true},
      {"x", {{"y", "z"}}, false},
      {"!x", {{"y", "z"}}, true},
      {"!x", {{"x", ""}}, false},
      {"x>1", {{"x", "2"}}, true},
      {"x>1", {{"x", "1"}}, false},
      {"x>1", {{"x", "0"}}, false},
      {"x>1", {{"x", "v2"}}, false},
      {"x>1", {{"x", "2 "}}, false},
      {"x>1", {{"x", ""}}, false},
      {"x>1", {}, false},
      {"x<1", {{"x", "0"}}, true},
      {"x<1", {{"x", "-5"}}, true},
      {"x<1", {{"x", "99999999999999999999"}}, false},
      {"x<007", {{"x", "6"}}, true},
  };
  for (const Case& c : cases) EXPECT_EQ(selector(c.text).matches(c.labels), c.matches) << c.text;
}

TEST(LabelSelector, NullSelectsNothingAndEmptySelectsEverything) {
  const Labels labels{{"x", "y"}};
  EXPECT_TRUE(LabelSelector::everything().matches(labels));
  EXPECT_TRUE(LabelSelector::everything().is_everything());
  EXPECT_FALSE(LabelSelector::nothing().matches(labels));
  EXPECT_FALSE(LabelSelector::nothing().matches(Labels{}));
  EXPECT_TRUE(LabelSelector::nothing().is_nothing());
  EXPECT_FALSE(LabelSelector::nothing().is_everything());
  EXPECT_NE(LabelSelector::nothing(), LabelSelector::everything());
  EXPECT_EQ(LabelSelector::from({}).value(), LabelSelector::everything());
}

TEST(LabelSelector, ConvertsTheStructuredForm) {
  LabelSelectorSpec spec;
  spec.match_labels = {{"tier", "web"}, {"app", "shop"}};
  spec.match_expressions = {
      {"zone", "In", {"b", "a"}}, {"gpu", "DoesNotExist", {}}, {"env", "NotIn", {"test"}}, {"team", "Exists", {}}};
  const auto made = LabelSelector::from(spec);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->to_string(), "app=shop,env notin (test),!gpu,team,tier=web,zone in (a,b)");
  EXPECT_TRUE(made->matches(Labels{{"app", "shop"}, {"tier", "web"}, {"team", ""}, {"zone", "b"}}));
  EXPECT_FALSE(made->matches(Labels{{"app", "shop"}, {"tier", "web"}, {"zone", "b"}}));
}

TEST(LabelSelector, RefusesAStructuredFormThatTheApiServerRefuses) {
  const std::pair<LabelSelectorSpec, const char*> cases[] = {
      {{{{"a b", "x"}}, {}}, "matchLabels: selector: key \"a b\""},
      {{{{"a", "x y"}}, {}}, "matchLabels: selector on \"a\": label value"},
      {{{}, {{"a", "In", {}}}}, "need at least one value, it has 0"},
      {{{}, {{"a", "Exists", {"x"}}}}, "take no value, it has 1"},
      {{{}, {{"a", "Gt", {"1"}}}}, "\"Gt\" is not an operator"},
      {{{}, {{"a", "in", {"1"}}}}, "\"in\" is not an operator"},
      {{{}, {{"a", "", {"1"}}}}, "\"\" is not an operator"},
  };
  for (const auto& [spec, says] : cases) {
    const auto made = LabelSelector::from(spec);
    ASSERT_FALSE(made) << says;
    EXPECT_NE(made.error().message.find(says), std::string::npos) << made.error().message;
  }
}

TEST(Requirement, NeedsTheRightNumberOfValues) {
  EXPECT_FALSE(Requirement::make("x", SelectorOp::Equals, {"foo", "bar"}));
  EXPECT_FALSE(Requirement::make("x", SelectorOp::NotEquals, {}));
  EXPECT_FALSE(Requirement::make("x", SelectorOp::NotIn, {}));
  EXPECT_FALSE(Requirement::make("x", SelectorOp::DoesNotExist, {""}));
  EXPECT_FALSE(Requirement::make("x", SelectorOp::Gt, {}));
  EXPECT_FALSE(Requirement::make("x", SelectorOp::Gt, {"1", "2"}));
  EXPECT_FALSE(Requirement::make("x", SelectorOp::Lt, {"bar"}));
  EXPECT_TRUE(Requirement::make("x", SelectorOp::Lt, {"6"}));
  EXPECT_TRUE(Requirement::make("x", SelectorOp::In, {""}));
}

TEST(LabelLookup, WorksWithMapsSortedPairsAndCallables) {
  const LabelSelector wanted = selector("app=shop,!gpu,tier in (web)");
  const Labels map{{"app", "shop"}, {"tier", "web"}};
  EXPECT_TRUE(wanted.matches(map));
  const std::vector<std::pair<std::string, std::string>> pairs{{"app", "shop"}, {"tier", "web"}, {"zone", "a"}};
  const LabelLookup::SortedPairs sorted(pairs);
  EXPECT_TRUE(wanted.matches(sorted));
  EXPECT_FALSE(LabelLookup(sorted)("aaa").has_value());
  EXPECT_FALSE(LabelLookup(sorted)("zzz").has_value());
  EXPECT_EQ(LabelLookup(sorted)("zone"), "a");
  const auto ask = [](std::string_view key) -> LabelLookup::Answer {
    if (key == "app") return "shop";
    if (key == "tier") return "web";
    return std::nullopt;
  };
  EXPECT_TRUE(wanted.matches(ask));
}

}  // namespace
}  // namespace rescheduler::kube
