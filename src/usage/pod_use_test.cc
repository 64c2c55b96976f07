#include "usage/pod_use.h"

#include <cmath>

#include <gmock/gmock.h>

#include "net/event_loop.h"
#include "usage/source.h"

namespace rescheduler::usage {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

constexpr WallTime kNow{seconds{1'800'000'000}};

std::vector<std::string> names(const std::vector<PodUse>& pods) {
  std::vector<std::string> all;
  for (const PodUse& one : pods) all.push_back(one.name);
  return all;
}

TEST(SiftPods, OnlyFreshAndPlausibleValuesAreUsed) {
  const double nan = std::nan("");
  const std::vector<PodUse> all{{"shop", "good", 1, 2, kNow},
                                {"shop", "oldest", 0, 0, kNow - std::chrono::minutes{3}},
                                {"shop", "stale", 1, 2, kNow - seconds{181}},
                                {"shop", "future", 1, 2, kNow + seconds{31}},
                                {"shop", "no-cpu", nan, 2, kNow},
                                {"shop", "no-memory", 1, nan, kNow},
                                {"shop", "negative", -1, 2, kNow}};
  EXPECT_THAT(names(sift_pods(all, {}, kNow)), ElementsAre("good", "oldest"));
}

class PodSource final : public Source {
 public:
  PodSource(std::string name, Result<std::vector<PodUse>> pods) : name_(std::move(name)), pods_(std::move(pods)) {}
  std::string_view name() const override { return name_; }
  net::Task<Result<Reading>> read(NodeList, WallTime) override { co_return Reading{}; }
  net::Task<Result<std::vector<PodUse>>> read_pods() override { co_return pods_; }

 private:
  std::string name_;
  Result<std::vector<PodUse>> pods_;
};

class NodeSource final : public Source {
 public:
  std::string_view name() const override { return "file"; }
  net::Task<Result<Reading>> read(NodeList, WallTime) override { co_return Reading{}; }
};

struct ReadPods : ::testing::Test {
  Result<PodReading> read() { return loop.await_result<PodReading>(read_pods(sources, {}, kNow)); }
  void add(const std::string& name, Result<std::vector<PodUse>> pods) {
    sources.push_back(std::make_unique<PodSource>(name, std::move(pods)));
  }
  std::vector<std::unique_ptr<Source>> sources;
  net::EventLoop loop;
};

TEST_F(ReadPods, TheFirstSourceWithUsableValuesIsUsed) {
  sources.push_back(std::make_unique<NodeSource>());
  add("prometheus", fail(Errc::NotFound, "prometheus: no series of containers"));
  add("metrics-server", std::vector<PodUse>{{"shop", "a", 1, 2, kNow}, {"shop", "stale", 1, 2, WallTime{}}});
  add("other", std::vector<PodUse>{{"shop", "b", 1, 2, kNow}});
  const auto reading = read();
  ASSERT_TRUE(reading) << reading.error().message;
  EXPECT_EQ(reading->source, "metrics-server");
  EXPECT_THAT(names(reading->pods), ElementsAre("a"));
}

TEST_F(ReadPods, TheErrorHasTheReasonOfEachSource) {
  sources.push_back(std::make_unique<NodeSource>());
  add("metrics-server", std::vector<PodUse>{{"shop", "stale", 1, 2, WallTime{}}});
  const auto reading = read();
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().message, "file does not measure pods; metrics-server has no fresh value of any pod");
  sources.clear();
  EXPECT_EQ(read().error().message, "no load source measures pods");
}

}  // namespace
}  // namespace rescheduler::usage
