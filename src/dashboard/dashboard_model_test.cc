#include "dashboard/dashboard_model.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dashboard/testing.h"
#include "migration/proto/migration.pb.h"
#include "net/event_loop.h"
#include "net/step_loop.h"

namespace rescheduler::dashboard {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;

// Records what a viewer receives.
class Listener final : public net::Responder {
 public:
  net::Task<Result<void>> send(net::HttpResponse) override { co_return Result<void>{}; }
  net::Task<Result<void>> start(net::HttpResponse) override { co_return Result<void>{}; }
  net::Task<Result<void>> write(std::string chunk) override {
    published += chunk;
    co_return Result<void>{};
  }
  net::Task<Result<void>> finish() override { co_return Result<void>{}; }
  void abandon() noexcept override {}
  std::string published{};
};

struct DashboardModelTest : testing::Test {
  DashboardModelTest() {
    DashboardSources sources;
    sources.status = [this] { return &status; };
    sources.modes = [] {
      return std::vector<std::pair<config::Strategy, config::StrategyMode>>{
          {config::Strategy::LoadBalancing, config::StrategyMode::Observe}};
    };
    model.set_sources(std::move(sources));
    net::spawn(loop.executor(), "viewer", event_stream.serve(model.hello(), {}, listener));
    loop.poll();
  }
  ~DashboardModelTest() override {
    event_stream.close();
    loop.poll();
  }
  template <class T>
  void upsert(const T& object) {
    model.upsert(std::make_shared<const T>(object));
  }
  std::string published() {
    listener.published.clear();
    model.tick();
    loop.poll();
    return listener.published;
  }
  static api::Migration moving(const std::string& phase) {
    api::Migration made;
    made.mutable_metadata()->set_namespace_("shop");
    made.mutable_metadata()->set_name("web-1");
    made.mutable_metadata()->mutable_creation_timestamp()->set_seconds(1'700'000'000);
    made.mutable_spec()->set_pod("web");
    made.mutable_spec()->set_source("a");
    made.mutable_spec()->set_target("b");
    made.mutable_status()->set_phase(phase);
    if (phase == "Succeeded") made.mutable_status()->set_result("Succeeded");
    return made;
  }

  net::StepLoop loop;
  ManualClock clock{kNow};
  EventStream event_stream{loop.executor()};
  Listener listener;
  rescheduling::ControllerStatus status;
  DashboardModel model{clock, event_stream, {.cluster = "test", .boot = "1"}};
};

TEST_F(DashboardModelTest, ManyChangesArePublishedInOneEventAndNothingIsPublishedTwice) {
  upsert(node("a", "4", "8Gi"));
  for (int i = 0; i < 100; ++i) upsert(pod("shop", fmt::format("web-{}", i), "a", "10m", "1Mi"));
  const std::string first = published();
  EXPECT_THAT(first, HasSubstr("event: nodes\ndata: {\"revision\":1,\"rows\":[[\"a\""));
  EXPECT_EQ(first.find("event: nodes"), first.rfind("event: nodes"));
  EXPECT_THAT(first, HasSubstr("event: overview"));
  EXPECT_EQ(published(), "");
}

TEST_F(DashboardModelTest, TheOverviewShowsTheActiveBrakesAndTheModeOfEachStrategy) {
  status.cycles = 1;
  status.holding = {{rescheduling::Brake::Paused, std::nullopt, "paused by annotation"}};
  status.paused = rescheduling::Pause{"ann", "2024-01-01T00:00:00Z", "a release"};
  const auto read = json::parse(model.overview());
  EXPECT_EQ(read.at("brakes").at(0).at("name").as_string(), "paused");
  EXPECT_EQ(read.at("paused").at("by").as_string(), "ann");
  EXPECT_EQ(read.at("strategies").at(0).at("mode").as_string(), "observe");
  EXPECT_TRUE(read.at("api").at("reachable").as_bool());
  EXPECT_TRUE(read.at("balance").at("score").is_null()) << "the balance is not known yet";
  EXPECT_THAT(published(), HasSubstr("held: paused by annotation"));
}

TEST_F(DashboardModelTest, AnUnreachableApiServerIsShownUntilItIsReachableAgain) {
  model.api_unreachable("connection refused");
  clock.advance(std::chrono::minutes{1});
  model.api_unreachable("timed out");
  const auto lost = json::parse(model.overview());
  EXPECT_FALSE(lost.at("api").at("reachable").as_bool());
  EXPECT_EQ(lost.at("api").at("problem").as_string(), "timed out");
  EXPECT_EQ(lost.at("api").at("since").as_string(), "2023-11-14T22:13:20Z") << "the time of the first failure";
  EXPECT_THAT(published(), HasSubstr("\"reachable\":false"));
  model.api_reachable();
  EXPECT_THAT(published(), HasSubstr("\"reachable\":true"));
}

TEST_F(DashboardModelTest, AMigrationIsPublishedWithItsPhaseAndCountedOnce) {
  model.migration(moving("Evicting"), false);
  EXPECT_THAT(published(), HasSubstr("\"phase\":\"Evicting\",\"over\":false"));
  EXPECT_EQ(json::parse(model.overview()).at("moves").at("underWay").to_number<int>(), 1);
  model.migration(moving("Succeeded"), false);
  model.migration(moving("Succeeded"), false);
  EXPECT_THAT(published(), HasSubstr("shop/web has moved from a to b"));
  const auto moves = json::parse(model.overview()).at("moves");
  EXPECT_EQ(moves.at("underWay").to_number<int>(), 0);
  EXPECT_EQ(moves.at("succeeded").to_number<int>(), 1);
  model.migration(moving("Succeeded"), true);
  EXPECT_THAT(published(), HasSubstr(R"("gone":[{"namespace":"shop","name":"web-1"}])"));
  EXPECT_EQ(model.migrations(), R"({"migrations":[]})");
}

TEST_F(DashboardModelTest, APodShowsWhyThePlanDoesNotMoveIt) {
  upsert(node("a", "4", "8Gi"));
  upsert(pod("shop", "db", "a", "1", "1Gi"));
  upsert(pod("shop", "web", "a", "1", "1Gi"));
  auto plan = std::make_shared<rescheduling::Plan>();
  plan->refused.push_back({"shop", "db", "a", "opt-out", "the pod has opted out"});
  status.observed = plan;
  const auto read = json::parse(*model.node("a"));
  EXPECT_FALSE(read.at("pods").at(0).at("movable").at("allowed").as_bool());
  EXPECT_EQ(read.at("pods").at(0).at("movable").at("reason").as_string(), "the pod has opted out");
  EXPECT_TRUE(read.at("pods").at(1).at("movable").is_null());
  EXPECT_FALSE(model.node("b"));
}

TEST_F(DashboardModelTest, AMarkedNodeIsWaitingUntilItsDrainBegins) {
  auto marked = node("a", "4", "8Gi");
  (*marked.mutable_metadata()->mutable_labels())["rescheduler.io/maintenance"] = "true";
  upsert(marked);
  EXPECT_THAT(model.maintenance(), HasSubstr(R"("state":"waiting")"));
  status.drains["a"] = {.total = 4, .left = 1, .eta = std::chrono::seconds{30}};
  EXPECT_EQ(
      model.maintenance(),
      R"({"nodes":[{"node":"a","state":"draining","total":4,"left":1,"etaSeconds":30,"blockers":[],"staying":[]}]})");
  status.drains["a"].drained = true;
  EXPECT_THAT(published(), HasSubstr(R"("state":"drained")"));
}

TEST_F(DashboardModelTest, AnnotationsOfPodsAndNodesAreNotServed) {
  upsert(node("a", "4", "8Gi"));
  auto one = pod("shop", "web", "a", "1", "1Gi");
  (*one.mutable_metadata()->mutable_annotations())["token"] = "s3cret";
  upsert(one);
  auto holder = node("b", "4", "8Gi");
  (*holder.mutable_metadata()->mutable_annotations())["token"] = "s3cret";
  upsert(holder);
  for (const std::string& text :
       {*model.node("a"), *model.node("b"), model.pods({}), model.nodes(), model.overview()}) {
    EXPECT_THAT(text, Not(HasSubstr("s3cret")));
  }
}

TEST_F(DashboardModelTest, HistoryIsSampledAtItsIntervalAndCountsTheMovesInBetween) {
  EXPECT_THAT(published(), HasSubstr("event: history"));
  EXPECT_THAT(published(), Not(HasSubstr("event: history")));
  model.migration(moving("Succeeded"), false);
  clock.advance(std::chrono::seconds{10});
  EXPECT_THAT(published(), HasSubstr("\"moves\":1}"));
  const auto read = json::parse(model.history(std::chrono::minutes{5}));
  EXPECT_EQ(read.at("at").as_array().size(), 2u);
  EXPECT_EQ(json::parse(model.history(std::chrono::minutes{0})).at("at").as_array().size(), 1u);
}

TEST_F(DashboardModelTest, HostileTextStaysTextInJsonAndNeverBecomesAnotherEvent) {
  const std::string nasty = "x\n\nevent: nodes\ndata: {}\n\n</script>\u202e\"";
  model.add_activity({.kind = "action", .text = nasty});
  const std::string update = published();
  EXPECT_THAT(update, Not(HasSubstr("\nevent: nodes")));
  EXPECT_EQ(json::parse(model.activity(1)).at("lines").at(0).at("text").as_string(), nasty);
}

}  // namespace
}  // namespace rescheduler::dashboard
