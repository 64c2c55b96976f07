// Scenarios from end to end in virtual time: our scheduler and rescheduler on an embedded cluster.
#include "cli/demo/embedded_scheduler.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/demo/cluster_watcher.h"
#include "kube/client/client.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "migration/proto/migration.pb.h"
#include "sim/frontend/local_api.h"
#include "sim/scenario/scenario_file.h"
#include "sim/time/pacer.h"

namespace rescheduler::cli {
namespace {

using namespace std::chrono_literals;

// Records the moves of a cluster that runs a scenario.
class ScenarioRun {
 public:
  explicit ScenarioRun(sim::Scenario scenario, std::optional<config::ReschedulerSettings> args, std::uint64_t seed = 1)
      : cluster(seeded(seed)),
        runner(cluster.server(), std::move(scenario)),
        watcher(cluster, runner),
        api(cluster.server(), cluster.documents()) {
    auto made = EmbeddedScheduler::make(api, loop.executor(), loop.timers(), cluster.agenda(),
                                        {.rescheduling = std::move(args)});
    EXPECT_TRUE(made) << made.error().message;
    scheduler = std::move(*made);
    Listeners listeners;
    listeners.on_outcome = [this](const migration::MoveOutcome& outcome) { outcomes.push_back(outcome); };
    listeners.on_node_activity = [this](const rescheduling::NodeActivity& one) { activity.push_back(one); };
    scheduler->composition().listen(std::move(listeners));
    scheduler->start();
    begun = cluster.agenda().wall_now();
    runner.start();
  }
  ~ScenarioRun() { EXPECT_TRUE(loop.await_result(scheduler->stop())); }

  void run_for(std::chrono::nanoseconds time) { loop.run_for(time); }
  const api::Node& node(const std::string& name) {
    node_ = loop.await_result(kube::Client(api).get<api::Node>("", name)).value();
    return node_;
  }
  int pods_on(const std::string& name, const std::string& ns) {
    const auto all = loop.await_result(kube::Client(api).list<api::Pod>(ns)).value();
    return static_cast<int>(std::ranges::count_if(
        all, [&](const auto& pod) { return pod->spec().node_name() == name && pod->status().phase() == "Running"; }));
  }
  bool has_event(const std::string& name, const std::string& reason) const {
    return std::ranges::any_of(activity, [&](const auto& one) { return one.node == name && one.reason == reason; });
  }

  static sim::ClusterSettings seeded(std::uint64_t seed) {
    sim::ClusterSettings settings;
    settings.seed = seed;
    return settings;
  }

  sim::EmbeddedCluster cluster;
  sim::ScenarioRunner runner;
  ClusterWatcher watcher;
  sim::VirtualLoop loop{cluster.agenda()};
  sim::LocalApi api;
  std::vector<migration::MoveOutcome> outcomes;
  std::vector<rescheduling::NodeActivity> activity;
  WallTime begun{};
  std::unique_ptr<EmbeddedScheduler> scheduler;

 private:
  api::Node node_;
};

sim::Scenario shipped(const std::string& name) {
  auto scenario = sim::load_scenario(name);
  EXPECT_TRUE(scenario) << scenario.error().message;
  return std::move(*scenario);
}

int done(const std::vector<migration::MoveOutcome>& outcomes) {
  return static_cast<int>(std::ranges::count_if(
      outcomes, [](const migration::MoveOutcome& outcome) { return migration::has_moved(outcome.result); }));
}

TEST(EmbeddedScheduler, TheRecordOfAMoveHasTheLoadOfItsNodesBeforeAndAfterTheMove) {
  ScenarioRun moved(shipped("imbalance"), EmbeddedScheduler::demo_settings());
  moved.run_for(3min);
  const auto all = [&] { return moved.loop.await_result(kube::Client(moved.api).list<api::Migration>("")).value(); };
  const auto early = all();
  ASSERT_FALSE(early.empty());
  for (const auto& one : early) {
    EXPECT_THAT(one->status().measured(), testing::HasSubstr(R"("before":{"cpu":)")) << one->metadata().name();
    EXPECT_THAT(one->status().measured(), testing::Not(testing::HasSubstr("after"))) << "the effect does not show yet";
  }
  moved.run_for(12min);
  double relieved = 0;
  int measured_moves = 0;
  for (const auto& one : all()) {
    if (one->status().phase() != "Succeeded") continue;
    const auto measured = boost::json::parse(one->status().measured());
    const auto& source = measured.at("load").at("source").as_object();
    if (!source.contains("after")) continue;
    ++measured_moves;
    relieved += source.at("before").at("cpu").to_number<double>() - source.at("after").at("cpu").to_number<double>();
  }
  EXPECT_GT(measured_moves, 3);
  EXPECT_GT(relieved / measured_moves, 0.02) << "the load of the source node falls";
}

// Statistics of a scenario, sampled every second of cluster time.
struct Course {
  double above = 0;      // points above 80 %, summed over nodes, CPU and memory, and samples
  double highest = 0;    // percent, of any node and sample
  double deviation = 0;  // between nodes at the end, in points, of CPU and memory together
  int moves = 0;
  int pending = 0;  // at the end
};

double deviation_of(const std::vector<NodeRow>& nodes, Use NodeRow::* resource) {
  double sum = 0;
  double squares = 0;
  for (const NodeRow& node : nodes) {
    const double share = (node.*resource).used_share() * 100;
    sum += share;
    squares += share * share;
  }
  const auto count = static_cast<double>(nodes.size());
  return std::sqrt(std::max(squares / count - sum / count * (sum / count), 0.0));
}

Course course_of(const std::string& name, std::optional<config::ReschedulerSettings> args, std::uint64_t seed) {
  constexpr double kFull = 80;
  ScenarioRun scenario_cluster(shipped(name), std::move(args), seed);
  Course course;
  for (int second = 0; second < 300; ++second) {
    scenario_cluster.run_for(1s);
    for (const NodeRow& node : scenario_cluster.watcher.view_state().nodes) {
      for (const double share : {node.cpu.used_share() * 100, node.memory.used_share() * 100}) {
        course.above += std::max(share - kFull, 0.0);
        course.highest = std::max(course.highest, share);
      }
    }
  }
  const ViewState end = scenario_cluster.watcher.view_state();
  course.deviation = deviation_of(end.nodes, &NodeRow::cpu) + deviation_of(end.nodes, &NodeRow::memory);
  course.moves = done(scenario_cluster.outcomes);
  course.pending = end.pods.pending;
  for (const migration::MoveOutcome& outcome : scenario_cluster.outcomes) {
    EXPECT_NE(outcome.result, migration::MoveResult::Failed) << outcome.request.pod << ": " << outcome.message;
  }
  return course;
}

// Means over several seeds: the uid of a pod determines its usage over time, and one more object changes all uids.
Course mean_course(const std::string& name, const std::optional<config::ReschedulerSettings>& args, int seeds) {
  Course mean;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Course one = course_of(name, args, static_cast<std::uint64_t>(seed));
    mean.above += one.above / seeds;
    mean.highest += one.highest / seeds;
    mean.deviation += one.deviation / seeds;
    mean.moves += one.moves;
    mean.pending += one.pending;
  }
  return mean;
}

// The controller runs, but moves no pods.
config::ReschedulerSettings observe_only(config::ReschedulerSettings args) {
  for (const auto one : {config::Strategy::LoadBalancing, config::Strategy::ResourceOptimization}) {
    args.rescheduling.modes[one] = config::StrategyMode::Observe;
  }
  return args;
}

std::string course_text(const Course& course) {
  return fmt::format("{:.1f} points above 80 %, highest {:.1f} %, deviation {:.2f} at the end, {} moves", course.above,
                     course.highest, course.deviation, course.moves);
}

// Compared with the same settings without moves, and with the scheduler alone.
TEST(EmbeddedScheduler, MovingPodsUnderPressureIsNotWorseThanMovingNone) {
  const Course moved = mean_course("pressure", EmbeddedScheduler::demo_settings(), 4);
  const Course left = mean_course("pressure", observe_only(EmbeddedScheduler::demo_settings()), 4);
  const Course alone = mean_course("pressure", std::nullopt, 4);
  const std::string all =
      fmt::format("moved: {}\nleft: {}\nalone: {}", course_text(moved), course_text(left), course_text(alone));
  RecordProperty("courses", all);
  EXPECT_GT(moved.moves, 0);
  EXPECT_EQ(left.moves, 0);
  EXPECT_EQ(moved.pending, 0);
  for (const Course& other : {left, alone}) {
    EXPECT_LE(moved.above, other.above) << all;
    EXPECT_LE(moved.highest, other.highest + 1) << all;
    EXPECT_LE(moved.deviation, other.deviation) << all;
  }
}

TEST(EmbeddedScheduler, MovingPodsReducesAnImbalance) {
  const Course moved = mean_course("imbalance", EmbeddedScheduler::demo_settings(), 2);
  const Course left = mean_course("imbalance", observe_only(EmbeddedScheduler::demo_settings()), 2);
  const std::string all = fmt::format("moved: {}\nleft: {}", course_text(moved), course_text(left));
  RecordProperty("courses", all);
  EXPECT_LT(moved.above, left.above / 5) << all;
  EXPECT_LT(moved.highest, left.highest - 5) << all;
  EXPECT_LT(moved.deviation, left.deviation / 2) << all;
  EXPECT_GT(moved.moves, 10) << all;
  EXPECT_EQ(moved.pending, 0);
}

TEST(EmbeddedScheduler, ANodeUnderMaintenanceIsDrainedAndLaterUncordoned) {
  ScenarioRun scenario_cluster(shipped("maintenance"), EmbeddedScheduler::demo_settings());
  scenario_cluster.run_for(79s);
  EXPECT_TRUE(scenario_cluster.has_event("worker-1", "MaintenanceStarted"));
  EXPECT_TRUE(scenario_cluster.has_event("worker-1", "MaintenanceDrained"));
  EXPECT_TRUE(scenario_cluster.node("worker-1").spec().unschedulable());
  EXPECT_EQ(scenario_cluster.pods_on("worker-1", "bank"), 0);
  scenario_cluster.run_for(3min);
  EXPECT_TRUE(scenario_cluster.has_event("worker-1", "MaintenanceEnded"));
  EXPECT_TRUE(scenario_cluster.has_event("worker-2", "MaintenanceDrained"));
  for (const char* name : {"worker-1", "worker-2"}) {
    const api::Node& node = scenario_cluster.node(name);
    EXPECT_FALSE(node.spec().unschedulable()) << name;
    EXPECT_FALSE(node.metadata().annotations().contains("rescheduler.io/cordoned-by")) << name;
  }
}

// Two workloads with different daily patterns: one is busy by day, the other at night.
constexpr const char* kDay = R"(
name: day
seed: 4
nodeGroups: [{name: worker, count: 6, cpu: 8, memory: 32Gi, zones: [a, b, c]}]
namespaces: [shop]
workloads:
  - name: web
    namespace: shop
    replicas: 12
    requests: {cpu: 800m, memory: 1Gi}
    load: {cpu: daily low=200m high=2200m peak=14:00 deviation=100m every=1m, memory: 900Mi}
    pdb: {maxUnavailable: 2}
  - name: batch
    namespace: shop
    replicas: 9
    requests: {cpu: 800m, memory: 2Gi}
    load: {cpu: daily low=200m high=1800m peak=02:00 deviation=100m every=1m, memory: 1800Mi}
    pdb: {maxUnavailable: 2}
    placement: {group: worker, fill: pack}
)";

TEST(EmbeddedScheduler, ADayOfLoadSettlesAndNoWorkloadMovesBackAndForth) {
  auto scenario = sim::read_scenario(kDay, "day.yaml");
  ASSERT_TRUE(scenario) << scenario.error().message;
  ScenarioRun scenario_cluster(std::move(*scenario), config::ReschedulerSettings{});
  scenario_cluster.run_for(24h);
  std::map<long, int> by_hour;
  std::map<std::string, std::vector<const migration::MoveOutcome*>> by_workload;
  for (const migration::MoveOutcome& outcome : scenario_cluster.outcomes) {
    if (outcome.landed.empty()) continue;
    ++by_hour[std::chrono::duration_cast<std::chrono::hours>(outcome.ended - scenario_cluster.begun).count()];
    by_workload[outcome.request.lineage.name].push_back(&outcome);
  }
  std::string hours;
  for (const auto& [hour, count] : by_hour) hours += fmt::format("{}:{} ", hour, count);
  RecordProperty("moves_by_hour", hours);
  // The cluster settles: most moves are in the first hours. Afterwards the daily pattern alone causes few moves.
  int late = 0;
  for (const auto& [hour, count] : by_hour) {
    if (hour >= 12) late += count;
  }
  EXPECT_LE(late, 12) << hours;
  // No replica returns to a node that its workload left within the move history (6 h).
  for (const auto& [name, moves] : by_workload) {
    for (std::size_t i = 0; i < moves.size(); ++i) {
      for (std::size_t j = i + 1; j < moves.size(); ++j) {
        const bool back = moves[j]->request.target == moves[i]->request.source;
        EXPECT_FALSE(back && moves[j]->began - moves[i]->ended < 6h)
            << name << " returned to " << moves[i]->request.source << "; " << hours;
      }
    }
    // No pod is moved again within the cooldown.
    for (std::size_t i = 0; i < moves.size(); ++i) {
      for (std::size_t j = i + 1; j < moves.size(); ++j) {
        const bool same = moves[j]->request.pod == moves[i]->replacement;
        EXPECT_FALSE(same && moves[j]->began - moves[i]->ended < 10min) << moves[j]->request.pod;
      }
    }
  }
}

}  // namespace
}  // namespace rescheduler::cli
