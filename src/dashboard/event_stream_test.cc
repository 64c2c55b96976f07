#include "dashboard/event_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/event_loop.h"
#include "net/step_loop.h"
#include "net/waiter.h"

namespace rescheduler::dashboard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Accepts writes, or blocks them until the test releases it.
class Reader final : public net::Responder {
 public:
  explicit Reader(const net::Executor& executor) : executor_(executor) {}

  net::Task<Result<void>> send(net::HttpResponse) override { co_return Result<void>{}; }
  net::Task<Result<void>> start(net::HttpResponse head) override {
    type = head.headers.get("Content-Type");
    co_return Result<void>{};
  }
  net::Task<Result<void>> write(std::string chunk) override {
    if (stuck) {
      waiter_ = std::make_unique<net::Waiter>(executor_);
      (void)co_await waiter_->wait(net::kNoDeadline);
    }
    got.push_back(std::move(chunk));
    if (gone) co_return fail(Errc::Unavailable, "the client is gone");
    co_return Result<void>{};
  }
  net::Task<Result<void>> finish() override {
    finished = true;
    co_return Result<void>{};
  }
  void abandon() noexcept override {}
  void read_on() {
    stuck = false;
    if (waiter_) waiter_->wake();
  }

  std::string type{};
  std::vector<std::string> got{};
  bool finished = false;
  bool stuck = false;
  bool gone = false;

 private:
  net::Executor executor_;
  std::unique_ptr<net::Waiter> waiter_;
};

struct EventStreamTest : testing::Test {
  net::Job add_viewer(EventStream& event_stream, Reader& reader, bool authorized = true) {
    const auto allowed = [](bool is) -> net::Task<bool> { co_return is; };
    auto job = net::spawn(loop.executor(), "viewer",
                          event_stream.serve("{}", [allowed, authorized] { return allowed(authorized); }, reader));
    loop.poll();
    return job;
  }
  net::StepLoop loop;
};

TEST_F(EventStreamTest, ANewViewerReceivesHelloAndThenTheFollowingEvents) {
  EventStream event_stream(loop.executor());
  event_stream.publish("news", R"({"before":1})");
  Reader reader(loop.executor());
  auto job = add_viewer(event_stream, reader);
  event_stream.publish("nodes", R"({"rows":[]})");
  event_stream.publish("news", R"({"lines":[]})");
  loop.poll();
  EXPECT_EQ(reader.type, "text/event-stream; charset=utf-8");
  EXPECT_THAT(reader.got, ElementsAre("event: hello\ndata: {}\n\n",
                                      "event: nodes\ndata: {\"rows\":[]}\n\nevent: news\ndata: {\"lines\":[]}\n\n"));
  event_stream.close();
  loop.poll();
  EXPECT_TRUE(reader.finished);
  EXPECT_TRUE(job.done());
  EXPECT_EQ(event_stream.viewers(), 0u);
}

TEST_F(EventStreamTest, AViewerThatDoesNotReadIsDroppedWithoutAnEffectOnOthers) {
  EventStreamSettings settings;
  settings.most_backlog = 1000;
  EventStream event_stream(loop.executor(), settings);
  Reader slow(loop.executor());
  Reader quick(loop.executor());
  slow.stuck = true;
  auto lost = add_viewer(event_stream, slow);
  auto kept = add_viewer(event_stream, quick);
  for (int i = 0; i < 50; ++i) {
    event_stream.publish("news", std::string(100, 'x'));
    loop.poll();
  }
  slow.read_on();
  loop.poll();
  EXPECT_TRUE(lost.done());
  EXPECT_FALSE(slow.finished) << "the connection is cut, so the page knows that it missed events";
  EXPECT_LE(slow.got.size(), 2u);
  EXPECT_FALSE(kept.done());
  EXPECT_EQ(quick.got.size(), 51u);
  event_stream.close();
  loop.poll();
}

TEST_F(EventStreamTest, AViewerThatHasDisconnectedIsRemoved) {
  EventStream event_stream(loop.executor());
  Reader reader(loop.executor());
  reader.gone = true;
  auto job = add_viewer(event_stream, reader);
  EXPECT_TRUE(job.done());
  EXPECT_EQ(event_stream.viewers(), 0u);
}

TEST_F(EventStreamTest, HeartbeatsAreSentAndAViewerThatLosesItsPermissionIsDropped) {
  EventStreamSettings settings;
  settings.heartbeat = std::chrono::milliseconds{1};
  EventStream event_stream(loop.executor(), settings);
  Reader authorized(loop.executor());
  Reader unauthorized(loop.executor());
  auto stays = add_viewer(event_stream, authorized);
  auto leaves = add_viewer(event_stream, unauthorized, false);
  while (!leaves.done() || authorized.got.size() < 2) loop.run_one();
  EXPECT_THAT(authorized.got.back(), HasSubstr(": still here"));
  EXPECT_EQ(unauthorized.got.size(), 1u);
  event_stream.close();
  while (!stays.done()) loop.run_one();
}

TEST_F(EventStreamTest, AViewerThatLosesItsPermissionIsDroppedWhileEventsArriveWithoutAPause) {
  EventStreamSettings settings;
  settings.heartbeat = std::chrono::milliseconds{1};
  EventStream event_stream(loop.executor(), settings);
  Reader reader(loop.executor());
  auto job = add_viewer(event_stream, reader, false);
  for (const SteadyTime end = net::deadline_after(std::chrono::seconds{5});
       net::deadline_after({}) < end && !job.done();) {
    event_stream.publish("nodes", "{}");
    loop.poll();
  }
  EXPECT_TRUE(job.done());
  EXPECT_EQ(event_stream.viewers(), 0u);
}

TEST_F(EventStreamTest, TheNumberOfViewersIsLimited) {
  EventStreamSettings settings;
  settings.most_viewers = 1;
  EventStream event_stream(loop.executor(), settings);
  EXPECT_FALSE(event_stream.full());
  Reader reader(loop.executor());
  auto job = add_viewer(event_stream, reader);
  EXPECT_TRUE(event_stream.full());
  event_stream.close();
  loop.poll();
}

}  // namespace
}  // namespace rescheduler::dashboard
