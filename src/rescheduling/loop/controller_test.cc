// The control loop: how a plan is carried out, what stops it, and how many API requests a cycle needs.
#include "rescheduling/loop/controller.h"

#include <algorithm>
#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "cluster/feed.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "net/event_loop.h"
#include "rescheduling/planning/plan_testing.h"
#include "support/scripted_api.h"

namespace rescheduler::rescheduling {
namespace {

using config::StrategyMode;
using testing::changed;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kNow;
using testing::running;
using testing::Strategy;

// Records the moves that it begins; the test ends them.
class ManualMigrator final : public migration::Migrator {
 public:
  void begin(migration::MoveRequest request) override {
    begun.push_back(request.pod);
    live.push_back(std::move(request));
  }
  std::vector<migration::MoveRequest> under_way() const override { return live; }
  void on_outcome(std::function<void(const migration::MoveOutcome&)> listener) override {
    listener_ = std::move(listener);
  }

  void end_first() {
    migration::MoveOutcome outcome;
    outcome.request = live.front();
    outcome.result = migration::MoveResult::Succeeded;
    outcome.began = outcome.ended = WallTime{std::chrono::seconds{kNow}};
    live.erase(live.begin());
    listener_(outcome);
  }

  std::vector<std::string> begun;
  std::vector<migration::MoveRequest> live;

 private:
  std::function<void(const migration::MoveOutcome&)> listener_;
};

class ControllerTest : public ::testing::Test {
 protected:
  ControllerTest() {
    args_.load.sources.clear();  // nodes are judged by requests, which are always fresh
    args_.rescheduling.interval = std::chrono::hours{24};
    for (const char* name : {"a", "b"}) upsert(ready_node(name));
    for (int i = 0; i < 4; ++i) upsert(running(fmt::format("web-{}", i)).requests("100m", "1Gi").on("a"));
  }
  ~ControllerTest() override {
    (void)loop_.await_result(stopped());
    on_loop([this] { controller_.reset(); });
  }

  void lead() {
    ControllerSettings settings;
    settings.args = std::make_shared<config::ReschedulerSettings>(args_);
    settings.debounce = std::chrono::nanoseconds{0};
    settings.cluster = [this]() -> net::Task<std::unique_ptr<cluster::Cluster>> {
      co_return std::make_unique<cluster::Cluster>(model_);
    };
    if (pods_) {
      settings.pod_usage = [this]() -> net::Task<Result<std::vector<usage::PodUse>>> { co_return *pods_; };
      settings.reservations.expect = [this](usage::WorkloadUsagesPtr usages) { expected_ = std::move(usages); };
    }
    settings.planner = [this](const Snapshot&, const PlanRequest&) {
      if (plans_.empty()) return usual_plan_;
      Plan plan = std::move(plans_.front());
      plans_.pop_front();
      return plan;
    };
    on_loop([&] {
      auto made = Controller::make({&api_, &api_, nullptr}, std::move(settings), migrator_, services());
      RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
      controller_ = std::move(*made);
      for (const kube::ObjectPtr& object : seen_) controller_->upsert(object);
      controller_->lead();
    });
    cycle();
  }
  // Runs a whole cycle and its follow-up: the next cycle begins only afterwards.
  void cycle() {
    for (int i = 0; i < 2; ++i) {
      std::uint64_t before = 0;
      on_loop([&] {
        before = controller_->status().cycles;
        controller_->run_soon("requested by the test");
      });
      ASSERT_TRUE(eventually([&] { return controller_->status().cycles > before; }));
    }
  }
  void end_first() {
    on_loop([this] { migrator_.end_first(); });
    cycle();
  }
  std::vector<std::string> begun() {
    std::vector<std::string> all;
    on_loop([&] { all = migrator_.begun; });
    return all;
  }
  std::vector<std::string> requests() {
    std::vector<std::string> all;
    on_loop([&] {
      for (const auto& call : api_.calls()) all.push_back(call.text);
    });
    return all;
  }
  std::uint64_t cycles() {
    std::uint64_t count = 0;
    on_loop([&] { count = controller_->status().cycles; });
    return count;
  }

  template <class Builder>
  void upsert(const Builder& builder) {
    auto object = std::make_shared<std::remove_cvref_t<decltype(builder.get())>>(builder.get());
    seen_.push_back(object);
    if (!controller_) {
      cluster::apply(*object, cluster::FeedAction::Upsert, model_);
      return;
    }
    on_loop([&] {
      cluster::apply(*object, cluster::FeedAction::Upsert, model_);
      controller_->upsert(object);
    });
  }
  static testing::NodeBuilder ready_node(const std::string& name) {
    return cluster::testing::node(name).condition("Ready", "True");
  }
  // Plans a move of each pod from a to b, each in its own step. The next cycle gets the plan.
  void plan_steps(const std::vector<std::string>& pods) {
    on_loop([&] { plans_.push_back(plan_of(pods, Strategy::LoadBalancing)); });
  }
  static Plan plan_of(const std::vector<std::string>& pods, Strategy strategy) {
    Plan plan;
    plan.id = "plan-" + pods.front();
    for (const std::string& pod : pods) {
      PlannedMove move;
      move.ns = "default";
      move.pod = move.uid = pod;
      move.lineage = {"ReplicaSet", "default", "web", "web"};
      move.source = "a";
      move.target = "b";
      move.strategy = strategy;
      move.step = static_cast<std::uint32_t>(plan.moves.size()) + 1;
      plan.moves.push_back(std::move(move));
    }
    return plan;
  }
  void pods_wait(bool waiting) {
    for (const char* name : {"new-0", "new-1", "new-2"}) {
      upsert(changed(running(name).get(),
                     [&](api::Pod& pod) { pod.mutable_status()->set_phase(waiting ? "Pending" : "Succeeded"); }));
    }
  }

  void on_loop(const std::function<void()>& action) { (void)loop_.await_result(run_action(action)); }
  bool eventually(const std::function<bool()>& condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    for (bool holds = false;;) {
      on_loop([&] { holds = condition(); });
      if (holds || std::chrono::steady_clock::now() > limit) return holds;
    }
  }
  Controller& controller() { return *controller_; }
  kube::LoopServices services() { return {loop_.executor(), &timers_, &clock_, &rng_, &metrics_}; }

  config::ReschedulerSettings args_;
  test::ScriptedApi api_;
  ManualMigrator migrator_;
  Plan usual_plan_;                                 // of a cycle for which no plan is queued
  std::optional<std::vector<usage::PodUse>> pods_;  // their measured usage; nothing: not measured
  usage::WorkloadUsagesPtr expected_;               // as the scheduler gets it

 private:
  static net::Task<Result<void>> run_action(std::function<void()> action) {
    action();
    co_return Result<void>{};
  }
  net::Task<Result<void>> stopped() {
    if (controller_) co_await controller_->stop();
    co_return Result<void>{};
  }

  ManualClock clock_{WallTime{std::chrono::seconds{kNow}}};
  net::RealTimers timers_;
  Rng rng_{11};
  MetricRegistry metrics_;
  std::deque<Plan> plans_;
  std::vector<kube::ObjectPtr> seen_;
  cluster::Cluster model_;  // as the scheduler keeps it
  net::EventLoop loop_;
  std::unique_ptr<Controller> controller_;
};

TEST_F(ControllerTest, AStepBeginsWhenThePreviousStepIsOver) {
  plan_steps({"web-0", "web-1"});
  lead();
  EXPECT_THAT(begun(), ElementsAre("web-0"));
  cycle();
  EXPECT_THAT(begun(), ElementsAre("web-0"));
  end_first();
  EXPECT_THAT(begun(), ElementsAre("web-0", "web-1"));
}

TEST_F(ControllerTest, ABrakeThatBecomesActiveDuringAPlanEndsThePlan) {
  plan_steps({"web-0", "web-1", "web-2"});
  lead();
  ASSERT_THAT(begun(), ElementsAre("web-0"));
  pods_wait(true);
  cycle();
  end_first();
  EXPECT_THAT(begun(), ElementsAre("web-0")) << "too many pods are pending";
  pods_wait(false);
  cycle();
  EXPECT_THAT(begun(), ElementsAre("web-0")) << "the plan was made for an earlier state of the cluster";
  plan_steps({"web-3"});
  cycle();
  EXPECT_THAT(begun(), ElementsAre("web-0", "web-3")) << "a new plan begins";
}

TEST_F(ControllerTest, AZoneThatFailsDuringAPlanEndsThePlan) {
  for (const char* name : {"c", "d", "e"}) upsert(ready_node(name));
  plan_steps({"web-0", "web-1"});
  lead();
  ASSERT_THAT(begun(), ElementsAre("web-0"));
  for (const char* name : {"c", "d", "e"}) upsert(cluster::testing::node(name).condition("Ready", "False"));
  cycle();
  end_first();
  EXPECT_THAT(begun(), ElementsAre("web-0"));
}

TEST_F(ControllerTest, APlanEndsIfTheMoveHistoryCannotBeRead) {
  plan_steps({"web-0", "web-1"});
  lead();
  on_loop([this] {
    api_.before_each([](const kube::ApiCall& call) -> std::optional<Error> {
      if (call.verb != kube::Verb::Get) return std::nullopt;
      return Error{Errc::Unavailable, "away"};
    });
  });
  cycle();
  on_loop([this] { api_.before_each({}); });
  end_first();
  EXPECT_THAT(begun(), ElementsAre("web-0"));
}

// Every batch reaches the cap on concurrent moves. If the plan ended there, it would never be completed.
TEST_F(ControllerTest, AReachedCapDelaysThePlanAndDoesNotEndIt) {
  args_.rescheduling.brakes.at_once.total = 1;
  plan_steps({"web-0", "web-1"});
  lead();
  cycle();
  EXPECT_THAT(begun(), ElementsAre("web-0"));
  end_first();
  EXPECT_THAT(begun(), ElementsAre("web-0", "web-1"));
}

TEST_F(ControllerTest, AnObservedPlanThatDrainsANodeIsAppliedOutsideTheTimeWindows) {
  const auto minute = static_cast<std::uint16_t>(kNow / 60 % (24 * 60));
  const auto later = [&](int by) { return static_cast<std::uint16_t>((minute + by) % (24 * 60)); };
  args_.rescheduling.windows = {{.days = 0x7f, .from = later(120), .to = later(180)}};
  for (const Strategy strategy : config::kStrategies) args_.rescheduling.modes[strategy] = StrategyMode::Observe;
  lead();
  const auto apply = [this](Strategy strategy) {
    on_loop([&] { usual_plan_ = plan_of({"web-0"}, strategy); });
    cycle();
    Result<void> applied;
    on_loop([&] { applied = controller().apply_observed("plan-web-0"); });
    return applied;
  };
  const auto balanced = apply(Strategy::LoadBalancing);
  ASSERT_FALSE(balanced);
  EXPECT_THAT(balanced.error().message, ::testing::HasSubstr("window"));
  const auto drained = apply(Strategy::NodeMaintenance);
  EXPECT_TRUE(drained) << drained.error().message;
}

TEST_F(ControllerTest, SwitchingAStrategyOffEndsItsPlan) {
  plan_steps({"web-0", "web-1"});
  lead();
  on_loop([this] { controller().set_mode(Strategy::LoadBalancing, StrategyMode::Off); });
  end_first();
  EXPECT_THAT(begun(), ElementsAre("web-0"));
}

TEST_F(ControllerTest, AMoveToATargetThatIsNoLongerReadyDoesNotBegin) {
  plan_steps({"web-0", "web-1"});
  lead();
  upsert(cluster::testing::node("b").condition("Ready", "Unknown"));
  end_first();
  EXPECT_THAT(begun(), ElementsAre("web-0"));
}

TEST_F(ControllerTest, AMoveThatCannotBeRecordedDoesNotBegin) {
  plan_steps({"web-0"});
  api_.before_each([](const kube::ApiCall& call) -> std::optional<Error> {
    if (call.verb != kube::Verb::Update) return std::nullopt;
    return Error{Errc::Unavailable, "away"};
  });
  lead();
  EXPECT_THAT(begun(), IsEmpty());
}

TEST_F(ControllerTest, TheMeasuredUsageOfPodsBecomesTheExpectedUsageOfTheirWorkload) {
  const api::Pod pod = running("web-0").get();
  pods_.emplace();
  for (int i = 0; i < 2; ++i) {
    pods_->push_back({pod.metadata().namespace_(), fmt::format("web-{}", i), 1.0 + i, 1e9, WallTime{}});
  }
  lead();
  usage::WorkloadUsagesPtr seen;
  on_loop([&] { seen = expected_; });
  ASSERT_TRUE(seen);
  ASSERT_EQ(seen->size(), 1u);
  EXPECT_NEAR(seen->begin()->second.milli_cpu, 1500, 1e-6) << "the mean of both pods";
}

// --- Cost ---

TEST_F(ControllerTest, ACycleWithAnEmptyPlanReadsTheMoveHistoryAndWritesNothing) {
  lead();
  const std::size_t asked = requests().size();
  const std::uint64_t before = cycles();
  for (int i = 0; i < 5; ++i) cycle();
  std::vector<std::string> since = requests();
  since.erase(since.begin(), since.begin() + static_cast<std::ptrdiff_t>(asked));
  EXPECT_THAT(since, Each("get configmaps kube-system/rescheduler-moves"));
  // The last cycle can still be in progress.
  EXPECT_GE(since.size() + 1, cycles() - before);
  EXPECT_LE(since.size(), cycles() - before + 1);
}

TEST_F(ControllerTest, AMoveIsRecordedOnceWhenItBeginsAndOnceWhenItEnds) {
  const auto writes = [this] {
    const auto all = requests();
    return std::ranges::count(all, "update configmaps kube-system/rescheduler-moves");
  };
  plan_steps({"web-0", "web-1"});
  lead();
  EXPECT_EQ(writes(), 1);
  end_first();
  EXPECT_EQ(writes(), 2) << "one write records the end of the first move and the beginning of the second";
  end_first();
  EXPECT_EQ(writes(), 3);
}

}  // namespace
}  // namespace rescheduler::rescheduling
