// The state that the scheduler keeps between decisions: where the next search starts, and the nominations.
#include "scheduler/scheduler.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics.h"
#include "cluster/testing.h"
#include "cluster/testing/storage_objects.h"
#include "config/read.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::scheduler {
namespace {

using cluster::testing::node;
using cluster::testing::NodeBuilder;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using testing::AllOf;
using testing::Ge;
using testing::Lt;
using testing::Ne;

WallTime at_second(int seconds) { return WallTime{std::chrono::seconds{1'700'000'000 + seconds}}; }

class SchedulerFixture : public testing::Test {
 protected:
  void start(int percentage_of_nodes_to_score = 100) {
    SchedulerSettings settings;
    settings.profiles = config::default_configuration(config::default_catalog()).placing();
    settings.percentage_of_nodes_to_score = percentage_of_nodes_to_score;
    auto made = Scheduler::make(settings, metrics_, at_second(0));
    ASSERT_TRUE(made) << made.error().message;
    scheduler_ = std::move(*made);
  }
  void upsert(const NodeBuilder& node) {
    scheduler_->upsert(std::make_shared<const api::Node>(node.get()), at_second(0));
  }
  void upsert(const PodBuilder& pod) {
    auto object = std::make_shared<api::Pod>(pod.get());
    object->mutable_spec()->set_scheduler_name(config::kDefaultSchedulerName);
    scheduler_->upsert(std::shared_ptr<const api::Pod>(std::move(object)), at_second(0));
  }
  std::vector<SchedulingAction> decide() { return scheduler_->decide_next(at_second(1)); }
  // Binds the next pod; returns its node.
  std::string bound_to() {
    const auto actions = decide();
    const auto* bind = actions.empty() ? nullptr : std::get_if<BindAction>(&actions.front());
    return bind == nullptr ? "" : bind->node;
  }
  std::string nominated_to(const std::string& uid) const {
    const std::string* node = scheduler_->nominator().node_of(uid);
    return node == nullptr ? "" : *node;
  }

  MetricRegistry metrics_;
  std::unique_ptr<Scheduler> scheduler_;
};

// --- Start of the search ---

class PartialNodeSearch : public SchedulerFixture {
 protected:
  // A search stops after half of the nodes, but not before it has found 100 nodes.
  void SetUp() override { start(50); }
  void add_nodes(int count, const std::function<void(int, NodeBuilder&)>& differs = [](int, NodeBuilder&) {}) {
    for (int i = 0; i < count; ++i) {
      NodeBuilder one = node("n" + std::to_string(i));
      differs(i, one);
      upsert(one);
    }
  }
  void add_pod(PodBuilder one) { upsert(one.requests("1", "1Gi")); }
  int number_bound_to() {
    const std::string name = bound_to();
    return name.empty() ? -1 : std::stoi(name.substr(1));
  }
};

TEST_F(PartialNodeSearch, StartsAfterTheLastNodeOfThePreviousSearch) {
  add_nodes(200);
  for (int i = 0; i < 4; ++i) add_pod(pod("p" + std::to_string(i)));
  EXPECT_THAT(number_bound_to(), Lt(100));
  EXPECT_THAT(number_bound_to(), AllOf(Ge(100), Lt(200)));
  EXPECT_THAT(number_bound_to(), AllOf(Ge(0), Lt(100)));
  EXPECT_THAT(number_bound_to(), AllOf(Ge(100), Lt(200)));
}

TEST_F(PartialNodeSearch, StartsAfterAllNodesThatThePreviousSearchVisitedIncludingRejectedNodes) {
  // The first search rejects 0-99 and finds 100-249. The second continues with 250-299, then from the start 100-199.
  add_nodes(300, [](int i, NodeBuilder& one) {
    if (i < 100) one.cordoned();
    if (i == 210) one.cpu("64").memory("512Gi");
  });
  add_pod(pod("first"));
  add_pod(pod("second"));
  EXPECT_EQ(number_bound_to(), 210) << "the node with the most free resources";
  EXPECT_THAT(number_bound_to(), AllOf(Ge(100), Ne(210))) << "the second search does not visit node 210";
}

TEST_F(PartialNodeSearch, KeepsItsStartWhenThePodFitsOnItsNominatedNode) {
  // Only a search that starts at 0 skips the large node.
  add_nodes(200, [](int i, NodeBuilder& one) {
    if (i == 100) one.cpu("64").memory("512Gi");
  });
  add_pod(pod("nominated").nominated("n5").priority(10));
  add_pod(pod("other"));
  EXPECT_EQ(number_bound_to(), 5);
  EXPECT_THAT(number_bound_to(), AllOf(Ge(0), Lt(100)));
}

// --- Nominations ---

class Nominations : public SchedulerFixture {
 protected:
  void SetUp() override { start(); }
  static PodBuilder large(const std::string& name, int priority) {
    return pod(name).requests("2", "1Gi").priority(priority);
  }
  // The StatusAction for this pod.
  static const StatusAction* report_of(const std::vector<SchedulingAction>& actions, const std::string& name) {
    for (const SchedulingAction& action : actions) {
      const auto* report = std::get_if<StatusAction>(&action);
      if (report != nullptr && report->pod->metadata().name() == name) return report;
    }
    return nullptr;
  }
};

TEST_F(Nominations, ANominationIsClearedWhenAPodOfHigherPriorityIsNominatedForTheNode) {
  upsert(node("n").cpu("2"));
  upsert(large("victim", 0).on("n"));
  upsert(large("lesser", 5));
  ASSERT_EQ(decide().size(), 2U);
  ASSERT_EQ(nominated_to("uid-lesser"), "n");
  upsert(large("urgent", 10));
  const auto actions = decide();
  EXPECT_EQ(nominated_to("uid-urgent"), "n");
  EXPECT_EQ(nominated_to("uid-lesser"), "") << "the nomination of the pod with lower priority is cleared";
  const StatusAction* cleared = report_of(actions, "lesser");
  ASSERT_NE(cleared, nullptr) << "the status of the pod must no longer name the node";
  EXPECT_EQ(cleared->nominated_node, "");
  EXPECT_EQ(cleared->message, "");
}

TEST_F(Nominations, ANominationStaysWhenAPodOfTheSamePriorityIsNominatedForTheNode) {
  upsert(node("n").cpu("4"));
  upsert(large("victim1", 0).on("n"));
  upsert(large("victim2", 0).on("n"));
  upsert(large("first", 10));
  upsert(large("second", 10));
  ASSERT_EQ(decide().size(), 2U);
  const auto actions = decide();
  EXPECT_EQ(nominated_to("uid-first"), "n");
  EXPECT_EQ(nominated_to("uid-second"), "n");
  EXPECT_EQ(report_of(actions, "first"), nullptr);
}

TEST_F(Nominations, ANominationIsClearedWhenPreemptionOnItsNodeCannotHelp) {
  upsert(node("n").cordoned());
  upsert(large("p", 10).nominated("n"));
  ASSERT_EQ(nominated_to("uid-p"), "n");
  const auto actions = decide();
  const StatusAction* report = report_of(actions, "p");
  ASSERT_NE(report, nullptr);
  EXPECT_EQ(report->nominated_node, "") << "the status of the pod must no longer name the node";
  EXPECT_EQ(nominated_to("uid-p"), "") << "no resources may be reserved for the pod on the node";
}

TEST_F(Nominations, ANominationStaysWhileTheVictimsTerminate) {
  upsert(node("n").cpu("2"));
  upsert(large("victim", 0).being_preempted().on("n"));
  upsert(large("p", 10).nominated("n"));
  const auto actions = decide();
  const StatusAction* report = report_of(actions, "p");
  ASSERT_NE(report, nullptr);
  EXPECT_EQ(report->nominated_node, std::nullopt);
  EXPECT_EQ(nominated_to("uid-p"), "n");
}

TEST_F(Nominations, ThePodIsTriedAgainOnlyAfterThePreemptionHasFinished) {
  upsert(node("n").cpu("2"));
  const auto victim = large("victim", 0).on("n");
  upsert(victim);
  upsert(large("urgent", 10));
  ASSERT_EQ(decide().size(), 2U);
  scheduler_->remove(std::make_shared<const api::Pod>(victim.get()), at_second(2));
  EXPECT_TRUE(decide().empty()) << "not before the requests for all victims have ended";
  scheduler_->preemption_finished("uid-urgent", true, at_second(3));
  EXPECT_THAT(metrics_.text(),
              testing::HasSubstr("scheduler_preemption_goroutines_duration_seconds_sum{result=\"success\"} 2\n"));
  EXPECT_EQ(bound_to(), "n");
}

// --- Intents ---

class IntentOfAMove : public SchedulerFixture {
 protected:
  void SetUp() override {
    start();
    upsert(node("source").cpu("8"));
    upsert(node("third").cpu("4"));  // less attractive than the source
    upsert(node("target").cpu("1"));
    scheduler_->set_intents({{"m", "default", "app=web", "", "target", "source"}});
  }
  PodBuilder replacement(const std::string& name, const std::string& cpu) {
    return pod(name).label("app", "web").owner("apps/v1", "ReplicaSet", "web").requests(cpu, "1Mi");
  }
};

TEST_F(IntentOfAMove, TheReplacementGetsTheTargetNode) {
  upsert(replacement("p", "1"));
  EXPECT_EQ(bound_to(), "target");
}

TEST_F(IntentOfAMove, AReplacementThatDoesNotFitOnTheTargetAvoidsTheSource) {
  upsert(replacement("p", "2"));
  EXPECT_EQ(bound_to(), "third");
  upsert(replacement("scaled-up", "2"));
  EXPECT_EQ(bound_to(), "source") << "the intent is for one pod";
}

TEST_F(IntentOfAMove, AReplacementGetsTheSourceIfNoOtherNodeIsFeasible) {
  upsert(replacement("p", "6"));
  EXPECT_EQ(bound_to(), "source");
}

// --- What a failed binding releases ---

class FailedBinding : public SchedulerFixture {
 protected:
  void SetUp() override { start(); }
  void fail_binding() { actions_ = scheduler_->bind_failed("uid-p", Error{Errc::Conflict, "no"}, at_second(2)); }
  std::vector<SchedulingAction> actions_;
};

TEST_F(FailedBinding, ReleasesTheResourcesOfTheNodeForOtherPods) {
  upsert(node("n").cpu("2"));
  upsert(pod("p").requests("2", "1Gi"));
  ASSERT_EQ(bound_to(), "n");
  upsert(pod("other").requests("2", "1Gi").priority(1));
  fail_binding();
  EXPECT_EQ(scheduler_->cluster().assumed_count(), 0U);
  EXPECT_EQ(bound_to(), "n");
  EXPECT_EQ(scheduler_->binding_count(), 1U);
}

TEST_F(FailedBinding, IsReportedAndThePodIsTriedAgainAfterTheBackoff) {
  upsert(node("n"));
  upsert(pod("p"));
  ASSERT_EQ(bound_to(), "n");
  fail_binding();
  ASSERT_EQ(actions_.size(), 1U);
  EXPECT_EQ(std::get<StatusAction>(actions_.front()).reason, "SchedulerError");
  EXPECT_EQ(bound_to(), "") << "the pod is in backoff";
  scheduler_->tick(at_second(60));
  EXPECT_EQ(bound_to(), "n");
}

TEST_F(FailedBinding, ReleasesTheReservedVolumes) {
  using cluster::testing::ClaimObject;
  using cluster::testing::ClassObject;
  using cluster::testing::VolumeObject;
  upsert(node("n"));
  const auto upsert_wire = [this](const auto& wire) {
    using Wire = std::remove_cvref_t<decltype(wire)>;
    scheduler_->upsert(std::make_shared<const Wire>(wire), at_second(0));
  };
  upsert_wire(ClassObject("wait").wire);
  upsert_wire(ClaimObject("data").wire);
  upsert_wire(VolumeObject("pv").wire);
  upsert(pod("p").in("shop").merge(
      R"({"spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}})"));
  const auto actions = decide();
  ASSERT_TRUE(std::get<BindAction>(actions.front()).has_claims);
  ASSERT_TRUE(scheduler_->cluster().volumes().volume("pv")->claim);
  fail_binding();
  EXPECT_FALSE(scheduler_->cluster().volumes().volume("pv")->claim);
}

}  // namespace
}  // namespace rescheduler::scheduler
