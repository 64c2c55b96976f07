#include "rescheduling/history/persistence.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::rescheduling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Persistence, ANodeIsEvidenceOnlyAfterEnoughHotSamples) {
  PersistenceTracker tracker({3, 5});
  tracker.look({"a"}, false);
  tracker.look({"a", "b"}, false);
  EXPECT_THAT(tracker.evidence().hot, IsEmpty());
  tracker.look({"a"}, false);
  EXPECT_THAT(tracker.evidence().hot, ElementsAre("a"));
}

// A node that was hot, then cool for four samples, then hot again is not yet hot in three of the last five samples.
TEST(Persistence, SamplesOutsideTheWindowDoNotCount) {
  PersistenceTracker tracker({3, 5});
  for (int i = 0; i < 2; ++i) tracker.look({"a"}, false);
  for (int i = 0; i < 4; ++i) tracker.look({}, false);
  for (int i = 0; i < 2; ++i) tracker.look({"a"}, false);
  EXPECT_THAT(tracker.evidence().hot, IsEmpty());
}

TEST(Persistence, ASampleWithoutDataIsNotEvidence) {
  PersistenceTracker tracker({2, 2});
  tracker.look({"a"}, true);
  tracker.look({}, false);
  tracker.look({"a"}, true);
  EXPECT_THAT(tracker.evidence().hot, IsEmpty());
  EXPECT_FALSE(tracker.evidence().uneven);
  tracker.look({"a"}, true);
  EXPECT_TRUE(tracker.evidence().uneven);
}

RC_GTEST_PROP(Persistence, TheEvidenceEqualsACountOfTheLastSamples, ()) {
  const int of = *rc::gen::inRange(1, 8);
  const int needed = *rc::gen::inRange(1, of + 1);
  PersistenceTracker tracker({needed, of});
  std::vector<bool> hot;
  std::vector<bool> uneven;
  const auto count = [&](const std::vector<bool>& all) {
    const auto begin = all.end() - std::min<std::ptrdiff_t>(of, static_cast<std::ptrdiff_t>(all.size()));
    return std::count(begin, all.end(), true);
  };
  for (const auto& [is_hot, is_uneven] : *rc::gen::container<std::vector<std::pair<bool, bool>>>(
           rc::gen::pair(rc::gen::arbitrary<bool>(), rc::gen::arbitrary<bool>()))) {
    std::set<std::string> nodes;
    if (is_hot) nodes.insert("a");
    tracker.look(nodes, is_uneven);
    hot.push_back(is_hot);
    uneven.push_back(is_uneven);
    RC_ASSERT(tracker.evidence().hot.contains("a") == (count(hot) >= needed));
    RC_ASSERT(tracker.evidence().uneven == (count(uneven) >= needed));
  }
}

}  // namespace
}  // namespace rescheduler::rescheduling
