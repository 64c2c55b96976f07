#include "dashboard/feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/event_loop.h"
#include "net/step_loop.h"
#include "net/waiter.h"

namespace rescheduler::dashboard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Takes what is written, or does not until it is told to.
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

struct FeedTest : testing::Test {
  net::Job look(Feed& feed, Reader& reader, bool welcome = true) {
    const auto allowed = [](bool is) -> net::Task<bool> { co_return is; };
    auto job = net::spawn(loop.executor(), "viewer",
                          feed.serve("{}", [allowed, welcome] { return allowed(welcome); }, reader));
    loop.poll();
    return job;
  }
  net::StepLoop loop;
};

TEST_F(FeedTest, WhoComesIsGreetedAndThenToldWhatHappens) {
  Feed feed(loop.executor());
  feed.publish("news", R"({"before":1})");
  Reader reader(loop.executor());
  auto job = look(feed, reader);
  feed.publish("nodes", R"({"rows":[]})");
  feed.publish("news", R"({"lines":[]})");
  loop.poll();
  EXPECT_EQ(reader.type, "text/event-stream; charset=utf-8");
  EXPECT_THAT(reader.got, ElementsAre("event: hello\ndata: {}\n\n",
                                      "event: nodes\ndata: {\"rows\":[]}\n\nevent: news\ndata: {\"lines\":[]}\n\n"));
  feed.close();
  loop.poll();
  EXPECT_TRUE(reader.finished);
  EXPECT_TRUE(job.done());
  EXPECT_EQ(feed.viewers(), 0u);
}

TEST_F(FeedTest, WhoDoesNotReadIsDroppedAndTheOthersDoNotNotice) {
  FeedSettings settings;
  settings.most_backlog = 1000;
  Feed feed(loop.executor(), settings);
  Reader slow(loop.executor());
  Reader quick(loop.executor());
  slow.stuck = true;
  auto lost = look(feed, slow);
  auto kept = look(feed, quick);
  for (int i = 0; i < 50; ++i) {
    feed.publish("news", std::string(100, 'x'));
    loop.poll();
  }
  slow.read_on();
  loop.poll();
  EXPECT_TRUE(lost.done());
  EXPECT_FALSE(slow.finished) << "the connection breaks off, so the page knows that it missed something";
  EXPECT_LE(slow.got.size(), 2u);
  EXPECT_FALSE(kept.done());
  EXPECT_EQ(quick.got.size(), 51u);
  feed.close();
  loop.poll();
}

TEST_F(FeedTest, WhoIsGoneIsForgotten) {
  Feed feed(loop.executor());
  Reader reader(loop.executor());
  reader.gone = true;
  auto job = look(feed, reader);
  EXPECT_TRUE(job.done());
  EXPECT_EQ(feed.viewers(), 0u);
}

TEST_F(FeedTest, SilenceIsFilledAndEndsForWhoMayNotLookAnyMore) {
  FeedSettings settings;
  settings.heartbeat = std::chrono::milliseconds{1};
  Feed feed(loop.executor(), settings);
  Reader welcome(loop.executor());
  Reader unwelcome(loop.executor());
  auto stays = look(feed, welcome);
  auto leaves = look(feed, unwelcome, false);
  while (!leaves.done() || welcome.got.size() < 2) loop.run_one();
  EXPECT_THAT(welcome.got.back(), HasSubstr(": still here"));
  EXPECT_EQ(unwelcome.got.size(), 1u);
  feed.close();
  while (!stays.done()) loop.run_one();
}

TEST_F(FeedTest, ThereIsAnEndToHowManyMayLook) {
  FeedSettings settings;
  settings.most_viewers = 1;
  Feed feed(loop.executor(), settings);
  EXPECT_FALSE(feed.full());
  Reader reader(loop.executor());
  auto job = look(feed, reader);
  EXPECT_TRUE(feed.full());
  feed.close();
  loop.poll();
}

}  // namespace
}  // namespace rescheduler::dashboard
