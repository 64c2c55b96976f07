// Pods are moved to better nodes; protected pods are not moved, and only the leader moves pods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core.pb.h"
#include "kube/proto/policy.pb.h"
#include "migration/proto/migration.pb.h"
#include "rescheduling/history/move_history_store.h"
#include "support/objects.h"
#include "support/rescheduler.h"

namespace rescheduler::test {
namespace {

using config::Strategy;
using config::StrategyMode;

constexpr int kReplicas = 6;

class Rescheduling : public ReschedulingTest {
 protected:
  // Six pods on one node, and two idle nodes.
  void crowd(std::string_view differs = "{}") {
    crowded_ = add_node("crowded");
    measured_ = {crowded_};
    start_scheduler();  // only places pods
    deploy("web", kReplicas, differs);
    ASSERT_TRUE(eventually([&] { return spread("web")[crowded_] == kReplicas; }));
    scheduler().stop();
    for (const char* suffix : {"idle-1", "idle-2"}) measured_.push_back(add_node(suffix));
    measure(per_pod_);
  }
  void budget(int least) {
    api::PodDisruptionBudget made;
    made.mutable_metadata()->set_namespace_(ns());
    made.mutable_metadata()->set_name("web");
    (*made.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "web";
    made.mutable_spec()->mutable_min_available()->set_type(0);
    made.mutable_spec()->mutable_min_available()->set_int_val(least);
    create(made);
    ASSERT_TRUE(eventually([&] {
      auto seen = await(client().get<api::PodDisruptionBudget>(ns(), "web"));
      return seen && seen->status().current_healthy() == kReplicas;
    }));
  }
  bool balanced() {
    const auto now = spread("web");
    int most = 0;
    for (const auto& [node, count] : now) most = std::max(most, count);
    return all_ready("web", kReplicas) && now.size() == 3 && most <= 3;
  }
  // Waits until this number of further cycles has completed.
  bool cycles_pass(TestRescheduler& at, int count) {
    const auto from = at.status().cycles;
    return eventually_measured([&] { return at.status().cycles >= from + static_cast<std::uint64_t>(count); });
  }
  // Waits until several cycles pass without a move. After the pods first look balanced, three pods on one node and one
  // on another may still be corrected.
  bool comes_to_rest(TestRescheduler& at) {
    return eventually_measured([&] {
      const auto settled = uids("web");
      return cycles_pass(at, 8) && at.status().under_way == 0 && uids("web") == settled;
    });
  }
  std::string move_history() {
    auto map = await(client().get<api::ConfigMap>(ns(), std::string(rescheduling::kMovesName)));
    return map && map->data().contains("moves") ? map->data().at("moves") : "";
  }

  std::string crowded_;
};
RESCHEDULER_ON_EVERY_CLUSTER(Rescheduling);

TEST_P(Rescheduling, PodsLeaveACrowdedNodeAndEventsHistoryAndMetricsReportTheMoves) {
  crowd();
  auto args = fast_settings();
  args.migration.deadline = std::chrono::minutes{7};
  TestRescheduler& at = start(args);
  EXPECT_TRUE(eventually_measured([&] { return balanced(); })) << testing::PrintToString(spread("web"));
  const auto migrations = await(client().list<api::Migration>(ns()));
  ASSERT_TRUE(migrations && !migrations->empty());
  for (const auto& one : *migrations) EXPECT_EQ(one->spec().deadline_seconds(), 420);
  EXPECT_TRUE(has_event_about("Deployment", "web", "Rescheduled"));
  EXPECT_TRUE(has_event_about("Node", crowded_, "Rescheduled"));
  // The status and the metrics are those of the last cycle, which may be older than the last ready pod.
  EXPECT_TRUE(eventually_measured([&] {
    return move_history().find("\"source\":\"" + crowded_ + "\"") != std::string::npos;
  })) << move_history();
  EXPECT_TRUE(eventually_measured([&] { return at.metric("rescheduler_pod_movements_total", "LoadBalancing") > 0; }));
  EXPECT_TRUE(eventually_measured([&] { return at.metric("rescheduler_load_balance_score") > 50; }))
      << at.metric("rescheduler_load_balance_score");
  EXPECT_TRUE(eventually_measured([&] { return at.metric("rescheduler_node_utilization_percent", crowded_) >= 5; }));
  EXPECT_TRUE(comes_to_rest(at));
}

TEST_P(Rescheduling, PodsThatOptOutAreNotMoved) {
  crowd(R"({"metadata": {"labels": {"scheduler.alpha.kubernetes.io/rescheduling": "disabled"}}})");
  const auto before = uids("web");
  TestRescheduler& at = start(fast_settings());
  EXPECT_TRUE(eventually_measured([&] { return at.metric("rescheduler_refusals_total", "opt-out") > 0; }));
  ASSERT_TRUE(cycles_pass(at, 5));
  EXPECT_EQ(uids("web"), before);
  EXPECT_EQ(at.evictions(), 0);
}

// Nothing would tell the other scheduler which node to avoid.
TEST_P(Rescheduling, WithoutTheWebhookPodsOfAnotherSchedulerAreNotMoved) {
  TestSchedulerSettings other;
  other.name = ns() + "-other";
  start_scheduler(other);
  crowd(R"({"spec": {"template": {"spec": {"schedulerName": ")" + other.name + R"("}}}})");
  const auto before = uids("web");
  TestRescheduler& at = start(fast_settings());
  EXPECT_TRUE(eventually_measured([&] { return at.metric("rescheduler_refusals_total", "unsteered") > 0; }));
  ASSERT_TRUE(cycles_pass(at, 5));
  EXPECT_EQ(uids("web"), before);
  EXPECT_EQ(at.evictions(), 0);
}

TEST_P(Rescheduling, AnExhaustedPodDisruptionBudgetPreventsMoves) {
  crowd();
  budget(kReplicas);
  const auto before = uids("web");
  TestRescheduler& at = start(fast_settings());
  EXPECT_TRUE(eventually_measured([&] { return at.metric("rescheduler_refusals_total", "budget-exhausted") > 0; }));
  ASSERT_TRUE(cycles_pass(at, 5));
  EXPECT_EQ(uids("web"), before);
}

TEST_P(Rescheduling, ObserveModePublishesThePlanAndMovesNoPod) {
  crowd();
  const auto before = uids("web");
  auto args = fast_settings();
  args.rescheduling.modes[Strategy::LoadBalancing] = StrategyMode::Observe;
  args.rescheduling.modes[Strategy::ResourceOptimization] = StrategyMode::Off;
  TestRescheduler& at = start(args);
  EXPECT_TRUE(eventually_measured([&] {
    const auto plan = at.status().observed;
    return plan && !plan->moves.empty();
  }));
  EXPECT_TRUE(has_event_about("Lease", "rescheduler-scheduler", "ReschedulingPlanned"));
  EXPECT_EQ(at.status().observed->moves.front().source, crowded_);
  ASSERT_TRUE(cycles_pass(at, 3));
  EXPECT_EQ(at.evictions(), 0);
  EXPECT_EQ(uids("web"), before);
}

TEST_P(Rescheduling, NoPodIsMovedWhilePausedAndPodsAreBalancedAfterResuming) {
  crowd();
  await(client().create(config_map(ns(), std::string(rescheduling::kMovesName), {{"moves", "[]"}}))).value();
  annotate_history("\"true\"");
  TestRescheduler& at = start(fast_settings());
  EXPECT_TRUE(eventually_measured([&] { return at.metric("rescheduler_brake_engaged", "paused") == 1; }));
  EXPECT_TRUE(has_event_about("Lease", "rescheduler-scheduler", "ReschedulingHeld"));
  ASSERT_TRUE(cycles_pass(at, 5));
  EXPECT_EQ(at.evictions(), 0);
  annotate_history("null");
  EXPECT_TRUE(eventually_measured([&] { return balanced(); })) << testing::PrintToString(spread("web"));
}

TEST_P(Rescheduling, LoadBalancingStopsWhileLoadSamplesAreStale) {
  crowd();
  meter_->set_failing(true);
  TestRescheduler& at = start(fast_settings());
  EXPECT_TRUE(eventually_measured([&] { return at.metric("rescheduler_brake_engaged", "stale-load") == 1; }));
  ASSERT_TRUE(cycles_pass(at, 5));
  EXPECT_EQ(at.metric("rescheduler_pod_movements_total", "LoadBalancing"), 0);
}

TEST_P(Rescheduling, OnlyTheLeaderOfTwoInstancesEvictsPods) {
  crowd();
  kube::LeaderSettings lease;
  lease.ns = ns();
  lease.name = "lease";
  lease.election.identity = "one";
  TestRescheduler& first = start(fast_settings(), lease);
  ASSERT_TRUE(eventually([&] { return first.leads(); }));
  lease.election.identity = "two";
  TestRescheduler& second = start(fast_settings(), lease);
  EXPECT_TRUE(eventually_measured([&] { return balanced(); })) << testing::PrintToString(spread("web"));
  EXPECT_GT(first.evictions(), 0);
  EXPECT_EQ(second.evictions(), 0);
  EXPECT_EQ(second.status().cycles, 0U);
}

TEST_P(Rescheduling, APodThatWasMovedBeforeARestartIsNotMovedBack) {
  crowd();
  TestRescheduler& first = start(fast_settings());
  ASSERT_TRUE(eventually_measured([&] { return balanced(); })) << testing::PrintToString(spread("web"));
  // The next leader would continue the moves that are in progress. Pausing makes sure that there are none when this one
  // stops.
  annotate_history("\"true\"");
  ASSERT_TRUE(eventually_measured(
      [&] { return first.metric("rescheduler_brake_engaged", "paused") == 1 && first.status().under_way == 0; }));
  first.stop();
  annotate_history("null");
  const auto settled = uids("web");
  // The targets of the moves are hot now and the source is idle, which invites moves back.
  per_pod_ = 45;
  std::map<std::string, double> percent;
  for (const std::string& node : measured_) percent[node] = node == crowded_ ? 10 : 95;
  meter_->set_load(percent);
  TestRescheduler& next = start(fast_settings());
  EXPECT_TRUE(eventually([&] { return next.metric("rescheduler_refusals_total", "held") > 0; }));
  const auto from = next.status().cycles;
  ASSERT_TRUE(eventually([&] { return next.status().cycles > from + 5; }));
  EXPECT_EQ(next.metric("rescheduler_pod_movements_total", "LoadBalancing"), 0);
  EXPECT_EQ(uids("web"), settled);
}

}  // namespace
}  // namespace rescheduler::test
