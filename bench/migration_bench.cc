// How many moves succeed, and how many end on the intended node, without rescheduler and with it. All ways are judged
// from outside in the same manner, by listing the pods every 50 ms:
//
//   succeeded   within 20 s the pod is gone, its workload has all its replicas ready, and never had fewer than its
//               budget allows (all but one)
//   accurate    a new pod is on the intended node
//
// Ways: `delete` the pod and let the scheduler choose; `copy` the pod to the target and delete it (the "-migrated-"
// pods of earlier versions); ours, by Migrations. Each way runs undisturbed and disturbed: every other second a user
// scales, rolls out or deletes.
//
// Pods take 3 s to become ready.
//
//   migration_bench --gtest_filter='Real/*'       MOVES=120 (of each way)
//
// Prints a line of JSON for each way, undisturbed and disturbed; bench/moves alternates the ways and makes the table.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/rng.h"
#include "kube/proto/policy.pb.h"
#include "support/migrator.h"
#include "support/recovery.h"
#include "support/skip.h"

namespace rescheduler::test {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

enum class Way { Delete, Copy, Ours };

constexpr int kWorkloads = 6;
constexpr int kReplicas = 4;
constexpr seconds kPatience{20};

struct Lane {
  std::string app{};
  int left = 0;
  bool moving = false;
  // Of the move in progress:
  api::Pod pod{};
  std::string target{};
  std::string copy{};  // name of the copy, until the original is deleted
  bool copy_seen = false;
  std::set<std::string> known{};
  steady_clock::time_point begun{};
  int least = 0;
};

struct Tally {
  int moves = 0;
  int succeeded = 0;
  int accurate = 0;  // of the succeeded moves
  int below_budget = 0;
  int late = 0;
  int lost = 0;  // a controller deleted the copy
  std::vector<double> took{};
};

class MoveBench : public MigrationTest {
 protected:
  void SetUp() override {
    set_log_level(LogLevel::Error);
    MigrationTest::SetUp();
    if (IsSkipped()) return;
    for (const char* suffix : {"d", "e", "f"}) nodes_.push_back(add_node(suffix));
  }
  void TearDown() override {
    webhook_.reset();
    MigrationTest::TearDown();
    set_log_level(LogLevel::Info);
  }
  std::vector<std::string> own_rig() const override {
    return {"--with", "etcd,kube-apiserver,kube-controller-manager,kube-scheduler,kwok"};
  }

  void make_workloads() {
    for (int i = 0; i < kWorkloads; ++i) {
      const std::string app = fmt::format("web{}", i);
      // On the real cluster; the embedded kubelets have their own delay.
      pod_annotations_["kube-rig/start-after"] = "3s";
      deploy(app, kReplicas);
      api::PodDisruptionBudget budget;
      budget.mutable_metadata()->set_namespace_(ns());
      budget.mutable_metadata()->set_name(app);
      budget.mutable_spec()->mutable_max_unavailable()->set_int_val(1);
      (*budget.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = app;
      create(budget);
    }
  }

  std::map<std::string, std::vector<api::Pod>> pods_by_app() {
    std::map<std::string, std::vector<api::Pod>> found;
    auto listed = await(client().list<api::Pod>(ns()));
    if (!listed) return found;
    for (const auto& pod : *listed) {
      const auto app = pod->metadata().labels().find("app");
      if (app != pod->metadata().labels().end()) found[app->second].push_back(*pod);
    }
    return found;
  }
  static int ready_among(const std::vector<api::Pod>& pods) {
    return static_cast<int>(std::ranges::count_if(
        pods, [](const api::Pod& pod) { return is_ready(pod) && !pod.metadata().has_deletion_timestamp(); }));
  }

  void begin(Lane& lane, const std::vector<api::Pod>& pods, Way way) {
    std::vector<const api::Pod*> live;
    for (const api::Pod& pod : pods) {
      if (!pod.metadata().has_deletion_timestamp() && is_ready(pod)) live.push_back(&pod);
    }
    if (live.empty()) return;
    lane.pod = *live[rng_.below(live.size())];
    do {
      lane.target = nodes_[rng_.below(nodes_.size())];
    } while (lane.target == lane.pod.spec().node_name());
    lane.known.clear();
    for (const api::Pod& pod : pods) lane.known.insert(pod.metadata().uid());
    lane.copy.clear();
    lane.copy_seen = false;
    lane.moving = true;
    --lane.left;
    lane.begun = steady_clock::now();
    lane.least = ready_among(pods);
    if (way == Way::Delete) remove(lane.pod);
    if (way == Way::Copy) copy(lane);
    if (way == Way::Ours) {
      auto request = move_request_for(lane.pod, lane.target);
      request.deadline = kPatience;
      migrator().begin(std::move(request));
    }
  }
  void remove(const api::Pod& pod) {
    kube::DeleteSettings which;
    which.uid = pod.metadata().uid();
    (void)await(client().remove<api::Pod>(ns(), pod.metadata().name(), which));
  }
  void copy(Lane& lane) {
    api::Pod made;
    made.mutable_metadata()->set_namespace_(ns());
    lane.copy = fmt::format("{}-migrated-{}", lane.pod.metadata().name(), ++copies_);
    made.mutable_metadata()->set_name(lane.copy);
    *made.mutable_metadata()->mutable_labels() = lane.pod.metadata().labels();
    *made.mutable_spec() = lane.pod.spec();
    made.mutable_spec()->set_node_name(lane.target);
    (void)await(client().create(made));
  }

  // Checks the move in progress; true: it has ended.
  bool look(Lane& lane, const std::vector<api::Pod>& pods, Tally& tally) {
    lane.least = std::min(lane.least, ready_among(pods));
    if (!lane.copy.empty()) {
      const auto found =
          std::ranges::find_if(pods, [&](const api::Pod& pod) { return pod.metadata().name() == lane.copy; });
      if (found != pods.end() && is_ready(*found) && !found->metadata().has_deletion_timestamp()) {
        lane.copy.clear();
        remove(lane.pod);
      }
      const bool there = found != pods.end() && !found->metadata().has_deletion_timestamp();
      // A controller has deleted the copy, so the move has ended.
      if (lane.copy_seen && !there) {
        ++tally.moves;
        ++tally.lost;
        return true;
      }
      lane.copy_seen = lane.copy_seen || there;
    }
    std::vector<const api::Pod*> live;
    bool original = false;
    bool reached = false;
    for (const api::Pod& pod : pods) {
      original = original || pod.metadata().uid() == lane.pod.metadata().uid();
      if (pod.metadata().has_deletion_timestamp()) continue;
      live.push_back(&pod);
      reached =
          reached
          || (pod.spec().node_name() == lane.target && !lane.known.contains(pod.metadata().uid()) && is_ready(pod));
    }
    const bool whole = static_cast<int>(live.size()) >= kReplicas
                       && std::ranges::all_of(live, [](const api::Pod* pod) { return is_ready(*pod); });
    const auto took = steady_clock::now() - lane.begun;
    const bool late = took > std::chrono::milliseconds{kPatience} / pace();
    if (!late && (original || !whole || !lane.copy.empty())) return false;
    ++tally.moves;
    tally.took.push_back(std::chrono::duration<double>(took).count() * pace());
    if (late) ++tally.late;
    if (lane.least < kReplicas - 1) ++tally.below_budget;
    if (!late && lane.least >= kReplicas - 1) {
      ++tally.succeeded;
      if (reached) ++tally.accurate;
    }
    return true;
  }

  void disturb() {
    const std::string app = fmt::format("web{}", rng_.below(kWorkloads));
    switch (rng_.below(5)) {
      case 0: {
        const auto pods = pods_of(app);
        if (!pods.empty()) remove(pods[rng_.below(pods.size())]);
        return;
      }
      case 1:
        (void)await(client().patch<api::Deployment>(
            ns(), app,
            fmt::format(R"({{"spec":{{"template":{{"metadata":{{"annotations":{{"turn":"{}"}}}}}}}}}})", rng_.next())));
        return;
      default:
        (void)await(client().patch<api::Deployment>(
            ns(), app, fmt::format(R"({{"spec":{{"replicas":{}}}}})", kReplicas + rng_.below(2))));
    }
  }

  void measure(const char* what, Way way, bool disturbed) {
    const char* given = std::getenv("MOVES");
    const int moves = given == nullptr ? 120 : std::atoi(given);
    std::vector<Lane> lanes(kWorkloads);
    for (int i = 0; i < kWorkloads; ++i) {
      lanes[static_cast<std::size_t>(i)].app = fmt::format("web{}", i);
      lanes[static_cast<std::size_t>(i)].left = moves / kWorkloads;
    }
    Tally tally;
    auto next_disturbance = steady_clock::now();
    int samples = 0;
    const auto begun = steady_clock::now();
    while (std::ranges::any_of(lanes, [](const Lane& lane) { return lane.moving || lane.left > 0; })) {
      const auto looked = steady_clock::now();
      if (disturbed && looked >= next_disturbance) {
        disturb();
        next_disturbance = looked + std::chrono::milliseconds{2000} / pace();
      }
      auto pods = pods_by_app();
      ++samples;
      for (Lane& lane : lanes) {
        const auto& its = pods[lane.app];
        if (lane.moving && look(lane, its, tally)) lane.moving = false;
        // One move at a time, each from a complete workload.
        if (!lane.moving && lane.left > 0 && ready_among(its) >= kReplicas) begin(lane, its, way);
      }
      std::this_thread::sleep_until(looked + std::chrono::milliseconds{50} / pace());
    }
    const double all = std::chrono::duration<double>(steady_clock::now() - begun).count();
    std::ranges::sort(tally.took);
    fmt::print(R"({{"cluster":"{}","way":"{}","disturbed":{},"moves":{},"succeeded":{},"accurate":{},)",
               to_string(GetParam()), what, disturbed, tally.moves, tally.succeeded, tally.accurate);
    fmt::print(R"("below_budget":{},"late":{},"copy_lost":{},"median_seconds":{:.2f},"samples":{},"seconds":{:.0f}}})"
               "\n",
               tally.below_budget, tally.late, tally.lost, tally.took.empty() ? 0.0 : tally.took[tally.took.size() / 2],
               samples, all);
    std::fflush(stdout);
  }
  void measure_both(const char* what, Way way) {
    make_workloads();
    measure(what, way, false);
    measure(what, way, true);
  }
  int pace() const { return real() ? 1 : 10; }  // of the embedded cluster's clock
  bool real() const { return GetParam() == Tier::Real; }
  void use_kube_scheduler() {
    if (real()) scheduler_name_ = "default-scheduler";
  }

  Rng rng_{7};
  int copies_ = 0;
  std::unique_ptr<TestRecovery> webhook_;
};
INSTANTIATE_TEST_SUITE_P(InProcess, MoveBench, testing::Values(Tier::InProcess));
INSTANTIATE_TEST_SUITE_P(Real, MoveBench, testing::Values(Tier::Real));

TEST_P(MoveBench, Delete) {
  use_kube_scheduler();
  measure_both("delete, the scheduler chooses", Way::Delete);
}

TEST_P(MoveBench, Copy) {
  use_kube_scheduler();
  measure_both("copy to the target, then delete", Way::Copy);
}

TEST_P(MoveBench, Ours) {
  start_migrator();
  measure_both("ours", Way::Ours);
}

TEST_P(MoveBench, OursWithKubeScheduler) {
  if (!real()) RESCHEDULER_SKIP("real") << "there is no kube-scheduler here";
  use_kube_scheduler();
  start_migrator();
  measure_both("ours, kube-scheduler, nominated", Way::Ours);
}

TEST_P(MoveBench, OursWithKubeSchedulerAndWebhook) {
  if (!real()) RESCHEDULER_SKIP("real") << "there is no kube-scheduler here";
  use_kube_scheduler();
  start_migrator();
  TestRecoverySettings settings;
  settings.ns = ns();
  settings.target = [this](const api::Pod& pod) { return migrator().target_of(pod); };
  webhook_ = std::make_unique<TestRecovery>(cluster(), std::move(settings));
  measure_both("ours, kube-scheduler, webhook", Way::Ours);
}

}  // namespace
}  // namespace rescheduler::test
