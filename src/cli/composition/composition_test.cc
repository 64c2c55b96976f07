// The components of a Composition together: the scheduler waits for the Migrations, as after a change of leader, and
// recovery uses the informers of the scheduler.
#include "cli/composition/composition.h"

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
#include "migration/record.h"
#include "server/proto/webhook_configuration.pb.h"
#include "sim/cluster.h"
#include "sim/frontend/local_api.h"
#include "sim/time/pacer.h"

namespace rescheduler::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kLateness{1};  // in cluster time, so the test does not wait for it

// Delivers Migrations later than all other kinds.
class LateApi final : public kube::ForwardingApi {
 public:
  LateApi(kube::Api& api, net::Timers& timers) : ForwardingApi(api), timers_(timers) {}
  net::Task<Result<kube::ListPage>> list(kube::ApiCall call, kube::ItemSink sink) override {
    const auto slept = co_await timers_.sleep_for(kLateness);
    if (!slept) co_return fail(slept.error());
    auto page = co_await api_.list(std::move(call), std::move(sink));
    co_return page;
  }
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch(kube::ApiCall call) override {
    ++watches;
    const auto slept = co_await timers_.sleep_for(kLateness);
    if (!slept) co_return fail(slept.error());
    auto stream = co_await api_.watch(std::move(call));
    co_return stream;
  }
  int watches = 0;

 private:
  net::Timers& timers_;
};

// Counts the watches of each kind.
class CountingApi final : public kube::ForwardingApi {
 public:
  using ForwardingApi::ForwardingApi;
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch(kube::ApiCall call) override {
    ++watches[std::string(call.resource->kind)];
    return api_.watch(std::move(call));
  }
  std::map<std::string, int> watches;
};

class CompositionTest : public testing::Test {
 protected:
  CompositionTest() {
    for (const char* name : {"a", "b", "c"}) {
      node_uid_ =
          create<api::Node>(
              fmt::format(R"({{"metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}"}}}}}})", name))
              .metadata()
              .uid();
    }
    loop_.run_for(10s);  // until the nodes are ready
    compose(std::nullopt);
  }
  void compose(std::optional<config::RecoverySettings> recovery) {
    CompositionSettings settings;
    settings.configuration = config::default_configuration(config::default_catalog());
    for (const auto point : {placement::Point::PreFilter, placement::Point::Filter}) {
      settings.configuration.profiles.front().at(point).push_back({"Podrescheduling"});
    }
    settings.recovery = std::move(recovery);
    compose(std::move(settings));
  }
  void compose(CompositionSettings settings) {
    settings.host = "test";
    auto made = Composition::make({.api = &counting_, .migrations = &late_}, std::move(settings), services());
    RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
    composition_ = std::move(*made);
  }
  ~CompositionTest() override {
    (void)loop_.await_result(ended());
    loop_.run_for(1s);
  }

  net::Task<Result<void>> ended() {
    co_await composition_->stop(1s);
    co_return Result<void>{};
  }
  void begin() {
    composition_->follow();
    composition_->lead();
  }
  template <class T>
  T create(const std::string& json) {
    T object;
    const auto read = kube::from_json(json, object, kube::UnknownFields::Refuse);
    RESCHEDULER_CHECK(read.has_value(), "{}", read.error().message);
    auto made = loop_.await_result(kube::Client(api_).create(std::move(object)));
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(*made) : T();
  }
  std::string node_of(const std::string& pod) {
    auto read = loop_.await_result(kube::Client(api_).get<api::Pod>("default", pod));
    return read ? read->spec().node_name() : std::string();
  }
  // A pod with a controller that exists and does nothing.
  void add_pod(const std::string& name) {
    create<api::Pod>(fmt::format(
        R"({{"metadata":{{"namespace":"default","name":"{}","labels":{{"app":"web"}},"ownerReferences":[{{"apiVersion":"v1",
            "kind":"Node","name":"c","uid":"{}","controller":true}}]}},"spec":{{"schedulerName":"rescheduler-scheduler",
            "containers":[{{"name":"main","image":"registry.example/app:1"}}]}}}})",
        name, node_uid_));
  }
  // A Deployment that asked for recovery, with one pod that runs.
  void recover_without_webhook(const std::string& pod_annotations = "{}") {
    config::RecoverySettings recovery;
    recovery.webhook.enabled = false;
    compose(recovery);
    begin();
    create<api::Deployment>(fmt::format(
        R"({{"metadata":{{"namespace":"default","name":"web","annotations":{{"scheduling-retries":"2"}}}},
          "spec":{{"replicas":1,"selector":{{"matchLabels":{{"app":"web"}}}},
          "template":{{"metadata":{{"labels":{{"app":"web"}},"annotations":{}}},
          "spec":{{"schedulerName":"rescheduler-scheduler",
          "containers":[{{"name":"main","image":"registry.example/app:1"}}]}}}}}}}})",
        pod_annotations));
    ASSERT_TRUE(loop_.run_until([&] { return !running_pod().metadata().name().empty(); }, 1min));
  }
  api::Pod running_pod() {
    auto listed = loop_.await_result(kube::Client(api_).list<api::Pod>("default"));
    if (!listed) return {};
    for (const auto& pod : *listed) {
      if (pod->status().phase() == "Running" && !pod->metadata().has_deletion_timestamp()) return *pod;
    }
    return {};
  }
  kube::LoopServices services() { return {loop_.executor(), &loop_.timers(), &cluster_.agenda(), &rng_, &metrics_}; }

  std::string node_uid_;
  Rng rng_{1};
  MetricRegistry metrics_;
  sim::EmbeddedCluster cluster_;
  sim::LocalApi api_{cluster_.server(), cluster_.documents()};
  sim::VirtualLoop loop_{cluster_.agenda()};
  LateApi late_{api_, loop_.timers()};
  CountingApi counting_{api_};
  std::unique_ptr<Composition> composition_;
};

// In an idle cluster all three nodes are equal, so each node is the target once.
TEST_F(CompositionTest, APendingReplacementIsBoundToTheTargetOfItsMigration) {
  ASSERT_TRUE(loop_.await_result(migration::ensure_definition(api_, loop_.timers())));
  for (const std::string target : {"a", "b", "c"}) {
    auto made = create<api::Migration>(fmt::format(
        R"({{"metadata":{{"namespace":"default","name":"to-{0}"}},"spec":{{"pod":"old-{0}","podUID":"old-{0}","source":"x","target":"{0}"}}}})",
        target));
    auto written = loop_.await_result(kube::Client(api_).patch<api::Migration>(
        "default", made.metadata().name(),
        fmt::format(
            R"({{"status":{{"phase":"Replacing","mode":"Coordinated","selector":"app=web","workload":{{"kind":"StatefulSet","name":"web","uid":"w"}}}}}})"),
        {.subresource = "status"}));
    ASSERT_TRUE(written) << written.error().message;
    add_pod("old-" + target);
  }
  begin();
  EXPECT_TRUE(loop_.run_until(
      [&] { return !node_of("old-a").empty() && !node_of("old-b").empty() && !node_of("old-c").empty(); }, 30s));
  EXPECT_EQ(node_of("old-a"), "a");
  EXPECT_EQ(node_of("old-b"), "b");
  EXPECT_EQ(node_of("old-c"), "c");
}

TEST_F(CompositionTest, WithoutTheMigrationDefinitionTheSchedulerDoesNotWaitForMigrations) {
  add_pod("p");
  begin();
  EXPECT_TRUE(loop_.run_until([&] { return !node_of("p").empty(); }, 900ms));
}

TEST_F(CompositionTest, ADefinitionThatIsInstalledLateIsUsedWithinSeconds) {
  begin();
  loop_.run_for(2min);
  ASSERT_EQ(composition_->problems().size(), 1U);
  EXPECT_EQ(composition_->problems()[0].part, kDefinitionPart);
  const int before = late_.watches;
  loop_.run_for(1min);
  EXPECT_GE(late_.watches - before, 6) << "retries must not become rare";
  ASSERT_TRUE(loop_.await_result(migration::ensure_definition(api_, loop_.timers())));
  EXPECT_TRUE(loop_.run_until([&] { return composition_->problems().empty(); }, 10s));
}

// Recovery uses the informers of the scheduler for the kinds that both need, and still receives failed pods.
TEST_F(CompositionTest, RecoverySharesTheInformersOfTheScheduler) {
  recover_without_webhook();
  const std::string evicted = R"({"status":{"phase":"Failed","reason":"Evicted"}})";
  ASSERT_TRUE(loop_.await_result(kube::Client(api_).patch<api::Pod>("default", running_pod().metadata().name(), evicted,
                                                                    {.subresource = "status"})));
  const auto counted = [&] {
    auto read = loop_.await_result(kube::Client(api_).get<api::Deployment>("default", "web"));
    return read && read->metadata().annotations().contains("kse.com/deploy");
  };
  EXPECT_TRUE(loop_.run_until(counted, 5min)) << "the evicted pod is counted";
  for (const char* kind : {"Pod", "Node", "ReplicaSet", "StatefulSet"}) EXPECT_EQ(counting_.watches[kind], 1) << kind;
  EXPECT_EQ(counting_.watches["Job"], 1) << "the scheduler has no informer for Jobs";
}

// The scheduler itself keeps its pods off the visited nodes. The binding writes the annotations of the webhook.
TEST_F(CompositionTest, WithoutAWebhookPodsOfOurSchedulerAvoidTheNodeWhereTheyFailed) {
  // Pods prefer node a, so that only the failure there keeps them off it.
  for (const char* name : {"b", "c"}) {
    ASSERT_TRUE(loop_.await_result(kube::Client(api_).patch<api::Node>(
        "", name, R"({"spec":{"taints":[{"key":"worse","effect":"PreferNoSchedule"}]}})")));
  }
  recover_without_webhook(R"({"sim.rescheduler.io/crash-on":"a"})");
  const api::Pod first = running_pod();
  ASSERT_EQ(first.spec().node_name(), "a");
  api::Pod next;
  ASSERT_TRUE(loop_.run_until(
      [&] {
        next = running_pod();
        return !next.metadata().uid().empty() && next.metadata().uid() != first.metadata().uid();
      },
      10min));
  EXPECT_NE(next.spec().node_name(), "a");
  EXPECT_EQ(next.metadata().annotations().at("kse.com/scheduled-hosts"), R"(["a"])");
  EXPECT_EQ(next.metadata().annotations().at("rescheduler.io/recovery-slot"), "1");
}

CompositionSettings with_moves() {
  CompositionSettings settings;
  settings.configuration = config::default_configuration(config::default_catalog());
  config::place_by_load(settings.configuration.profiles.front(), {});
  config::resolve_settings(settings.configuration);
  settings.webhook = settings.configuration.webhook;
  settings.webhook->port = 0;
  settings.webhook->url = "https://127.0.0.1:0";
  settings.webhook_address = "127.0.0.1";
  return settings;
}

// The API server calls the webhook of every replica.
TEST_F(CompositionTest, AReplicaThatServesTheWebhookFollowsTheMigrationsBeforeItLeads) {
  ASSERT_TRUE(loop_.await_result(migration::ensure_definition(api_, loop_.timers())));
  CompositionSettings settings = with_moves();
  settings.configuration.delay_cache_until_active = true;
  compose(std::move(settings));
  composition_->follow();
  EXPECT_TRUE(loop_.run_until([&] { return late_.watches == 1; }, 30s));
  EXPECT_EQ(counting_.watches["Pod"], 0);
}

// Pods of other schedulers are moved too, whether failing pods are recovered or not.
TEST_F(CompositionTest, TheWebhookIsServedForMovesWithoutRecovery) {
  compose(with_moves());
  begin();
  EXPECT_EQ(composition_->recovery(), nullptr);
  const auto registered = [&] {
    auto read =
        loop_.await_result(kube::Client(api_).get<server::MutatingWebhookConfiguration>("", "rescheduler-recovery"));
    return read && read->webhooks_size() == 1 && !read->webhooks(0).client_config().ca_bundle().empty();
  };
  EXPECT_TRUE(loop_.run_until(registered, 1min));
}

TEST_F(CompositionTest, AWebhookWhoseServiceIsMissingIsAProblemOfTheInstallation) {
  ASSERT_TRUE(loop_.await_result(migration::ensure_definition(api_, loop_.timers())));
  CompositionSettings settings = with_moves();
  settings.webhook->url.clear();
  compose(std::move(settings));
  begin();
  loop_.run_for(5s);
  EXPECT_TRUE(composition_->problems().empty()) << "a replica is behind the Service only after it is ready";
  ASSERT_TRUE(loop_.run_until([&] { return composition_->problems().size() == 1; }, 1min));
  const InstallationProblem problem = composition_->problems().front();
  EXPECT_EQ(problem.part, kWebhookPart);
  EXPECT_THAT(problem.sentence, testing::HasSubstr("Service kube-system/rescheduler-webhook does not exist"));
  EXPECT_FALSE(composition_->webhook_status()) << "/readyz?verbose has one line about the webhook";
}

}  // namespace
}  // namespace rescheduler::cli
