#include "chaos/survival.h"

#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::test {
namespace {

using testing::IsEmpty;

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

}  // namespace

void print_run(std::uint64_t seed, const ChaoticCluster& cluster) {
  const HistoryChecker& checker = cluster.checker();
  const auto& wire = cluster.fault_counts();
  fmt::print(
      "RESCHEDULER_SEED={}: {} moves begun; undisturbed:{}; to be refused:{}; disturbed:{}; {} evictions, {} "
      "bindings, "
      "{} leaders, {} acts of others, {} refusals, {} lost requests or answers, {} broken watches; losses judged for "
      "{} "
      "workloads:{}; for budgets:{}\n",
      seed, cluster.moves_begun(), listed(checker.ledger().results(Expected::Success)),
      listed(checker.ledger().results(Expected::Refused)), listed(checker.ledger().results(Expected::Anything)),
      checker.evictions(), checker.bindings(), cluster.leaders(), cluster.disruptions(), wire.refused,
      wire.lost_responses + wire.lost_requests, wire.dropped_watches + wire.stalled_watches,
      checker.judged_workloads().size(), listed(checker.judged_workloads()), listed(checker.judged_budgets()));
}

void expect_survives(std::uint64_t seed, int moves) {
  SCOPED_TRACE(fmt::format("RESCHEDULER_SEED={}", seed));
  const Quiet quiet;
  ChaoticCluster cluster(seed, {});
  cluster.run(moves);
  print_run(seed, cluster);
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

}  // namespace rescheduler::test
