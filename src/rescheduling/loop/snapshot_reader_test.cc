#include "rescheduling/loop/snapshot_reader.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/feed.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/registry.h"

namespace rescheduler::rescheduling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

api::Node node(const std::string& name) {
  api::Node made;
  made.mutable_metadata()->set_name(name);
  made.mutable_metadata()->set_uid(name);
  auto& allocatable = *made.mutable_status()->mutable_allocatable();
  allocatable["cpu"].set_string("4");
  allocatable["memory"].set_string("8Gi");
  allocatable["pods"].set_string("110");
  auto& ready = *made.mutable_status()->add_conditions();
  ready.set_type("Ready");
  ready.set_status("True");
  return made;
}

api::Pod pod(const std::string& name, const std::string& on) {
  api::Pod made;
  made.mutable_metadata()->set_namespace_("shop");
  made.mutable_metadata()->set_name(name);
  made.mutable_metadata()->set_uid(name);
  made.mutable_spec()->set_node_name(on);
  auto& container = *made.mutable_spec()->add_containers();
  container.set_name("main");
  (*container.mutable_resources()->mutable_requests())["cpu"].set_string("1");
  return made;
}

class SnapshotReaderTest : public testing::Test {
 protected:
  SnapshotReaderTest() { begin({}); }
  void begin(const config::ReschedulerSettings& args, const placement::Profile& profile = {}) {
    auto framework = placement::Framework::make(profile, placement::Registry::standard());
    EXPECT_TRUE(framework);
    snapshot_reader =
        std::make_unique<SnapshotReader>(std::make_shared<config::ReschedulerSettings>(args), std::move(*framework),
                                         clock, [](const Snapshot&, const PlanRequest&) { return Plan{}; });
    model = std::make_unique<cluster::Cluster>();
    for (const char* name : {"a", "b", "c"}) upsert(node(name));
  }
  // As in the daemon: the scheduler keeps the model, and the reader takes a copy of it.
  void upsert(const google::protobuf::Message& object) {
    snapshot_reader->upsert(object);
    cluster::apply(object, cluster::FeedAction::Upsert, *model);
    take();
  }
  void remove(const google::protobuf::Message& object) {
    snapshot_reader->remove(object);
    cluster::apply(object, cluster::FeedAction::Remove, *model);
    take();
  }
  void take() { snapshot_reader->take(std::make_unique<cluster::Cluster>(*model)); }
  void measure(double a, double b, double c) {
    for (const auto& [name, cpu] : {std::pair{"a", a}, std::pair{"b", b}, std::pair{"c", c}}) {
      cluster::NodeLoad load;
      load.used[cluster::kCpuLoad] = load.used[cluster::kMemoryLoad] = cpu;
      model->set_load(*model->find_node(name), load);
    }
    cluster::LoadSummary summary;
    summary.basis = cluster::LoadBasis::Usage;
    summary.source = "prometheus";
    model->set_load_summary(summary);
    LoadUpdate seen;
    seen.at = clock.wall_now();
    snapshot_reader->loads(seen);
    take();
  }
  SnapshotSummary summarize() { return snapshot_reader->summarize(clock.wall_now()); }
  double cpu_of(const std::string& name) {
    const auto& cluster = snapshot_reader->snapshot().cluster();
    return cluster.node(*cluster.find_node(name)).load.used[cluster::kCpuLoad];
  }

  ManualClock clock;
  std::unique_ptr<cluster::Cluster> model;
  std::unique_ptr<SnapshotReader> snapshot_reader;
};

TEST_F(SnapshotReaderTest, HotNodesAndUnevenLoadAreReportedIfTheLoadIsFresh) {
  EXPECT_FALSE(summarize().facts.load_fresh) << "no sample has arrived";
  measure(0.9, 0.2, 0.2);
  const SnapshotSummary now = summarize();
  EXPECT_TRUE(now.facts.load_fresh);
  EXPECT_THAT(now.hot, ElementsAre("a"));
  EXPECT_TRUE(now.uneven);
}

TEST_F(SnapshotReaderTest, OldLoadsAndLoadsOfFewNodesAreNotFresh) {
  measure(0.9, 0.2, 0.2);
  clock.advance(3min + 1s);
  EXPECT_FALSE(summarize().facts.load_fresh);
  EXPECT_THAT(summarize().hot, IsEmpty());
  measure(0.9, cluster::kUnknownLoad, cluster::kUnknownLoad);
  EXPECT_FALSE(summarize().facts.load_fresh) << "only one of three nodes has a known load";
}

TEST_F(SnapshotReaderTest, RequestsAreFreshIfNoLoadSourceIsConfigured) {
  for (const char* name : {"p1", "p2", "p3", "p4"}) upsert(pod(name, "a"));
  EXPECT_FALSE(summarize().facts.load_fresh) << "a source is configured, but no sample has arrived";
  config::ReschedulerSettings args;
  args.load.sources.clear();
  begin(args);
  for (const char* name : {"p1", "p2", "p3", "p4"}) upsert(pod(name, "a"));
  const SnapshotSummary now = summarize();
  EXPECT_TRUE(now.facts.load_fresh);
  EXPECT_THAT(now.hot, ElementsAre("a"));
  EXPECT_TRUE(now.uneven);
}

TEST_F(SnapshotReaderTest, TheLoadOfARemovedPodIsSubtractedUntilTheSamplesShowTheRemoval) {
  upsert(pod("p", "a"));
  measure(0.9, 0.2, 0.2);
  remove(pod("p", "a"));
  EXPECT_NEAR(cpu_of("a"), 0.65, 1e-9) << "one of four CPUs";
  measure(0.9, 0.2, 0.2);
  EXPECT_NEAR(cpu_of("a"), 0.65, 0.01) << "the sample cannot show the removal yet";
  clock.advance(2h);
  measure(0.65, 0.2, 0.2);
  EXPECT_NEAR(cpu_of("a"), 0.65, 1e-9) << "the sample shows the whole removal";
}

TEST_F(SnapshotReaderTest, TheLoadOfAPodThatHasEndedIsSubtractedOnce) {
  api::Pod ended = pod("p", "a");
  upsert(ended);
  measure(0.9, 0.2, 0.2);
  ended.mutable_status()->set_phase("Succeeded");
  upsert(ended);
  EXPECT_NEAR(cpu_of("a"), 0.65, 1e-9) << "one of four CPUs";
  upsert(ended);
  remove(ended);
  EXPECT_NEAR(cpu_of("a"), 0.65, 1e-9) << "subtracted once";
}

api::Pod replica(const std::string& name, const std::string& on) {
  api::Pod made = pod(name, on);
  auto& owner = *made.mutable_metadata()->add_owner_references();
  owner.set_kind("StatefulSet");
  owner.set_name("db");
  owner.set_uid("db");
  owner.set_controller(true);
  return made;
}

TEST_F(SnapshotReaderTest, APodsLoadIsTheUsageOfThePodOrItsWorkloadAndAtLeastItsRequests) {
  for (const char* name : {"db-0", "db-1"}) upsert(replica(name, "a"));
  EXPECT_NEAR(snapshot_reader->load_there("db-0", "b")->at(cluster::kCpuLoad), 0.25, 1e-9) << "the requests of the pod";
  const auto workload_usages = snapshot_reader->pods_use({{"shop", "db-0", 3, 4e9, clock.wall_now()}});
  EXPECT_NEAR(workload_usages->at("shop/StatefulSet/db").milli_cpu, 3000, 1e-6);
  EXPECT_NEAR(snapshot_reader->load_there("db-0", "b")->at(cluster::kCpuLoad), 0.75, 1e-9);
  EXPECT_NEAR(snapshot_reader->load_there("db-1", "b")->at(cluster::kCpuLoad), 0.75, 1e-9)
      << "the pod was never measured, but its workload was";
  snapshot_reader->pods_use({{"shop", "db-0", 0.5, 4e9, clock.wall_now() + 1h}});
  EXPECT_NEAR(snapshot_reader->load_there("db-0", "b")->at(cluster::kCpuLoad), 0.25, 1e-9)
      << "the load is at least the requests";
}

TEST_F(SnapshotReaderTest, TheUsageOfPodsIsSmoothedLikeTheLoadOfNodes) {
  upsert(replica("db-0", "a"));
  const auto used = [&] { return snapshot_reader->snapshot().usage_of(*model->find_pod("db-0")).cores; };
  snapshot_reader->pods_use({{"shop", "db-0", 1, 4e9, clock.wall_now()}});
  EXPECT_NEAR(used(), 1, 1e-9);
  const auto half_life = config::ReschedulerSettings{}.load.smoothing.half_life;
  snapshot_reader->pods_use({{"shop", "db-0", 3, 4e9, clock.wall_now() + half_life}});
  EXPECT_NEAR(used(), 2, 1e-9);
  snapshot_reader->pods_use({{"shop", "db-0", 9, 4e9, clock.wall_now() + half_life}});
  EXPECT_NEAR(used(), 2, 1e-9) << "the sample is not newer";
  snapshot_reader->pods_use({});
  EXPECT_TRUE(std::isnan(used()));
}

TEST_F(SnapshotReaderTest, AnUnknownLoadStaysUnknownWhenAPodIsRemoved) {
  upsert(pod("p", "a"));
  measure(cluster::kUnknownLoad, 0.2, 0.2);
  remove(pod("p", "a"));
  EXPECT_TRUE(std::isnan(cpu_of("a")));
}

TEST_F(SnapshotReaderTest, NodesThatAreMarkedOrCordonedByUsAreMaintenanceNodes) {
  EXPECT_THAT(summarize().maintenance_nodes, IsEmpty());
  api::Node marked = node("a");
  (*marked.mutable_metadata()->mutable_labels())["scheduler.alpha.kubernetes.io/maintenance"] = "true";
  upsert(marked);
  api::Node ours = node("b");
  ours.mutable_spec()->set_unschedulable(true);
  (*ours.mutable_metadata()->mutable_annotations())["rescheduler.io/cordoned-by"] = "us";
  upsert(ours);
  upsert(pod("p", "a"));
  const SnapshotSummary now = summarize();
  ASSERT_EQ(now.maintenance_nodes.size(), 2U);
  EXPECT_TRUE(now.maintenance_nodes[0].marked);
  EXPECT_EQ(now.maintenance_nodes[0].to_leave, 1U);
  EXPECT_FALSE(now.maintenance_nodes[1].marked);
  EXPECT_EQ(now.maintenance_nodes[1].cordoned_by, "us");
}

TEST_F(SnapshotReaderTest, AMaintenanceNodeHasTheModeOfItsPoolAndItsStatus) {
  config::ReschedulerSettings args;
  config::NodePool careful;
  careful.selector = "pool=careful";
  careful.modes[config::Strategy::NodeMaintenance] = config::StrategyMode::Off;
  args.rescheduling.pools = {careful};
  begin(args);
  for (const char* name : {"a", "b"}) {
    api::Node marked = node(name);
    (*marked.mutable_metadata()->mutable_labels())["rescheduler.io/maintenance"] = "true";
    if (name == std::string("b")) (*marked.mutable_metadata()->mutable_labels())["pool"] = "careful";
    upsert(marked);
  }
  api::Node finished = node("c");
  (*finished.mutable_metadata()->mutable_annotations())["rescheduler.io/drain-status"] = "drained";
  upsert(finished);
  const auto nodes = summarize().maintenance_nodes;
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].mode, config::StrategyMode::Act);
  EXPECT_EQ(nodes[1].mode, config::StrategyMode::Off);
  EXPECT_EQ(nodes[2].drain_status, "drained") << "the status of an earlier drain has to be removed";
}

TEST_F(SnapshotReaderTest, PodsThatThePolicyLeavesNeitherBlockNorHaveToLeave) {
  Plan plan;
  plan.refused.push_back({"shop", "local", "a", "local-storage", "it keeps files on its node", true});
  plan.refused.push_back({"shop", "db", "a", "no-target", "no node has room"});
  std::vector<MaintenanceNode> nodes(1);
  nodes[0].name = "a";
  nodes[0].to_leave = 3;
  snapshot_reader->add_blockers(plan, false, nodes);
  EXPECT_THAT(nodes[0].staying, ElementsAre("shop/local: it keeps files on its node"));
  EXPECT_THAT(nodes[0].blockers, ElementsAre("shop/db: no node has room"));
  EXPECT_EQ(nodes[0].to_leave, 2U);
}

// --- The check of a move before it begins ---

class SnapshotReaderCheckTest : public SnapshotReaderTest {
 protected:
  SnapshotReaderCheckTest() {
    placement::Profile profile;
    profile.at(placement::Point::Filter) = {{"NodeUnschedulable"}, {"NodeResourcesFit"}};
    profile.at(placement::Point::PreFilter).push_back({"NodeResourcesFit"});
    begin({}, profile);
    for (const char* name : {"db-0", "db-1"}) upsert(serving(name));
  }
  static api::Pod serving(const std::string& name) {
    api::Pod made = replica(name, "a");
    made.mutable_status()->set_phase("Running");
    auto& ready = *made.mutable_status()->add_conditions();
    ready.set_type("Ready");
    ready.set_status("True");
    return made;
  }
  static PlannedMove to_b(const std::string& pod) {
    PlannedMove move;
    move.ns = "shop";
    move.pod = move.uid = pod;
    move.source = "a";
    move.target = "b";
    move.strategy = config::Strategy::LoadBalancing;
    return move;
  }
  // Empty: the move can begin.
  std::string problem(const PlanScope& scope = {}) {
    return snapshot_reader->check({to_b("db-0")}, scope, clock.wall_now()).front().value_or("");
  }
};

TEST_F(SnapshotReaderCheckTest, AllowsAMoveIfNothingHasChanged) { EXPECT_EQ(problem(), ""); }

TEST_F(SnapshotReaderCheckTest, RefusesATargetThatIsNoLongerReady) {
  api::Node down = node("b");
  down.mutable_status()->mutable_conditions(0)->set_status("Unknown");
  upsert(down);
  EXPECT_EQ(problem(), "the node b is not ready");
}

TEST_F(SnapshotReaderCheckTest, RefusesATargetThatWasCordonedAfterThePlan) {
  api::Node cordoned = node("b");
  cordoned.mutable_spec()->set_unschedulable(true);
  upsert(cordoned);
  EXPECT_THAT(problem(), HasSubstr("no longer fits on b"));
}

TEST_F(SnapshotReaderCheckTest, RefusesATargetUnderMaintenance) {
  PlanScope scope;
  scope.draining = {"b"};
  EXPECT_THAT(problem(scope), HasSubstr("maintenance"));
  api::Node marked = node("b");
  (*marked.mutable_metadata()->mutable_labels())["scheduler.alpha.kubernetes.io/maintenance"] = "true";
  upsert(marked);
  EXPECT_THAT(problem(), HasSubstr("maintenance"));
}

TEST_F(SnapshotReaderCheckTest, RefusesATargetThatWasRemoved) {
  remove(node("b"));
  EXPECT_EQ(problem(), "the node b is gone");
}

TEST_F(SnapshotReaderCheckTest, RefusesAPodThatHasOptedOutWasRemovedOrIsOnAnotherNode) {
  api::Pod out = serving("db-0");
  (*out.mutable_metadata()->mutable_labels())["scheduler.alpha.kubernetes.io/rescheduling"] = "disabled";
  upsert(out);
  EXPECT_EQ(problem(), "the pod has opted out of moves");
  remove(out);
  EXPECT_EQ(problem(), "the pod is gone");
  api::Pod elsewhere = serving("db-0");
  elsewhere.mutable_spec()->set_node_name("c");
  upsert(elsewhere);
  EXPECT_EQ(problem(), "the pod is not on a");
}

// Moves of one step begin together: each check sees the earlier moves on their targets.
TEST_F(SnapshotReaderCheckTest, CountsTheEarlierMovesOfTheSameStep) {
  api::Node small = node("b");
  (*small.mutable_status()->mutable_allocatable())["cpu"].set_string("1500m");
  upsert(small);
  const auto answers = snapshot_reader->check({to_b("db-0"), to_b("db-1")}, {}, clock.wall_now());
  EXPECT_FALSE(answers[0]) << *answers[0];
  EXPECT_TRUE(answers[1]);
  EXPECT_EQ(snapshot_reader->check({to_b("db-1")}, {}, clock.wall_now()).front(), std::nullopt)
      << "a check changes nothing";
}

TEST_F(SnapshotReaderTest, NodesByZoneAndPendingPodsAreCounted) {
  api::Node down = node("c");
  down.mutable_status()->mutable_conditions(0)->set_status("Unknown");
  upsert(down);
  upsert(pod("p", "a"));
  upsert(pod("q", ""));
  const SnapshotSummary now = summarize();
  ASSERT_EQ(now.facts.zones.size(), 1U);
  EXPECT_EQ(now.facts.zones[0].nodes, 3U);
  EXPECT_EQ(now.facts.zones[0].unready, 1U);
  EXPECT_EQ(now.facts.pods, 2U);
  EXPECT_EQ(now.facts.pending, 1U);
}

}  // namespace
}  // namespace rescheduler::rescheduling
