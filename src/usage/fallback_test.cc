#include "usage/fallback.h"

#include <gtest/gtest.h>

namespace rescheduler::usage {
namespace {

using cluster::LoadBasis;

constexpr std::size_t kPrometheus = 0;
constexpr std::size_t kMetricsServer = 1;

// Runs rounds: each source answers or fails as the test says.
struct Play {
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

TEST(Fallback, TheBestThatAnswersIsInChargeFromTheFirstRoundOn) {
  Play play;
  EXPECT_EQ(play.fallback.name(), "requests");
  play.round(true, true);
  EXPECT_EQ(play.fallback.name(), "prometheus");
  EXPECT_EQ(play.fallback.basis(), LoadBasis::Usage);
  EXPECT_EQ(play.read, std::vector{kPrometheus});  // no other source is read
  ASSERT_EQ(play.changes.size(), 1u);
  EXPECT_EQ(play.changes[0].from, "");
  play.round(true, true);
  EXPECT_TRUE(play.changes.empty());
}

TEST(Fallback, OneFailureIsForgivenWhileTheDataIsFresh) {
  Play play;
  play.round(true, true);
  play.round(false, true);
  EXPECT_EQ(play.fallback.name(), "prometheus");
  EXPECT_EQ(play.read, std::vector{kPrometheus});
  play.round(true, true);
  play.round(false, true);  // not two failures in a row
  EXPECT_EQ(play.fallback.name(), "prometheus");
}

TEST(Fallback, TheSecondFailureInARowHandsOverInTheSameRoundAndSaysWhy) {
  Play play;
  play.round(true, true);
  play.round(false, true);
  play.round(false, true);
  EXPECT_EQ(play.fallback.source(), kMetricsServer);
  EXPECT_EQ(play.read, (std::vector{kPrometheus, kMetricsServer}));
  ASSERT_EQ(play.changes.size(), 1u);
  EXPECT_EQ(play.changes[0].from, "prometheus");
  EXPECT_EQ(play.changes[0].to, "metrics-server");
  EXPECT_EQ(play.changes[0].why, "prometheus is down");
}

TEST(Fallback, WithoutFreshDataTheFirstFailureHandsOver) {
  Play play;
  play.round(true, true);
  play.fresh = false;
  play.round(false, true);
  EXPECT_EQ(play.fallback.name(), "metrics-server");
}

TEST(Fallback, WhenNobodyAnswersRequestsAreJudgedAndEverySourceSaysWhy) {
  Play play;
  play.round(false, false);
  EXPECT_EQ(play.fallback.basis(), LoadBasis::Requests);
  ASSERT_EQ(play.changes.size(), 1u);
  EXPECT_EQ(play.changes[0].to, "requests");
  EXPECT_EQ(play.changes[0].why, "prometheus is down; no metrics");
  play.round(false, false);
  EXPECT_TRUE(play.changes.empty());  // reported once per change
  EXPECT_EQ(play.read.size(), 2u);    // both are read again
}

TEST(Fallback, WhenNotEvenRequestsCanBeJudgedNodesGetTheirTurns) {
  Play play;
  EXPECT_FALSE(play.fallback.requests_judgeable(false));
  play.round(false, false);
  EXPECT_EQ(play.fallback.basis(), LoadBasis::RoundRobin);
  EXPECT_EQ(play.changes.at(0).to, "turns");
  const auto better = play.fallback.requests_judgeable(true);
  ASSERT_TRUE(better);
  EXPECT_EQ(better->from, "turns");
  EXPECT_EQ(better->to, "requests");
  EXPECT_FALSE(play.fallback.requests_judgeable(true));
}

TEST(Fallback, WhetherRequestsCanBeJudgedIsNoNewsWhileASourceAnswers) {
  Play play;
  play.round(true, true);
  EXPECT_FALSE(play.fallback.requests_judgeable(false));
  EXPECT_EQ(play.fallback.basis(), LoadBasis::Usage);
}

TEST(Fallback, ABetterSourceComesBackAfterTwoAnswersInARow) {
  Play play;
  play.round(false, true);
  ASSERT_EQ(play.fallback.name(), "metrics-server");
  play.round(true, true);
  EXPECT_EQ(play.read, (std::vector{kMetricsServer, kPrometheus}));  // the current source first, so that it is not
                                                                     // delayed
  EXPECT_EQ(play.fallback.name(), "metrics-server");
  play.round(false, true);
  play.round(true, true);
  EXPECT_EQ(play.fallback.name(), "metrics-server");
  play.round(true, true);
  EXPECT_EQ(play.fallback.name(), "prometheus");
  ASSERT_EQ(play.changes.size(), 1u);
  EXPECT_EQ(play.changes[0].why, "prometheus answers");
}

TEST(Fallback, FromRequestsTheWayBackIsTheSame) {
  Play play;
  play.round(false, false);
  play.round(false, true);
  EXPECT_EQ(play.fallback.name(), "requests");
  play.round(false, true);
  EXPECT_EQ(play.fallback.name(), "metrics-server");
  EXPECT_EQ(play.changes.at(0).from, "requests");
}

TEST(Fallback, AVacancyIsFilledByABetterSourceToo) {
  Play play;
  play.round(false, true);
  play.fresh = false;
  play.round(true, false);
  EXPECT_EQ(play.fallback.name(), "prometheus");
  EXPECT_EQ(play.changes.at(0).from, "metrics-server");
}

TEST(Fallback, WithoutAnySourceItIsRequestsAndNothingIsRead) {
  Fallback fallback{{}};
  fallback.begin_round();
  EXPECT_FALSE(fallback.next());
  EXPECT_EQ(fallback.name(), "requests");
  EXPECT_EQ(fallback.requests_judgeable(false)->to, "turns");
}

}  // namespace
}  // namespace rescheduler::usage
