#include "scheduler/queue/nominator.h"

#include <string>
#include <vector>

#include <fmt/format.h>
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

// "uid priority" of the pods that are nominated for the node.
std::vector<std::string> nominated(const Nominator& nominator, const std::string& node) {
  std::vector<std::string> pods;
  const auto found = nominator.by_node().find(node);
  if (found == nominator.by_node().end()) return pods;
  for (const PodObject& object : found->second) pods.push_back(fmt::format("{} {}", object.uid(), object.priority()));
  return pods;
}

TEST(Nominator, AnAddedPodIsNominatedForTheNodeInItsStatus) {
  Nominator nominator;
  nominator.add(pod("a", 0));
  EXPECT_TRUE(nominator.empty());
  nominator.add(pod("a", 0, "n"));
  EXPECT_THAT(nominated(nominator, "n"), ElementsAre("a 0"));
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
  EXPECT_THAT(nominated(nominator, "n"), ElementsAre("a 7")) << "the nomination has the new object";
}

TEST(Nominator, AnUpdateThatSetsChangesOrClearsTheNodeInTheStatusIsApplied) {
  Nominator nominator;
  nominator.update("", pod("a", 0, "n"));
  EXPECT_THAT(nominated(nominator, "n"), ElementsAre("a 0"));
  nominator.update("n", pod("a", 0, "m"));
  EXPECT_THAT(nominated(nominator, "n"), IsEmpty());
  EXPECT_THAT(nominated(nominator, "m"), ElementsAre("a 0"));
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
  EXPECT_THAT(nominated(nominator, "m"), ElementsAre("a 0"));
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
  EXPECT_THAT(nominated(nominator, "n"), ElementsAre("b 0"));
}

}  // namespace
}  // namespace rescheduler::scheduler
