#include "config/resolve.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::config {
namespace {

using enum placement::Point;
using placement::Point;
using testing::ElementsAre;
using testing::IsEmpty;

// A, B and C are enabled by default; X, Y and S are not. All of them filter and score, except S, which only scores.
PluginCatalog small_catalog() {
  return {{"A", {Filter, Score}, true, 3}, {"B", {Filter, Score}, true, 2}, {"C", {Filter, Score}, true, 1},
          {"X", {Filter, Score}},          {"Y", {Filter, Score}},          {"S", {Score}}};
}

std::vector<std::string> names(const PluginsByPoint& plugins, Point point) {
  std::vector<std::string> all;
  for (const auto& use : plugins[static_cast<std::size_t>(point)]) all.push_back(use.name);
  return all;
}

std::vector<std::string> with_weights(const PluginsByPoint& plugins) {
  std::vector<std::string> all;
  for (const auto& use : plugins[static_cast<std::size_t>(Score)]) all.push_back(use.name + std::to_string(use.weight));
  return all;
}

PluginSet& at(PluginChoices& choices, Point point) { return choices.points[static_cast<std::size_t>(point)]; }

TEST(ResolvePlugins, TheDefaultPluginsRunInTheOrderOfTheCatalog) {
  const auto plugins = resolve_plugins({}, small_catalog());
  EXPECT_THAT(names(plugins, Filter), ElementsAre("A", "B", "C"));
  EXPECT_THAT(with_weights(plugins), ElementsAre("A3", "B2", "C1"));
  EXPECT_THAT(names(plugins, Bind), IsEmpty());
}

TEST(ResolvePlugins, ADefaultPluginEnabledInMultiPointKeepsItsPositionButNotItsDefaultWeight) {
  PluginChoices choices;
  choices.multi_point.enabled = {{"X", 5}, {"B"}};
  const auto plugins = resolve_plugins(choices, small_catalog());
  EXPECT_THAT(with_weights(plugins), ElementsAre("A3", "B1", "C1", "X5"));
}

TEST(ResolvePlugins, ADefaultPluginDisabledAndEnabledInMultiPointMovesToTheEnd) {
  PluginChoices choices;
  choices.multi_point.disabled = {"A"};
  choices.multi_point.enabled = {{"A", 7}};
  EXPECT_THAT(with_weights(resolve_plugins(choices, small_catalog())), ElementsAre("B2", "C1", "A7"));
}

TEST(ResolvePlugins, DisablingAllInMultiPointLeavesOnlyThePluginsEnabledThere) {
  PluginChoices choices;
  choices.multi_point.disabled = {"*"};
  choices.multi_point.enabled = {{"X"}, {"A"}};
  EXPECT_THAT(with_weights(resolve_plugins(choices, small_catalog())), ElementsAre("X1", "A1"));
}

TEST(ResolvePlugins, APointRunsItsOverridesFirstAndItsAdditionalPluginsLast) {
  PluginChoices choices;
  choices.multi_point.enabled = {{"X", 4}};
  at(choices, Score).enabled = {{"S", 6}, {"X", 9}, {"B"}};
  const auto plugins = resolve_plugins(choices, small_catalog());
  EXPECT_THAT(with_weights(plugins), ElementsAre("X9", "B1", "A3", "C1", "S6"))
      << "the weight at the point applies, also if it is not set";
  EXPECT_THAT(names(plugins, Filter), ElementsAre("A", "B", "C", "X")) << "other points are unchanged";
}

TEST(ResolvePlugins, APointCanDisableOnePluginOfMultiPoint) {
  PluginChoices choices;
  at(choices, Filter).disabled = {"B"};
  const auto plugins = resolve_plugins(choices, small_catalog());
  EXPECT_THAT(names(plugins, Filter), ElementsAre("A", "C"));
  EXPECT_THAT(names(plugins, Score), ElementsAre("A", "B", "C"));
}

TEST(ResolvePlugins, APluginDisabledAndEnabledAtAPointMovesToTheEndOfThePoint) {
  PluginChoices choices;
  at(choices, Score).disabled = {"A"};
  at(choices, Score).enabled = {{"A", 5}};
  EXPECT_THAT(with_weights(resolve_plugins(choices, small_catalog())), ElementsAre("B2", "C1", "A5"));
}

TEST(ResolvePlugins, DisablingAllAtAPointLeavesOnlyThePluginsEnabledThere) {
  PluginChoices choices;
  at(choices, Score).disabled = {"*"};
  at(choices, Score).enabled = {{"Y"}, {"C", 2}};
  const auto plugins = resolve_plugins(choices, small_catalog());
  EXPECT_THAT(with_weights(plugins), ElementsAre("Y1", "C2"));
  EXPECT_THAT(names(plugins, Filter), ElementsAre("A", "B", "C"));
}

TEST(ResolvePlugins, WeightsOfOtherPointsThanScoreAreIgnored) {
  PluginChoices choices;
  at(choices, Filter).enabled = {{"X", 5}};
  const auto plugins = resolve_plugins(choices, small_catalog());
  for (const auto& use : plugins[static_cast<std::size_t>(Filter)]) EXPECT_EQ(use.weight, 1) << use.name;
}

TEST(DefaultCatalog, HasTheDefaultPluginsOfKubeSchedulerInTheSameOrder) {
  const auto plugins = resolve_plugins({}, default_catalog());
  EXPECT_THAT(names(plugins, PreEnqueue), ElementsAre("SchedulingGates", "DynamicResources", "DefaultPreemption"));
  EXPECT_THAT(names(plugins, QueueSort), ElementsAre("PrioritySort"));
  EXPECT_THAT(names(plugins, PreFilter),
              ElementsAre("NodeAffinity", "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits",
                          "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity", "DynamicResources",
                          "NodeDeclaredFeatures"));
  EXPECT_THAT(names(plugins, Filter),
              ElementsAre("NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts",
                          "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone",
                          "PodTopologySpread", "InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures"));
  EXPECT_THAT(names(plugins, PostFilter), ElementsAre("DynamicResources", "DefaultPreemption"));
  EXPECT_THAT(names(plugins, PreScore),
              ElementsAre("TaintToleration", "NodeAffinity", "NodeResourcesFit", "VolumeBinding", "PodTopologySpread",
                          "InterPodAffinity", "NodeResourcesBalancedAllocation"));
  EXPECT_THAT(
      with_weights(plugins),
      ElementsAre("TaintToleration3", "NodeAffinity2", "NodeResourcesFit1", "VolumeBinding1", "PodTopologySpread2",
                  "InterPodAffinity2", "DynamicResources2", "NodeResourcesBalancedAllocation1", "ImageLocality1"));
  EXPECT_THAT(names(plugins, Reserve), ElementsAre("VolumeBinding", "DynamicResources"));
  EXPECT_THAT(names(plugins, Permit), IsEmpty());
  EXPECT_THAT(names(plugins, PreBind), ElementsAre("VolumeBinding", "DynamicResources"));
  EXPECT_THAT(names(plugins, Bind), ElementsAre("DefaultBinder"));
  EXPECT_THAT(names(plugins, PostBind), IsEmpty());
}

// An independent implementation of the two passes of kube-scheduler: merge each set with its defaults, then expand
// multiPoint over the extension points.
std::vector<std::string> expected_order(const PluginChoices& choices, const PluginCatalog& catalog, Point point) {
  std::vector<std::string> multi;
  std::set<std::string> taken;
  const auto in = [](const auto& list, const std::string& name) {
    return std::ranges::any_of(list, [&](const PluginChoice& c) { return c.name == name; });
  };
  const std::set<std::string> off(choices.multi_point.disabled.begin(), choices.multi_point.disabled.end());
  for (const auto& plugin : catalog) {
    if (!plugin.default_enabled || off.contains("*") || off.contains(plugin.name)) continue;
    multi.push_back(plugin.name);
    taken.insert(plugin.name);
  }
  for (const auto& choice : choices.multi_point.enabled) {
    if (!taken.contains(choice.name)) multi.push_back(choice.name);
  }
  const PluginSet& own = choices.points[static_cast<std::size_t>(point)];
  const std::set<std::string> own_off(own.disabled.begin(), own.disabled.end());
  std::vector<std::string> first, second, third;
  std::set<std::string> overridden;
  for (const std::string& name : multi) {
    if (own_off.contains("*") || own_off.contains(name) || !find_plugin(catalog, name)->points.has(point)) continue;
    if (in(own.enabled, name)) {
      overridden.insert(name);
    } else {
      second.push_back(name);
    }
  }
  for (const auto& choice : own.enabled) (overridden.contains(choice.name) ? first : third).push_back(choice.name);
  first.insert(first.end(), second.begin(), second.end());
  first.insert(first.end(), third.begin(), third.end());
  return first;
}

RC_GTEST_PROP(ResolvePlugins, RandomChoicesGiveTheSameOrderAsTheTwoPassesOfKubeScheduler, ()) {
  const PluginCatalog catalog = small_catalog();
  const auto some = [](const std::vector<std::string>& from) {
    std::vector<std::string> picked;
    for (const std::string& name : from) {
      if (*rc::gen::inRange(0, 3) == 0)
        picked.insert(picked.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(picked) + 1), name);
    }
    return picked;
  };
  PluginChoices choices;
  for (PluginSet* set : {&choices.multi_point, &at(choices, Score), &at(choices, Filter)}) {
    std::vector<std::string> known = {"A", "B", "C", "X", "Y"};
    if (set != &at(choices, Filter)) known.emplace_back("S");
    for (const std::string& name : some(known)) set->enabled.push_back({name, *rc::gen::inRange(0, 4)});
    set->disabled = some({"A", "B", "C", "X", "Y", "S", "*"});
  }
  const auto plugins = resolve_plugins(choices, catalog);
  for (const Point point : {Filter, Score}) RC_ASSERT(names(plugins, point) == expected_order(choices, catalog, point));
}

}  // namespace
}  // namespace rescheduler::config
