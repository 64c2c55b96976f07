// The requests that a move sends to the API server. In virtual time the counts do not depend on the machine, so they
// are exact.
#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/rng.h"
#include "config/read.h"
#include "kube/client/client.h"
#include "kube/client/forwarding_api.h"
#include "kube/codec/json.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "migration/definition.h"
#include "migration/migration_controller.h"
#include "scheduler/live_scheduler.h"
#include "sim/cluster.h"
#include "sim/frontend/local_api.h"
#include "sim/time/pacer.h"

namespace rescheduler::test {
namespace {

using migration::MoveMode;
using migration::MoveResult;
using testing::IsEmpty;
using namespace std::chrono_literals;

using Requests = std::map<std::string, int>;  // by "verb resource[/subresource]"

class CountingApi final : public kube::ForwardingApi {
 public:
  using ForwardingApi::ForwardingApi;
  net::Task<Result<void>> call(kube::ApiCall call, kube::Message* answer) override {
    count(call);
    return api_.call(std::move(call), answer);
  }
  net::Task<Result<kube::ListPage>> list(kube::ApiCall call, kube::ItemSink sink) override {
    count(call);
    return api_.list(std::move(call), std::move(sink));
  }
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch(kube::ApiCall call) override {
    count(call);
    return api_.watch(std::move(call));
  }
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override {
    ++requests["get " + path];
    return api_.get_text(std::move(path), std::move(accept));
  }

  Requests requests;

 private:
  void count(const kube::ApiCall& call) {
    std::string what = fmt::format("{} {}", to_string(call.verb), call.resource->plural);
    if (!call.subresource.empty()) what += "/" + call.subresource;
    if (call.dry_run) what += " (dry run)";
    ++requests[what];
  }
};

class MoveCost : public testing::Test {
 protected:
  MoveCost() {
    for (const char* name : {"a", "b", "c"}) {
      create<api::Node>(
          fmt::format(R"({{"metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}"}}}}}})", name));
    }
    loop_.run_for(10s);  // until the pods are ready
    scheduler::LiveSettings settings;
    settings.configuration = config::default_configuration(config::default_catalog());
    settings.host = "test";
    auto made = scheduler::LiveScheduler::make({&api_, nullptr}, std::move(settings), services());
    RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
    live_ = std::move(*made);
    migration::MigrationParts parts{&counted_, &api_, services(), nullptr, {}};
    parts.settings.direct = true;
    parts.settings.sweep_every = 1h;  // a sweep is counted separately
    parts.settings.scheduler_names = {std::string(kScheduler)};
    parts.settings.steer = [this](std::vector<migration::PlacementIntent> wanted) {
      std::vector<scheduler::Intent> intents;
      for (auto& one : wanted) {
        intents.push_back({one.migration, one.ns, one.selector, one.pod, one.target, one.avoid});
      }
      live_->set_intents(std::move(intents));
    };
    migrator_ = std::make_unique<migration::MigrationController>(std::move(parts));
    migrator_->on_outcome([this](const migration::MoveOutcome& outcome) { outcomes_.push_back(outcome); });
    RESCHEDULER_CHECK(loop_.await_result(begun()).has_value(), "the scheduler and the migrator must start");
  }
  ~MoveCost() override {
    (void)loop_.await_result(ended());
    loop_.run_for(1s);
  }

  // Ready pods of the workload.
  std::vector<api::Pod> pods_of(const std::string& app) {
    kube::ListSettings which;
    which.label_selector = "app=" + app;
    auto listed = loop_.await_result(kube::Client(api_).list<api::Pod>("default", which));
    std::vector<api::Pod> ready;
    for (const auto& pod : listed.value()) {
      const auto& conditions = pod->status().conditions();
      const bool is_ready = std::ranges::any_of(
          conditions, [](const auto& one) { return one.type() == "Ready" && one.status() == "True"; });
      if (is_ready) ready.push_back(*pod);
    }
    return ready;
  }
  template <class T>
  void deploy(const std::string& app, int replicas) {
    create<T>(fmt::format(
        R"({{"metadata":{{"namespace":"default","name":"{0}"}},"spec":{{"replicas":{1},
          "selector":{{"matchLabels":{{"app":"{0}"}}}},"template":{{"metadata":{{"labels":{{"app":"{0}"}}}},
          "spec":{2}}}}}}})",
        app, replicas, pod_spec()));
    come_up(app, replicas);
  }
  void deploy_bare(const std::string& name) {
    create<api::Pod>(
        fmt::format(R"({{"metadata":{{"namespace":"default","name":"{0}","labels":{{"app":"{0}"}}}},"spec":{1}}})",
                    name, pod_spec()));
    come_up(name, 1);
  }
  // The requests of moving one pod of the workload, from the start until no request follows.
  Requests cost_of_moving(const std::string& app, MoveMode expected) {
    const api::Pod pod = pods_of(app).front();
    migration::MoveRequest request;
    request.ns = "default";
    request.pod = pod.metadata().name();
    request.uid = pod.metadata().uid();
    request.source = pod.spec().node_name();
    request.target = request.source == "b" ? "c" : "b";
    counted_.requests.clear();
    outcomes_.clear();
    migrator_->begin(request);
    EXPECT_TRUE(loop_.run_until([this] { return !outcomes_.empty(); }, 5min));
    loop_.run_for(30s);
    if (outcomes_.empty()) return {};
    EXPECT_EQ(outcomes_.front().result, MoveResult::Succeeded) << outcomes_.front().message;
    EXPECT_EQ(outcomes_.front().request.mode, expected);
    return counted_.requests;
  }
  static bool reads(const std::string& request) {
    return request.starts_with("get ") || request.starts_with("list ") || request.starts_with("watch ");
  }
  static Requests writes_in(Requests requests) {
    std::erase_if(requests, [](const auto& one) { return reads(one.first); });
    return requests;
  }
  static int sum_of(const Requests& requests) {
    int sum = 0;
    for (const auto& [what, count] : requests) sum += count;
    return sum;
  }

  Requests& requests() { return counted_.requests; }
  sim::VirtualLoop& loop() { return loop_; }

 private:
  static constexpr std::string_view kScheduler = "rescheduler-scheduler";
  static std::string pod_spec() {
    return fmt::format(R"({{"schedulerName":"{}","containers":[{{"name":"main","image":"registry.example/app:1"}}]}})",
                       kScheduler);
  }
  void come_up(const std::string& app, int replicas) {
    EXPECT_TRUE(loop_.run_until([&] { return pods_of(app).size() == static_cast<std::size_t>(replicas); }, 5min));
    loop_.run_for(30s);  // until the controller has updated the status
  }
  template <class T>
  void create(const std::string& json) {
    T object;
    const auto read = kube::from_json(json, object, kube::UnknownFields::Refuse);
    RESCHEDULER_CHECK(read.has_value(), "{}", read.error().message);
    auto made = loop_.await_result(kube::Client(api_).create(std::move(object)));
    ASSERT_TRUE(made) << made.error().message;
  }
  net::Task<Result<void>> begun() {
    auto defined = co_await migration::ensure_definition(api_, loop_.timers());
    if (!defined) co_return fail(std::move(defined.error()));
    live_->follow();
    migrator_->follow();
    auto synced = co_await live_->wait_synced();
    if (synced) synced = co_await migrator_->wait_synced();
    if (!synced) co_return synced;
    live_->lead();
    migrator_->lead();
    co_return synced;
  }
  net::Task<Result<void>> ended() {
    co_await migrator_->stop(1s);
    co_await live_->stop(1s);
    co_return Result<void>{};
  }
  kube::LoopServices services() { return {loop_.executor(), &loop_.timers(), &cluster_.agenda(), &rng_, &metrics_}; }

  Rng rng_{1};
  MetricRegistry metrics_;
  sim::EmbeddedCluster cluster_;
  sim::LocalApi api_{cluster_.server(), cluster_.documents()};
  CountingApi counted_{api_};
  sim::VirtualLoop loop_{cluster_.agenda()};
  std::vector<migration::MoveOutcome> outcomes_;
  std::unique_ptr<scheduler::LiveScheduler> live_;
  std::unique_ptr<migration::MigrationController> migrator_;
};

// Writes are exact. The number of all requests is an upper bound, the current value. An additional read in a step makes
// the test fail. The goal is 15.

TEST_F(MoveCost, ADeploymentPodIsMovedWithTheExpectedRequests) {
  deploy<api::Deployment>("web", 3);
  const Requests cost = cost_of_moving("web", MoveMode::Coordinated);
  EXPECT_EQ(writes_in(cost), (Requests{{"create migrations", 1},
                                       {"create pods/eviction", 1},
                                       {"create pods/eviction (dry run)", 1},
                                       {"patch deployments", 2},
                                       {"patch migrations/status", 6},
                                       {"patch replicasets", 1}}));
  EXPECT_LE(sum_of(cost), 85) << testing::PrintToString(cost);
}

TEST_F(MoveCost, AStatefulSetPodIsMovedWithTheExpectedRequests) {
  deploy<api::StatefulSet>("db", 2);
  const Requests cost = cost_of_moving("db", MoveMode::Coordinated);
  EXPECT_EQ(writes_in(cost), (Requests{{"create migrations", 1},
                                       {"create pods/eviction", 1},
                                       {"create pods/eviction (dry run)", 1},
                                       {"patch migrations/status", 6},
                                       {"patch statefulsets", 2}}));
  EXPECT_LE(sum_of(cost), 70) << testing::PrintToString(cost);
}

TEST_F(MoveCost, ASingleReplicaIsMovedWithTheExpectedRequests) {
  deploy<api::Deployment>("solo", 1);
  const Requests cost = cost_of_moving("solo", MoveMode::MakeBeforeBreak);
  EXPECT_EQ(writes_in(cost), (Requests{{"create migrations", 1},
                                       {"patch deployments", 3},
                                       {"patch migrations/status", 7},
                                       {"patch pods", 1},
                                       {"patch replicasets", 1}}));
  EXPECT_LE(sum_of(cost), 76) << testing::PrintToString(cost);
}

TEST_F(MoveCost, ABarePodIsMovedWithTheExpectedRequests) {
  deploy_bare("bare");
  const Requests cost = cost_of_moving("bare", MoveMode::Direct);
  EXPECT_EQ(writes_in(cost), (Requests{{"create migrations", 1},
                                       {"create pods", 1},
                                       {"create pods/eviction", 1},
                                       {"patch migrations/status", 6},
                                       {"patch pods", 2},
                                       {"patch pods/status", 1}}));
  EXPECT_LE(sum_of(cost), 47) << testing::PrintToString(cost);
}

TEST_F(MoveCost, NoRequestIsSentWhileNoPodIsMoved) {
  deploy<api::Deployment>("web", 3);
  requests().clear();
  loop().run_for(4min);
  EXPECT_THAT(requests(), IsEmpty());
}

}  // namespace
}  // namespace rescheduler::test
