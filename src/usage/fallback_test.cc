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
  bool installed = true;  // prometheus is in the cluster
  SteadyTime now{std::chrono::hours{1}};
  std::vector<std::size_t> read{};          // in the last round
  std::vector<Fallback::Change> changes{};  // in the last round

  void round(bool prometheus, bool metrics_server) {
    read.clear();
    changes.clear();
    fallback.begin_round(now);
    now += std::chrono::seconds{15};
    while (const auto next = fallback.next()) {
      read.push_back(*next);
      const bool answers = *next == kPrometheus ? prometheus : metrics_server;
      const Fallback::Failure failure{*next == kPrometheus ? "prometheus is down" : "no metrics", fresh, installed};
      auto change = answers ? fallback.answered(*next) : fallback.failed(*next, failure);
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

TEST(Fallback, ASourceThatIsNoLongerInstalledIsLeftAtItsFirstFailure) {
  FallbackRounds rounds;
  rounds.round(true, true);
  rounds.installed = false;
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
  rounds.now += std::chrono::minutes{5};
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

TEST(Fallback, ABetterSourceIsNotUsedAgainUntilFiveMinutesAfterTheLastChange) {
  FallbackRounds rounds;
  rounds.round(true, true);
  rounds.round(false, true);
  rounds.round(false, true);  // the change
  ASSERT_EQ(rounds.fallback.name(), "metrics-server");
  for (int i = 1; i < 20; ++i) {
    rounds.round(true, true);
    EXPECT_EQ(rounds.fallback.name(), "metrics-server") << i * 15 << " s";
  }
  rounds.round(true, true);  // 300 s after the change
  EXPECT_EQ(rounds.fallback.name(), "prometheus");
  // A source that fails is left without this wait.
  rounds.round(false, true);
  rounds.round(false, true);
  EXPECT_EQ(rounds.fallback.name(), "metrics-server");
  rounds.round(true, true);
  rounds.round(true, true);
  EXPECT_EQ(rounds.fallback.name(), "metrics-server");
}

TEST(Fallback, AChangeIsALossOnlyIfAnInstalledSourceDoesNotAnswer) {
  FallbackRounds rounds;
  rounds.installed = false;
  rounds.round(false, true);
  EXPECT_EQ(rounds.changes.at(0).why, "prometheus is down");
  EXPECT_FALSE(rounds.changes.at(0).loss);
  FallbackRounds failing;
  failing.round(false, true);
  EXPECT_TRUE(failing.changes.at(0).loss);
  failing.fresh = false;
  failing.round(false, false);
  EXPECT_EQ(failing.changes.at(0).to, "requests");
  EXPECT_TRUE(failing.changes.at(0).loss);
  failing.round(true, true);
  failing.round(true, true);
  EXPECT_FALSE(failing.changes.at(0).loss);
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
  fallback.begin_round(SteadyTime{});
  EXPECT_FALSE(fallback.next());
  EXPECT_EQ(fallback.name(), "requests");
  EXPECT_EQ(fallback.requests_judgeable(false)->to, "turns");
}

}  // namespace
}  // namespace rescheduler::usage
