#include "kube/events/event_recorder.h"

#include <latch>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/events.pb.h"
#include "kube/proto/meta.pb.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::kube {
namespace {

using namespace std::chrono_literals;
using test::ScriptedApi;
using test::VirtualTime;
using testing::HasSubstr;

EventRecord moved(std::string pod, std::string note = "moved") {
  EventRecord record;
  record.regarding = ObjectRef{"v1", "Pod", "web", std::move(pod), "", "", ""};
  record.reason = "Rescheduled";
  record.note = std::move(note);
  return record;
}

const Error kAway{Errc::Unavailable, "connection refused", {}, 0};

struct Fixture {
  explicit Fixture(EventRecorderSettings wanted = {}) {
    wanted.reporter = EventReporter{"rescheduler", "host-1"};
    recorder = std::make_unique<EventRecorder>(api, wanted, time.services());
  }
  void flush() { ASSERT_TRUE(time.loop.await_result(recorder->flush())); }
  // Blocks the loop until the latch is counted down.
  std::shared_ptr<std::latch> hold_the_loop() {
    auto latch = std::make_shared<std::latch>(1);
    net::spawn(time.loop.executor(), "busy", wait_for(latch));
    return latch;
  }
  static net::Task<void> wait_for(std::shared_ptr<std::latch> latch) {
    latch->wait();
    co_return;
  }
  double dropped(const char* reason) {
    return time.metrics.counter("rescheduler_events_dropped_total", "", {{"reason", reason}}).value();
  }
  double written() { return time.metrics.counter("rescheduler_events_written_total", "").value(); }

  ScriptedApi api;
  std::unique_ptr<EventRecorder> recorder;
  VirtualTime time;
};

TEST(EventRecorder, WritesARecordedEvent) {
  Fixture fixture;
  fixture.recorder->record(moved("api-0"));
  fixture.flush();
  const auto events = fixture.api.all<api::Event>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].metadata().namespace_(), "web");
  EXPECT_THAT(events[0].metadata().name(), testing::StartsWith("api-0."));
  EXPECT_EQ(events[0].reason(), "Rescheduled");
  EXPECT_EQ(events[0].reporting_instance(), "host-1");
}

TEST(EventRecorder, PatchesTheSeriesOfARepeatedRecord) {
  Fixture fixture;
  for (int i = 0; i < 5; ++i) {
    fixture.recorder->record(moved("api-0"));
    fixture.flush();
  }
  EXPECT_EQ(fixture.api.all<api::Event>().size(), 1u);
  EXPECT_THAT(fixture.api.calls().back().patch, HasSubstr(R"("count":5)"));
}

TEST(EventRecorder, CreatesAnExpiredEventAgainWithItsSeries) {
  Fixture fixture;
  fixture.recorder->record(moved("api-0"));
  fixture.flush();
  const std::string name = fixture.api.all<api::Event>()[0].metadata().name();
  fixture.api.erase(resource_of<api::Event>(), "web", name);
  fixture.recorder->record(moved("api-0"));
  fixture.flush();
  const auto event = fixture.api.find<api::Event>("web", name);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->series().count(), 2);
}

TEST(EventRecorder, RepeatsAWriteAfterATransientFailure) {
  Fixture fixture;
  fixture.api.fail_calls(0, 3, kAway);
  fixture.recorder->record(moved("api-0"));
  fixture.flush();
  EXPECT_EQ(fixture.api.all<api::Event>().size(), 1u);
  EXPECT_EQ(fixture.dropped("write_failed"), 0);
}

TEST(EventRecorder, AnExistingEventAfterALostResponseCountsAsWritten) {
  Fixture fixture;
  fixture.api.fail_calls(0, 1, kAway, ScriptedApi::Effect::Done);
  fixture.recorder->record(moved("api-0"));
  fixture.flush();
  EXPECT_EQ(fixture.api.all<api::Event>().size(), 1u);
  EXPECT_EQ(fixture.written(), 1);
}

TEST(EventRecorder, GivesUpAfterFiveTriesAndCountsTheDroppedEvent) {
  Fixture fixture;
  fixture.api.fail_calls(0, 5, kAway);
  fixture.recorder->record(moved("api-0"));
  fixture.flush();
  EXPECT_EQ(fixture.api.calls().size(), 5u);
  EXPECT_EQ(fixture.dropped("write_failed"), 1);
  fixture.recorder->record(moved("api-1"));
  fixture.flush();
  EXPECT_EQ(fixture.api.all<api::Event>().size(), 1u) << "the next event has its own tries";
}

TEST(EventRecorder, DoesNotRepeatAWriteThatTheServerDenies) {
  Fixture fixture;
  fixture.api.fail_calls(0, 1, Error{Errc::Denied, "namespace is terminating", {}, 403});
  fixture.recorder->record(moved("api-0"));
  fixture.flush();
  EXPECT_EQ(fixture.api.calls().size(), 1u);
  EXPECT_EQ(fixture.dropped("write_failed"), 1);
}

TEST(EventRecorder, DropsTheOldestRecordsWhenTheQueueIsFull) {
  EventRecorderSettings settings;
  settings.queue = 3;
  Fixture fixture(settings);
  const auto busy = fixture.hold_the_loop();
  for (int i = 0; i < 10; ++i) fixture.recorder->record(moved("p" + std::to_string(i)));
  busy->count_down();
  fixture.flush();
  std::vector<std::string> about;
  for (const auto& event : fixture.api.all<api::Event>()) about.push_back(event.regarding().name());
  EXPECT_THAT(about, testing::UnorderedElementsAre("p7", "p8", "p9"));
  EXPECT_EQ(fixture.dropped("queue_full"), 7);
}

TEST(EventRecorder, RecordsOfManyThreadsAreWrittenOrCountedAsDropped) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  EventRecorderSettings settings;
  settings.queue = 64;
  Fixture fixture(settings);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&fixture, t] {
        for (int i = 0; i < kEach; ++i) fixture.recorder->record(moved("p" + std::to_string(t * kEach + i)));
      });
    }
  }
  fixture.flush();
  EXPECT_EQ(fixture.written() + fixture.dropped("queue_full"), kThreads * kEach);
  EXPECT_EQ(static_cast<double>(fixture.api.all<api::Event>().size()), fixture.written());
}

net::Task<void> run_then_open(EventRecorder& recorder, std::shared_ptr<net::Gate> gate) {
  co_await recorder.run();
  gate->open();
}

// Runs the recorder until it has called the API once.
net::Task<Result<void>> run_until_first_call(Fixture& fixture) {
  auto gate = std::make_shared<net::Gate>(fixture.time.loop.executor());
  auto job = std::make_shared<net::Job>();
  fixture.api.before_each([job](const ApiCall&) -> std::optional<Error> {
    job->cancel();
    return std::nullopt;
  });
  *job = net::spawn(fixture.time.loop.executor(), "recorder", run_then_open(*fixture.recorder, gate));
  auto ended = co_await gate->wait();
  co_return ended;
}

TEST(EventRecorder, RunWritesTheCountOfADueSeries) {
  Fixture fixture;
  for (int i = 0; i < 2; ++i) {
    fixture.recorder->record(moved("api-0"));
    fixture.flush();
  }
  fixture.recorder->record(moved("api-0"));  // only counted until the series is due
  ASSERT_TRUE(fixture.time.loop.await_result(run_until_first_call(fixture)));
  EXPECT_EQ(fixture.api.calls().size(), 3u);
  EXPECT_THAT(fixture.api.calls().back().patch, HasSubstr(R"("count":3)"));
}

TEST(EventRecorder, CanBeDestroyedWhileWritesArePending) {
  Fixture fixture;
  const auto busy = fixture.hold_the_loop();
  for (int i = 0; i < 20; ++i) fixture.recorder->record(moved("p" + std::to_string(i)));
  fixture.recorder.reset();
  busy->count_down();
}

}  // namespace
}  // namespace rescheduler::kube
