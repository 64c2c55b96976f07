#include "kube/events/event_correlator.h"

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

using namespace std::chrono_literals;
using Kind = EventWrite::Kind;
using Verdict = EventCorrelator::Verdict;

EventRecord failing(std::string pod, std::string note = "no node fits") {
  EventRecord record;
  record.regarding = ObjectRef{"v1", "Pod", "web", std::move(pod), "", "", ""};
  record.type = EventType::Warning;
  record.reason = "FailedScheduling";
  record.note = std::move(note);
  return record;
}

class EventCorrelatorTest : public testing::Test {
 protected:
  EventCorrelator::Admission admit(EventRecord record) {
    return correlator.admit(std::move(record), clock.wall_now(), clock.steady_now());
  }
  std::optional<EventWrite> finish(const EventWrite& write, bool succeeded = true) {
    return correlator.finished(write, succeeded, clock.steady_now());
  }
  // Admits the record and reports the resulting write as successful.
  EventWrite written(EventRecord record) {
    auto admission = admit(std::move(record));
    EXPECT_TRUE(admission.write);
    EXPECT_FALSE(finish(*admission.write));
    return *admission.write;
  }
  std::vector<EventWrite> due() { return correlator.due(clock.steady_now()); }

  ManualClock clock;
  EventCorrelator correlator{CorrelatorSettings{}};
};

TEST_F(EventCorrelatorTest, TheSecondOccurrenceMakesASeriesAndFurtherOnesAreOnlyCounted) {
  const EventWrite first = written(failing("p"));
  EXPECT_EQ(first.kind, Kind::Create);
  clock.advance(10s);
  const EventWrite second = written(failing("p"));
  EXPECT_EQ(second.kind, Kind::Patch);
  EXPECT_EQ(second.series.name, first.series.name);
  EXPECT_EQ(second.series.count, 2);
  EXPECT_EQ(second.series.last, clock.wall_now());
  clock.advance(10s);
  EXPECT_EQ(admit(failing("p")).verdict, Verdict::Counted);
  EXPECT_TRUE(due().empty()) << "a series is written at most once per refresh interval";
  clock.advance(50s);
  const auto refreshed = due();
  ASSERT_EQ(refreshed.size(), 1u);
  EXPECT_EQ(refreshed[0].series.count, 3);
  EXPECT_FALSE(finish(refreshed[0]));
  EXPECT_TRUE(due().empty());
}

TEST_F(EventCorrelatorTest, WritesTheLastCountOfAnEndedSeriesAndForgetsTheSeries) {
  written(failing("p"));
  written(failing("p"));
  (void)admit(failing("p"));
  clock.advance(6min);
  const auto last = due();
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0].series.count, 3);
  EXPECT_EQ(correlator.series(), 0u);
  EXPECT_FALSE(finish(last[0]));
  const EventWrite anew = written(failing("p"));
  EXPECT_EQ(anew.kind, Kind::Create);
  EXPECT_NE(anew.series.name, last[0].series.name);
}

TEST_F(EventCorrelatorTest, StartsANewSeriesAfterSilenceEvenIfDueWasNotCalled) {
  written(failing("p"));
  written(failing("p"));
  (void)admit(failing("p"));
  clock.advance(7min);
  EXPECT_EQ(written(failing("p")).kind, Kind::Create);
  const auto final_writes = due();
  ASSERT_EQ(final_writes.size(), 1u) << "the count of the old series must not be lost";
  EXPECT_EQ(final_writes[0].series.count, 3);
  EXPECT_FALSE(finish(final_writes[0]));
  EXPECT_EQ(written(failing("p")).series.count, 2) << "the late result must not count for the new series";
}

TEST_F(EventCorrelatorTest, DifferentNotesAreDifferentEvents) {
  EXPECT_EQ(written(failing("p", "no node fits")).kind, Kind::Create);
  EXPECT_EQ(written(failing("p", "no memory")).kind, Kind::Create);
}

TEST_F(EventCorrelatorTest, NeverHasTwoWritesOfOneSeriesInFlight) {
  const auto create = admit(failing("p"));
  EXPECT_EQ(admit(failing("p")).verdict, Verdict::Counted);
  EXPECT_EQ(admit(failing("p")).verdict, Verdict::Counted);
  const auto follow_up = finish(*create.write);
  ASSERT_TRUE(follow_up) << "the event became a series during its creation";
  EXPECT_EQ(follow_up->kind, Kind::Patch);
  EXPECT_EQ(follow_up->series.count, 3);
}

TEST_F(EventCorrelatorTest, CreatesTheEventAgainAfterAFailedCreate) {
  const auto create = admit(failing("p"));
  EXPECT_FALSE(finish(*create.write, false));
  EXPECT_EQ(admit(failing("p")).write->kind, Kind::Create);
}

TEST_F(EventCorrelatorTest, RetriesAFailedPatchLater) {
  written(failing("p"));
  const auto patch = admit(failing("p"));
  EXPECT_FALSE(finish(*patch.write, false));
  clock.advance(1min);
  const auto again = due();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].series.count, 2);
}

TEST_F(EventCorrelatorTest, GivesNoTwoEventsTheSameName) {
  const EventWrite first = written(failing("p", "a"));
  const EventWrite second = written(failing("p", "b"));  // in the same nanosecond
  EXPECT_NE(first.series.name, second.series.name);
}

TEST_F(EventCorrelatorTest, TheSeriesLimitDropsAnOldSeriesAndStillWritesItsCount) {
  CorrelatorSettings settings;
  settings.most_series = 2;
  correlator = EventCorrelator(settings);
  written(failing("a"));
  written(failing("a"));
  (void)admit(failing("a"));
  written(failing("b"));
  written(failing("c"));
  EXPECT_EQ(correlator.series(), 2u);
  const auto final_writes = due();
  ASSERT_EQ(final_writes.size(), 1u);
  EXPECT_EQ(final_writes[0].series.count, 3);
}

TEST_F(EventCorrelatorTest, UnwrittenReturnsOnlySeriesWithAnUnwrittenCount) {
  written(failing("a"));
  written(failing("a"));
  (void)admit(failing("a"));
  written(failing("b"));
  const auto rest = correlator.unwritten(clock.steady_now());
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].series.count, 3);
}

TEST_F(EventCorrelatorTest, EventsOfAnObjectBeyondTheRateLimitAreSpam) {
  for (int i = 0; i < 25; ++i) written(failing("noisy", std::to_string(i)));
  EXPECT_EQ(admit(failing("noisy", "one more")).verdict, Verdict::Spam);
  EXPECT_EQ(admit(failing("quiet")).verdict, Verdict::Write) << "the limit applies to one object only";
  clock.advance(5min);
  EXPECT_EQ(admit(failing("noisy", "one more")).verdict, Verdict::Write);
  EXPECT_EQ(admit(failing("noisy", "and another")).verdict, Verdict::Spam);
}

TEST(SpamFilter, NeverAccumulatesMoreThanTheBurst) {
  ManualClock clock;
  SpamFilter filter(SpamLimits{3, 1min, 10});
  clock.advance(24h);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(filter.allow("a", clock.steady_now()));
  EXPECT_FALSE(filter.allow("a", clock.steady_now()));
  clock.advance(24h);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(filter.allow("a", clock.steady_now()));
  EXPECT_FALSE(filter.allow("a", clock.steady_now()));
}

TEST(SpamFilter, ForgetsTheLeastRecentlyUsedKeyWhenThereAreTooMany) {
  ManualClock clock;
  SpamFilter filter(SpamLimits{1, 1h, 2});
  EXPECT_TRUE(filter.allow("a", clock.steady_now()));
  EXPECT_TRUE(filter.allow("b", clock.steady_now()));
  EXPECT_FALSE(filter.allow("a", clock.steady_now()));  // now b is the least recently used
  EXPECT_TRUE(filter.allow("c", clock.steady_now()));
  EXPECT_FALSE(filter.allow("a", clock.steady_now()));
  EXPECT_TRUE(filter.allow("b", clock.steady_now())) << "b was forgotten and starts with a full burst";
}

}  // namespace
}  // namespace rescheduler::kube
