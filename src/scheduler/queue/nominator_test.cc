#include "scheduler/queue/nominator.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/queue/queue_fixture.h"

namespace rescheduler::scheduler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PodObject pod(const std::string& uid,
              std::int32_t priority,
              const std::string& nominated = "",
              const std::string& node = "") {
  PodObject object = object_of(uid, priority);
  api::Pod changed = *object.pod;
  if (!nominated.empty()) changed.mutable_status()->set_nominated_node_name(nominated);
  if (!node.empty()) changed.mutable_spec()->set_node_name(node);
  object.pod = std::make_shared<const api::Pod>(std::move(changed));
  return object;
}

std::vector<std::string> respected(const Nominator& nominator,
                                   const std::string& node,
                                   std::int32_t priority,
                                   const std::string& self = "self") {
  std::vector<std::string> uids;
  for (const PodObject* object : nominator.respected_on(node, priority, self)) uids.push_back(object->uid());
  return uids;
}

TEST(Nominator, APodRespectsOtherNominatedPodsOfTheSameOrHigherPriority) {
  Nominator nominator;
  nominator.nominate(pod("low", 1), "n");
  nominator.nominate(pod("same", 5), "n");
  nominator.nominate(pod("high", 9), "n");
  nominator.nominate(pod("self", 5), "n");
  nominator.nominate(pod("elsewhere", 9), "m");
  EXPECT_THAT(respected(nominator, "n", 5), ElementsAre("same", "high"));
  EXPECT_THAT(respected(nominator, "unknown", 5), IsEmpty());
}

TEST(Nominator, AnAddedPodIsNominatedForTheNodeInItsStatus) {
  Nominator nominator;
  nominator.add(pod("a", 0));
  EXPECT_TRUE(nominator.empty());
  nominator.add(pod("a", 0, "n"));
  EXPECT_THAT(respected(nominator, "n", 0), ElementsAre("a"));
}

TEST(Nominator, ANominationByThisProcessTakesPrecedenceOverTheStatus) {
  Nominator nominator;
  nominator.nominate(pod("a", 0, "old"), "new");
  nominator.add(pod("a", 0, "old"));
  ASSERT_NE(nominator.node_of("a"), nullptr);
  EXPECT_EQ(*nominator.node_of("a"), "new");
}

TEST(Nominator, AnUpdateWithoutANodeInTheStatusKeepsTheNominationByThisProcess) {
  Nominator nominator;
  nominator.nominate(pod("a", 0), "n");
  nominator.update("", pod("a", 7));
  EXPECT_THAT(respected(nominator, "n", 7), ElementsAre("a")) << "the nomination has the new object with priority 7";
}

TEST(Nominator, AnUpdateThatSetsChangesOrClearsTheNodeInTheStatusIsApplied) {
  Nominator nominator;
  nominator.update("", pod("a", 0, "n"));
  EXPECT_THAT(respected(nominator, "n", 0), ElementsAre("a"));
  nominator.update("n", pod("a", 0, "m"));
  EXPECT_THAT(respected(nominator, "n", 0), IsEmpty());
  EXPECT_THAT(respected(nominator, "m", 0), ElementsAre("a"));
  nominator.update("m", pod("a", 0));
  EXPECT_TRUE(nominator.empty());
}

TEST(Nominator, NominatingAPodForAnEmptyNodeClearsTheNomination) {
  Nominator nominator;
  nominator.nominate(pod("a", 0), "n");
  nominator.nominate(pod("a", 0), "");
  EXPECT_TRUE(nominator.empty());
  EXPECT_EQ(nominator.node_of("a"), nullptr);
}

TEST(Nominator, APodIsNominatedForOneNodeAtATime) {
  Nominator nominator;
  nominator.nominate(pod("a", 0), "n");
  nominator.nominate(pod("a", 0), "m");
  EXPECT_EQ(nominator.by_node().size(), 1U);
  EXPECT_THAT(respected(nominator, "m", 0), ElementsAre("a"));
}

TEST(Nominator, ABoundPodIsNotNominatedAndLosesItsNomination) {
  Nominator nominator;
  nominator.nominate(pod("a", 0), "n");
  nominator.add(pod("a", 0, "n", "n"));
  EXPECT_TRUE(nominator.empty());
  nominator.nominate(pod("a", 0, "", "n"), "n");
  EXPECT_TRUE(nominator.empty());
}

TEST(Nominator, RemoveReturnsWhetherThePodHadANomination) {
  Nominator nominator;
  nominator.nominate(pod("a", 0), "n");
  nominator.nominate(pod("b", 0), "n");
  EXPECT_TRUE(nominator.remove("a"));
  EXPECT_FALSE(nominator.remove("a"));
  EXPECT_THAT(respected(nominator, "n", 0), ElementsAre("b"));
}

}  // namespace
}  // namespace rescheduler::scheduler
