#include "cluster/labels.h"

#include <gtest/gtest.h>

#include "cluster/interner.h"
#include "cluster/namespaces.h"
#include "cluster/resource_list.h"

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

TEST(SymbolTable, EqualTextsHaveTheSameSymbol) {
  SymbolTable symbols;
  const Symbol web = symbols.intern("web");
  EXPECT_EQ(symbols.intern("web"), web);
  EXPECT_NE(symbols.intern("db"), web);
  EXPECT_EQ(symbols.text(web), "web");
  EXPECT_EQ(symbols.intern(""), Symbol::Empty);
  EXPECT_EQ(symbols.intern("topology.kubernetes.io/zone"), Symbol::Zone);
  EXPECT_EQ(symbols.find("never used"), std::nullopt);
  for (int i = 0; i < 10'000; ++i) symbols.intern("word" + std::to_string(i));
  EXPECT_EQ(symbols.text(web), "web");
  EXPECT_EQ(symbols.find("web"), web);
}

TEST(LabelSets, EqualSetsHaveTheSameIdInAnyOrderOfTheirLabels) {
  Interner interner;
  const LabelSetId set = interner.labels.intern(wire({{"b", "2"}, {"a", "1"}}));
  EXPECT_EQ(interner.labels.intern(wire({{"a", "1"}, {"b", "2"}})), set);
  EXPECT_NE(interner.labels.intern(wire({{"a", "1"}})), set);
  EXPECT_NE(interner.labels.intern(wire({{"a", "2"}, {"b", "1"}})), set);
  EXPECT_EQ(interner.labels.intern({}), LabelSetId::None);
  const Symbol a = interner.symbols.intern("a");
  EXPECT_EQ(interner.symbols.text(interner.labels.value(set, a)), "1");
  EXPECT_TRUE(interner.labels.has(set, a));
  EXPECT_FALSE(interner.labels.has(set, interner.symbols.intern("1")));
}

TEST(LabelSets, AnEmptyValueIsNotAnAbsentKey) {
  Interner interner;
  const LabelSetId set = interner.labels.intern(wire({{"a", ""}}));
  EXPECT_TRUE(interner.labels.has(set, interner.symbols.intern("a")));
  EXPECT_EQ(interner.labels.value(set, interner.symbols.intern("a")), Symbol::Empty);
}

TEST(Selectors, MatchLabelSetsThatAreInternedBeforeAndAfterTheSelector) {
  Interner interner;
  const LabelSetId early = interner.labels.intern(wire({{"app", "web"}}));
  const SelectorId web = interner.selectors.intern(selecting("app", "web"));
  EXPECT_TRUE(interner.selectors.matches(web, early));
  EXPECT_FALSE(interner.selectors.matches(web, LabelSetId::None));
  const LabelSetId late = interner.labels.intern(wire({{"app", "web"}, {"rev", "1"}}));
  const LabelSetId other = interner.labels.intern(wire({{"app", "db"}}));
  EXPECT_FALSE(interner.selectors.matches(web, other));
  EXPECT_TRUE(interner.selectors.matches(web, late));
  EXPECT_TRUE(interner.selectors.matches(web, late));  // from the cache
}

TEST(Selectors, EqualSelectorsHaveTheSameIdAndNothingDiffersFromEverything) {
  Interner interner;
  EXPECT_EQ(interner.selectors.intern(selecting("app", "web")), interner.selectors.intern(selecting("app", "web")));
  EXPECT_NE(interner.selectors.intern(selecting("app", "web")), interner.selectors.intern(selecting("app", "db")));
  const SelectorId nothing = interner.selectors.intern(kube::LabelSelector::nothing());
  const SelectorId everything = interner.selectors.intern(kube::LabelSelector::all_of({}));
  EXPECT_NE(nothing, everything);
  EXPECT_FALSE(interner.selectors.matches(nothing, LabelSetId::None));
  EXPECT_TRUE(interner.selectors.matches(everything, LabelSetId::None));
}

TEST(NamespaceSets, ASetSelectsNamespacesByNameOrByLabel) {
  Interner interner;
  Namespaces namespaces(interner.selectors);
  const Symbol red = interner.symbols.intern("red");
  const Symbol blue = interner.symbols.intern("blue");
  const NamespaceSetId both = namespaces.of({{red, blue}});
  EXPECT_EQ(namespaces.of({{blue, red}}), both);
  EXPECT_TRUE(namespaces.contains(both, blue));
  const NamespaceSetId team = namespaces.of({{red}, interner.selectors.intern(selecting("team", "a"))});
  EXPECT_TRUE(namespaces.contains(team, red));
  EXPECT_FALSE(namespaces.contains(team, blue));
  EXPECT_TRUE(namespaces.upsert(blue, interner.labels.intern(wire({{"team", "a"}}))));
  EXPECT_TRUE(namespaces.contains(team, blue));
  EXPECT_FALSE(namespaces.upsert(blue, interner.labels.intern(wire({{"team", "a"}}))));  // no change
  EXPECT_TRUE(namespaces.remove(blue));
  EXPECT_FALSE(namespaces.contains(team, blue));
  EXPECT_FALSE(namespaces.remove(blue));
}

TEST(NamespaceSets, NamespaceLabelsThatNoSetUsesAreNotReportedAsAChange) {
  Interner interner;
  Namespaces namespaces(interner.selectors);
  namespaces.of({{interner.symbols.intern("red")}});
  EXPECT_FALSE(namespaces.upsert(interner.symbols.intern("blue"), interner.labels.intern(wire({{"team", "a"}}))));
  const NamespaceSetId team = namespaces.of({{}, interner.selectors.intern(selecting("team", "a"))});
  EXPECT_TRUE(namespaces.contains(team, interner.symbols.intern("blue")));
}

TEST(ResourceList, AdditionAndSubtractionIncludeExtendedResources) {
  SymbolTable symbols;
  const Symbol gpu = symbols.intern("example.com/gpu");
  const Symbol fpga = symbols.intern("example.com/fpga");
  ResourceList sum;
  sum.cpu = 5;
  sum.set_other(fpga, 1);
  ResourceList more;
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
