#include "scheduler/queue/rejected_pods.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::scheduler {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<WaitingEntry*> interested(const RejectedPods& pods, PluginIndexSet plugins) {
  std::vector<WaitingEntry*> found;
  pods.collect([&](std::size_t) { return plugins; }, found);
  return found;
}

WaitingEntry rejected_by(PluginIndexSet plugins, std::size_t profile = 0) {
  WaitingEntry entry;
  entry.pod.object.profile = profile;
  entry.pod.rejectors = plugins;
  return entry;
}

TEST(RejectedPods, FindsThePodsThatOneOfThePluginsRejected) {
  RejectedPods pods;
  WaitingEntry first = rejected_by(PluginIndexSet::only(1));
  WaitingEntry second = rejected_by(PluginIndexSet::only(1) | PluginIndexSet::only(2));
  WaitingEntry third = rejected_by(PluginIndexSet::only(3));
  for (WaitingEntry* entry : {&first, &second, &third}) pods.add(*entry);

  EXPECT_THAT(interested(pods, PluginIndexSet::only(1)), UnorderedElementsAre(&first, &second));
  EXPECT_THAT(interested(pods, PluginIndexSet::only(2)), UnorderedElementsAre(&second));
  EXPECT_THAT(interested(pods, PluginIndexSet::only(4)), IsEmpty());
  EXPECT_TRUE(pods.any([](std::size_t) { return PluginIndexSet::only(3); }));
  EXPECT_FALSE(pods.any([](std::size_t) { return PluginIndexSet::only(4); }));
}

TEST(RejectedPods, AGatedPodIsFoundOnlyByThePluginThatGatedThePod) {
  RejectedPods pods;
  WaitingEntry entry = rejected_by(PluginIndexSet::only(1) | PluginIndexSet::only(2));
  entry.pod.gate = GateReason{.plugin = 2};
  pods.add(entry);
  EXPECT_THAT(interested(pods, PluginIndexSet::only(1)), IsEmpty());
  EXPECT_THAT(interested(pods, PluginIndexSet::only(2)), UnorderedElementsAre(&entry));
}

TEST(RejectedPods, CollectUsesThePluginsOfTheProfileOfThePod) {
  RejectedPods pods;
  WaitingEntry first = rejected_by(PluginIndexSet::only(1), 0);
  WaitingEntry second = rejected_by(PluginIndexSet::only(1), 1);
  pods.add(first);
  pods.add(second);
  std::vector<WaitingEntry*> found;
  pods.collect([](std::size_t profile) { return profile == 1 ? PluginIndexSet::only(1) : PluginIndexSet{}; }, found);
  EXPECT_THAT(found, UnorderedElementsAre(&second));
}

TEST(RejectedPods, TheOtherPodsAreStillFoundAfterAPodIsRemoved) {
  RejectedPods pods;
  std::vector<WaitingEntry> entries(5, rejected_by(PluginIndexSet::only(1)));
  for (WaitingEntry& entry : entries) pods.add(entry);
  pods.remove(entries[1]);
  pods.remove(entries[4]);
  EXPECT_THAT(interested(pods, PluginIndexSet::only(1)), UnorderedElementsAre(&entries[0], &entries[2], &entries[3]));
  pods.remove(entries[3]);
  pods.remove(entries[0]);
  pods.remove(entries[2]);
  EXPECT_TRUE(pods.empty());
  EXPECT_THAT(interested(pods, PluginIndexSet::only(1)), IsEmpty());
}

TEST(RejectedPods, AnEmptyGroupIsReusedForOtherPlugins) {
  RejectedPods pods;
  WaitingEntry first = rejected_by(PluginIndexSet::only(1));
  pods.add(first);
  pods.remove(first);
  WaitingEntry second = rejected_by(PluginIndexSet::only(2));
  pods.add(second);
  EXPECT_EQ(second.group, 0U);
  EXPECT_THAT(interested(pods, PluginIndexSet::only(2)), UnorderedElementsAre(&second));
  EXPECT_THAT(interested(pods, PluginIndexSet::only(1)), IsEmpty());
}

}  // namespace
}  // namespace rescheduler::scheduler
