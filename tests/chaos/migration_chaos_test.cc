// Moves in virtual time: all of them succeed while nothing goes wrong, and no rule is broken while nearly everything
// does.
//
//   migration_chaos_test                                    new seeds, each printed
//   RESCHEDULER_SEED=17 migration_chaos_test ...            that very run again
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "chaos/chaotic_cluster.h"
#include "support/run_seed.h"

namespace rescheduler::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Ge;
using testing::IsEmpty;
using testing::Pair;

class Quiet {
 public:
  Quiet() { set_log_level(LogLevel::Error); }
  ~Quiet() { set_log_level(LogLevel::Info); }
};

int total(const std::map<std::string, int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0, [](int sum, const auto& one) { return sum + one.second; });
}

int succeeded(const Results& results) {
  const auto found = results.find("Succeeded");
  return found == results.end() ? 0 : found->second;
}

std::string listed(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) text += fmt::format(" {} {}", name, count);
  return text;
}

void print(std::uint64_t seed, const ChaoticCluster& cluster) {
  const HistoryChecker& checker = cluster.checker();
  const auto& wire = cluster.fault_counts();
  fmt::print(
      "RESCHEDULER_SEED={}: {} moves ordered; undisturbed:{}; to be refused:{}; disturbed:{}; {} evictions, {} "
      "bindings, "
      "{} leaders, {} acts of others, {} refusals, {} lost requests or answers, {} broken watches; losses judged for "
      "{} "
      "workloads:{}; for budgets:{}\n",
      seed, cluster.ordered(), listed(checker.ledger().results(Expected::Success)),
      listed(checker.ledger().results(Expected::Refusal)), listed(checker.ledger().results(Expected::Anything)),
      checker.evictions(), checker.bindings(), cluster.leaders(), cluster.meddled(), wire.refused,
      wire.lost_responses + wire.lost_requests, wire.dropped_watches + wire.stalled_watches,
      checker.judged_workloads().size(), listed(checker.judged_workloads()), listed(checker.judged_budgets()));
}

void expect_survives(std::uint64_t seed, int moves) {
  SCOPED_TRACE(fmt::format("RESCHEDULER_SEED={}", seed));
  const Quiet quiet;
  ChaoticCluster cluster(seed, {});
  cluster.run(moves);
  print(seed, cluster);
  const HistoryChecker& checker = cluster.checker();
  EXPECT_THAT(checker.breaches(), IsEmpty());
  const Results fair = checker.ledger().results(Expected::Success);
  EXPECT_GE(total(fair), moves / 4);
  EXPECT_GE(succeeded(fair) * 100, total(fair) * 95) << testing::PrintToString(checker.ledger().surprises());
  EXPECT_GE(total(checker.judged_workloads()), moves / 4);
  EXPECT_GE(total(checker.judged_budgets()), moves / 5);
  EXPECT_GT(checker.bindings(), static_cast<std::size_t>(moves) / 3);
  const auto& wire = cluster.fault_counts();
  EXPECT_GT(wire.refused + wire.lost_responses + wire.dropped_watches, static_cast<std::uint64_t>(moves) / 10);
}

TEST(MigrationChaos, WithoutTroubleEveryMoveSucceedsOrIsRightlyRefused) {
  const std::uint64_t seed = run_seed();
  SCOPED_TRACE(fmt::format("RESCHEDULER_SEED={}", seed));
  const Quiet quiet;
  ChaoticCluster cluster(seed, {.wire = false, .meddling = false});
  cluster.run(150);
  print(seed, cluster);
  const HistoryChecker& checker = cluster.checker();
  EXPECT_THAT(checker.breaches(), IsEmpty());
  EXPECT_THAT(checker.ledger().surprises(), IsEmpty());
  EXPECT_THAT(checker.ledger().results(Expected::Success), ElementsAre(Pair("Succeeded", Ge(90))));
  EXPECT_THAT(checker.ledger().results(Expected::Refusal), ElementsAre(Pair("Refused", Ge(5))));
  EXPECT_THAT(checker.ledger().results(Expected::Anything), IsEmpty());
  // minAvailable and maxUnavailable, as numbers and as percentages.
  for (const char* budget : {"web0", "web1", "web2", "web3"}) {
    EXPECT_THAT(checker.judged_budgets(), Contains(Pair(budget, Ge(1))));
  }
}

TEST(MigrationChaos, MovesBreakNoRuleWhateverHappens) { expect_survives(run_seed(), 500); }

// 2: a user scales a workload below what its budget asks for, and its single replica is moved.
// 13: the answer to the creation of a Migration is lost, and a user deletes the Migration.
TEST(MigrationChaos, SeedsThatFoundSomethingStayGreen) {
  for (const std::uint64_t seed : {2U, 13U}) expect_survives(seed, 250);
}

}  // namespace
}  // namespace rescheduler::test
