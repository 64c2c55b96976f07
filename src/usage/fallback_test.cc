#include "usage/fallback.h"

#include <gtest/gtest.h>

namespace rescheduler::usage {
namespace {

using cluster::LoadBasis;

constexpr std::size_t kPrometheus = 0;
constexpr std::size_t kMetricsServer = 1;

// Runs rounds: each source answers or fails as the test sets it.
struct FallbackRounds {
  Fallback fallback{{"prometheus", "metrics-server"}};
  bool fresh = true;
  std::vector<std::size_t> read{};          // in the last round
  std::vector<Fallback::Change> changes{};  // in the last round

  void round(bool prometheus, bool metrics_server) {
    read.clear();
    changes.clear();
    fallback.begin_round();
    while (const auto next = fallback.next()) {
      read.push_back(*next);
      const bool answers = *next == kPrometheus ? prometheus : metrics_server;
      auto change = answers ? fallback.answered(*next)
                            : fallback.failed(*next, *next == kPrometheus ? "prometheus is down" : "no metrics", fresh);
      if (change) changes.push_back(*change);
    }
  }
};

TEST(Fallback, TheBestSourceThatAnswersIsUsedFromTheFirstRoundOn) {
  FallbackRounds rounds;
  EXPECT_EQ(rounds.fallback.name(), "requests");
  rounds.round(true, true);
  EXPECT_EQ(rounds.fallback.name(), "prometheus");
  EXPECT_EQ(rounds.fallback.basis(), LoadBasis::Usage);
  EXPECT_EQ(rounds.read, std::vector{kPrometheus});  // no other source is read
  ASSERT_EQ(rounds.changes.size(), 1u);
  EXPECT_EQ(rounds.changes[0].from, "");
  rounds.round(true, true);
  EXPECT_TRUE(rounds.changes.empty());
}

TEST(Fallback, OneFailureDoesNotChangeTheSourceWhileTheDataIsFresh) {
  FallbackRounds rounds;
  rounds.round(true, true);
  rounds.round(false, true);
  EXPECT_EQ(rounds.fallback.name(), "prometheus");
  EXPECT_EQ(rounds.read, std::vector{kPrometheus});
  rounds.round(true, true);
  rounds.round(false, true);  // not two failures in a row
  EXPECT_EQ(rounds.fallback.name(), "prometheus");
}

TEST(Fallback, TheSecondFailureInARowChangesTheSourceInTheSameRoundAndReportsWhy) {
  FallbackRounds rounds;
  rounds.round(true, true);
  rounds.round(false, true);
  rounds.round(false, true);
  EXPECT_EQ(rounds.fallback.source(), kMetricsServer);
  EXPECT_EQ(rounds.read, (std::vector{kPrometheus, kMetricsServer}));
  ASSERT_EQ(rounds.changes.size(), 1u);
  EXPECT_EQ(rounds.changes[0].from, "prometheus");
  EXPECT_EQ(rounds.changes[0].to, "metrics-server");
  EXPECT_EQ(rounds.changes[0].why, "prometheus is down");
}

TEST(Fallback, WithoutFreshDataTheFirstFailureChangesTheSource) {
  FallbackRounds rounds;
  rounds.round(true, true);
  rounds.fresh = false;
  rounds.round(false, true);
  EXPECT_EQ(rounds.fallback.name(), "metrics-server");
}

TEST(Fallback, IfNoSourceAnswersRequestsAreUsedAndTheReasonNamesEverySource) {
  FallbackRounds rounds;
  rounds.round(false, false);
  EXPECT_EQ(rounds.fallback.basis(), LoadBasis::Requests);
  ASSERT_EQ(rounds.changes.size(), 1u);
  EXPECT_EQ(rounds.changes[0].to, "requests");
  EXPECT_EQ(rounds.changes[0].why, "prometheus is down; no metrics");
  rounds.round(false, false);
  EXPECT_TRUE(rounds.changes.empty());  // reported once per change
  EXPECT_EQ(rounds.read.size(), 2u);    // both are read again
}

TEST(Fallback, WithoutUsableRequestsTheBasisIsRoundRobin) {
  FallbackRounds rounds;
  EXPECT_FALSE(rounds.fallback.requests_judgeable(false));
  rounds.round(false, false);
  EXPECT_EQ(rounds.fallback.basis(), LoadBasis::RoundRobin);
  EXPECT_EQ(rounds.changes.at(0).to, "turns");
  const auto better = rounds.fallback.requests_judgeable(true);
  ASSERT_TRUE(better);
  EXPECT_EQ(better->from, "turns");
  EXPECT_EQ(better->to, "requests");
  EXPECT_FALSE(rounds.fallback.requests_judgeable(true));
}

TEST(Fallback, UnusableRequestsChangeNothingWhileASourceAnswers) {
  FallbackRounds rounds;
  rounds.round(true, true);
  EXPECT_FALSE(rounds.fallback.requests_judgeable(false));
  EXPECT_EQ(rounds.fallback.basis(), LoadBasis::Usage);
}

TEST(Fallback, ABetterSourceIsUsedAgainAfterTwoAnswersInARow) {
  FallbackRounds rounds;
  rounds.round(false, true);
  ASSERT_EQ(rounds.fallback.name(), "metrics-server");
  rounds.round(true, true);
  EXPECT_EQ(rounds.read, (std::vector{kMetricsServer, kPrometheus}));  // the current source first, so that it is not
                                                                       // delayed
  EXPECT_EQ(rounds.fallback.name(), "metrics-server");
  rounds.round(false, true);
  rounds.round(true, true);
  EXPECT_EQ(rounds.fallback.name(), "metrics-server");
  rounds.round(true, true);
  EXPECT_EQ(rounds.fallback.name(), "prometheus");
  ASSERT_EQ(rounds.changes.size(), 1u);
  EXPECT_EQ(rounds.changes[0].why, "prometheus answers");
}

TEST(Fallback, ASourceReplacesRequestsAfterTwoAnswersInARow) {
  FallbackRounds rounds;
  rounds.round(false, false);
  rounds.round(false, true);
  EXPECT_EQ(rounds.fallback.name(), "requests");
  rounds.round(false, true);
  EXPECT_EQ(rounds.fallback.name(), "metrics-server");
  EXPECT_EQ(rounds.changes.at(0).from, "requests");
}

TEST(Fallback, ABetterSourceTakesOverAtOnceIfTheCurrentSourceFails) {
  FallbackRounds rounds;
  rounds.round(false, true);
  rounds.fresh = false;
  rounds.round(true, false);
  EXPECT_EQ(rounds.fallback.name(), "prometheus");
  EXPECT_EQ(rounds.changes.at(0).from, "metrics-server");
}

TEST(Fallback, WithoutSourcesRequestsAreUsedAndNothingIsRead) {
  Fallback fallback{{}};
  fallback.begin_round();
  EXPECT_FALSE(fallback.next());
  EXPECT_EQ(fallback.name(), "requests");
  EXPECT_EQ(fallback.requests_judgeable(false)->to, "turns");
}

}  // namespace
}  // namespace rescheduler::usage
