// The long runs. They are not part of `make test`; they run with the real tier (label long). The assertions are in
// expect_survives().
#include <gtest/gtest.h>

#include "chaos/survival.h"
#include "support/run_seed.h"

namespace rescheduler::test {
namespace {

TEST(LongChaos, MovesBreakNoRuleWhateverHappens) { expect_survives(run_seed(), 500); }

// 2: a user scales a workload below what its PodDisruptionBudget requires, and its single replica is moved.
// 13: the answer to the creation of a Migration is lost, and a user deletes the Migration.
TEST(LongChaos, SeedsThatFoundSomethingStayGreen) {
  for (const std::uint64_t seed : {2U, 13U}) expect_survives(seed, 250);
}

}  // namespace
}  // namespace rescheduler::test
