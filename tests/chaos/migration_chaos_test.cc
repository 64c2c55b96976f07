// Moves in virtual time. Without faults all of them succeed; with faults no invariant is broken.
//
//   migration_chaos_test                                    new seeds, each printed
//   RESCHEDULER_SEED=17 migration_chaos_test ...            repeats the run of that seed
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chaos/survival.h"
#include "support/run_seed.h"

namespace rescheduler::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Ge;
using testing::IsEmpty;
using testing::Pair;

TEST(MigrationChaos, WithoutTroubleEveryMoveSucceedsOrIsRightlyRefused) {
  const std::uint64_t seed = run_seed();
  SCOPED_TRACE(fmt::format("RESCHEDULER_SEED={}", seed));
  const Quiet quiet;
  ChaoticCluster cluster(seed, {.wire = false, .disruptions = false});
  cluster.run(150);
  print_run(seed, cluster);
  const HistoryChecker& checker = cluster.checker();
  EXPECT_THAT(checker.breaches(), IsEmpty());
  EXPECT_THAT(checker.ledger().surprises(), IsEmpty());
  EXPECT_THAT(checker.ledger().results(Expected::Success), ElementsAre(Pair("Succeeded", Ge(90))));
  EXPECT_THAT(checker.ledger().results(Expected::Refused), ElementsAre(Pair("Refused", Ge(5))));
  EXPECT_THAT(checker.ledger().results(Expected::Anything), IsEmpty());
  // minAvailable and maxUnavailable, as numbers and as percentages.
  for (const char* budget : {"web0", "web1", "web2", "web3"}) {
    EXPECT_THAT(checker.judged_budgets(), Contains(Pair(budget, Ge(1))));
  }
}

TEST(MigrationChaos, MovesBreakNoRuleWhateverHappens) { expect_survives(run_seed(), 200); }

}  // namespace
}  // namespace rescheduler::test
