// Failure recovery with its webhook on a test's cluster, and pods that fail on chosen nodes.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "config/recovery_settings.h"
#include "kube/client/forwarding_api.h"
#include "kube/proto/apps.pb.h"
#include "rescheduling/recovery/live_recovery.h"
#include "server/recovery_webhook.h"
#include "support/scheduler.h"

namespace rescheduler::test {

// An Api with a guard before every call. If the guard returns an error, the call fails with it and does not reach the
// server.
class GuardedApi final : public kube::ForwardingApi {
 public:
  using Guard = std::function<std::optional<Error>(const kube::ApiCall&)>;
  GuardedApi(kube::Api& api, Guard guard) : ForwardingApi(api), guard_(std::move(guard)) {}

  net::Task<Result<void>> call(kube::ApiCall call, kube::Message* answer) override;

 private:
  Guard guard_;
};

struct TestRecoverySettings {
  config::RecoverySettings recovery{};
  std::string ns{};
  bool webhook = true;
  std::string webhook_url = "https://127.0.0.1:0";
  bool wait_for_webhook = true;  // until the API server calls it
  GuardedApi::Guard guard{};
  server::PodIntents intents{};  // for replacement pods of moves; any thread
};

class TestRecovery {
 public:
  TestRecovery(TestCluster& cluster, TestRecoverySettings settings);
  ~TestRecovery();
  TestRecovery(const TestRecovery&) = delete;
  TestRecovery& operator=(const TestRecovery&) = delete;

  void stop();
  void stop_webhook();
  std::string metrics() { return link_->services().metrics->text(); }
  std::string status();
  LiveApi& link() { return *link_; }
  server::RecoveryWebhook& webhook() { return *webhook_; }
  std::string webhook_status();
  std::uint16_t webhook_port() const { return webhook_->port(); }

 private:
  void prepare_webhook();
  std::size_t asked();  // reviews answered so far
  net::Task<Result<void>> begin();
  net::Task<Result<void>> end();
  net::Task<Result<void>> end_webhook();

  std::unique_ptr<LiveApi> link_;
  std::unique_ptr<LiveApi> tester_;  // for calls of the test that the product is not permitted to make
  std::unique_ptr<GuardedApi> api_;
  std::unique_ptr<rescheduling::recovery::LiveRecovery> live_;
  std::unique_ptr<server::RecoveryWebhook> webhook_;
  std::string webhook_name_;
  std::string secret_name_;
};

// On the real cluster KWOK runs every pod. PodFailureInjector makes pods fail according to the annotations of the
// embedded cluster: sim.rescheduler.io/crash-on and image-pull-fails-on.
class PodFailureInjector {
 public:
  PodFailureInjector(TestCluster& cluster, std::string ns);
  ~PodFailureInjector();
  PodFailureInjector(const PodFailureInjector&) = delete;
  PodFailureInjector& operator=(const PodFailureInjector&) = delete;

 private:
  void work();
  std::unique_ptr<LiveApi> link_;
  std::string ns_;
  std::atomic<bool> stopping_{false};
  std::set<std::string> done_;
  std::thread thread_;
};

class RecoveryTest : public SchedulingTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  // Short limits: two restarts, seconds instead of minutes.
  config::RecoverySettings quick() const;
  TestRecovery& start_recovery(config::RecoverySettings recovery, GuardedApi::Guard guard = {}, bool webhook = true);
  TestRecovery& start_recovery(TestRecoverySettings settings);
  TestRecovery& start_recovery() { return start_recovery(quick()); }
  std::vector<std::string> add_nodes(int count);
  // Stops the node's kubelet. On the real cluster the failure is noticed when the node's lease expires.
  void kill_node(const std::string& node);
  // How long pods of a Job with this template take to complete, on the embedded and on the real cluster.
  void run_for(api::PodTemplateSpec& pods, std::chrono::seconds embedded, std::chrono::seconds real) const;

  // `crash_on`: names of nodes, "*", or empty.
  api::Deployment failing_deployment(const std::string& name,
                                     int replicas,
                                     const std::string& retries,
                                     const std::string& crash_on);
  void shape(api::PodTemplateSpec& pods, const std::string& crash_on) const;
  std::vector<api::Pod> pods();
  std::vector<api::Pod> live_pods();
  bool all_ready(std::size_t count);  // waits
  template <class T>
  std::string annotation(const std::string& name, const std::string& key) {
    auto read = await(client().get<T>(ns(), name));
    if (!read) return "?";
    const auto found = read->metadata().annotations().find(key);
    return found == read->metadata().annotations().end() ? "" : found->second;
  }
  bool event_contains(const std::string& regarding, const std::string& reason, const std::string& part);  // waits

  std::vector<std::unique_ptr<TestRecovery>> recoveries_;
  std::unique_ptr<PodFailureInjector> failure_injector_;
};

std::string joined(const std::vector<std::string>& words);
bool is_ready(const api::Pod& pod);

}  // namespace rescheduler::test
