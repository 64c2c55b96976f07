#include "cluster/labels.h"

#include <gtest/gtest.h>

#include "cluster/amounts.h"
#include "cluster/namespaces.h"
#include "cluster/words.h"

namespace rescheduler::cluster {
namespace {

WireLabels wire(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  WireLabels labels;
  for (const auto& [key, value] : pairs) labels[key] = value;
  return labels;
}

kube::LabelSelector selecting(const char* key, const char* value) {
  return kube::LabelSelector::all_of({*kube::Requirement::make(key, kube::SelectorOp::In, {value})});
}

TEST(Symbols, OneWordOneNumber) {
  Symbols symbols;
  const Symbol web = symbols.of("web");
  EXPECT_EQ(symbols.of("web"), web);
  EXPECT_NE(symbols.of("db"), web);
  EXPECT_EQ(symbols.text(web), "web");
  EXPECT_EQ(symbols.of(""), Symbol::Empty);
  EXPECT_EQ(symbols.of("topology.kubernetes.io/zone"), Symbol::Zone);
  EXPECT_EQ(symbols.find("never used"), std::nullopt);
  for (int i = 0; i < 10'000; ++i) symbols.of("word" + std::to_string(i));
  EXPECT_EQ(symbols.text(web), "web");
  EXPECT_EQ(symbols.find("web"), web);
}

TEST(LabelSets, EqualSetsAreOneWhateverTheirOrder) {
  Words words;
  const LabelSetId set = words.labels.of(wire({{"b", "2"}, {"a", "1"}}));
  EXPECT_EQ(words.labels.of(wire({{"a", "1"}, {"b", "2"}})), set);
  EXPECT_NE(words.labels.of(wire({{"a", "1"}})), set);
  EXPECT_NE(words.labels.of(wire({{"a", "2"}, {"b", "1"}})), set);
  EXPECT_EQ(words.labels.of({}), LabelSetId::None);
  const Symbol a = words.symbols.of("a");
  EXPECT_EQ(words.symbols.text(words.labels.value(set, a)), "1");
  EXPECT_TRUE(words.labels.has(set, a));
  EXPECT_FALSE(words.labels.has(set, words.symbols.of("1")));
}

TEST(LabelSets, AnEmptyValueIsNotAnAbsentKey) {
  Words words;
  const LabelSetId set = words.labels.of(wire({{"a", ""}}));
  EXPECT_TRUE(words.labels.has(set, words.symbols.of("a")));
  EXPECT_EQ(words.labels.value(set, words.symbols.of("a")), Symbol::Empty);
}

TEST(Selectors, AnswerForSetsThatCameBeforeAndAfterThem) {
  Words words;
  const LabelSetId early = words.labels.of(wire({{"app", "web"}}));
  const SelectorId web = words.selectors.of(selecting("app", "web"));
  EXPECT_TRUE(words.selectors.matches(web, early));
  EXPECT_FALSE(words.selectors.matches(web, LabelSetId::None));
  const LabelSetId late = words.labels.of(wire({{"app", "web"}, {"rev", "1"}}));
  const LabelSetId other = words.labels.of(wire({{"app", "db"}}));
  EXPECT_FALSE(words.selectors.matches(web, other));
  EXPECT_TRUE(words.selectors.matches(web, late));
  EXPECT_TRUE(words.selectors.matches(web, late));  // by heart this time
}

TEST(Selectors, EqualOnesAreOneAndNothingIsNotEverything) {
  Words words;
  EXPECT_EQ(words.selectors.of(selecting("app", "web")), words.selectors.of(selecting("app", "web")));
  EXPECT_NE(words.selectors.of(selecting("app", "web")), words.selectors.of(selecting("app", "db")));
  const SelectorId nothing = words.selectors.of(kube::LabelSelector::nothing());
  const SelectorId everything = words.selectors.of(kube::LabelSelector::all_of({}));
  EXPECT_NE(nothing, everything);
  EXPECT_FALSE(words.selectors.matches(nothing, LabelSetId::None));
  EXPECT_TRUE(words.selectors.matches(everything, LabelSetId::None));
}

TEST(NamespaceSets, ByListOrByLabel) {
  Words words;
  Namespaces namespaces(words.selectors);
  const Symbol red = words.symbols.of("red");
  const Symbol blue = words.symbols.of("blue");
  const NamespaceSetId both = namespaces.of({{red, blue}});
  EXPECT_EQ(namespaces.of({{blue, red}}), both);
  EXPECT_TRUE(namespaces.contains(both, blue));
  const NamespaceSetId team = namespaces.of({{red}, words.selectors.of(selecting("team", "a"))});
  EXPECT_TRUE(namespaces.contains(team, red));
  EXPECT_FALSE(namespaces.contains(team, blue));
  EXPECT_TRUE(namespaces.upsert(blue, words.labels.of(wire({{"team", "a"}}))));
  EXPECT_TRUE(namespaces.contains(team, blue));
  EXPECT_FALSE(namespaces.upsert(blue, words.labels.of(wire({{"team", "a"}}))));  // no news
  EXPECT_TRUE(namespaces.remove(blue));
  EXPECT_FALSE(namespaces.contains(team, blue));
  EXPECT_FALSE(namespaces.remove(blue));
}

TEST(NamespaceSets, LabelsThatNobodyAsksForAreNoNews) {
  Words words;
  Namespaces namespaces(words.selectors);
  namespaces.of({{words.symbols.of("red")}});
  EXPECT_FALSE(namespaces.upsert(words.symbols.of("blue"), words.labels.of(wire({{"team", "a"}}))));
  const NamespaceSetId team = namespaces.of({{}, words.selectors.of(selecting("team", "a"))});
  EXPECT_TRUE(namespaces.contains(team, words.symbols.of("blue")));
}

TEST(Amounts, AddAndTakeAway) {
  Symbols symbols;
  const Symbol gpu = symbols.of("example.com/gpu");
  const Symbol fpga = symbols.of("example.com/fpga");
  Amounts sum;
  sum.cpu = 5;
  sum.set_other(fpga, 1);
  Amounts more;
  more.cpu = 2;
  more.memory = 3;
  more.set_other(gpu, 4);
  sum += more;
  EXPECT_EQ(sum.cpu, 7);
  EXPECT_EQ(sum.memory, 3);
  EXPECT_EQ(sum.other(gpu), 4);
  EXPECT_EQ(sum.other(fpga), 1);
  sum -= more;
  EXPECT_EQ(sum.cpu, 5);
  EXPECT_EQ(sum.other(gpu), 0);
}

}  // namespace
}  // namespace rescheduler::cluster
