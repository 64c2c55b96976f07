#include "support/recovery.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/events.pb.h"
#include "server/proto/webhook_configuration.pb.h"
#include "support/objects.h"

namespace rescheduler::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kGrace{10};
constexpr seconds kProof{4};  // longer than a container of the embedded cluster runs before it crashes

bool names(const api::Pod& pod, const char* annotation) {
  const auto found = pod.metadata().annotations().find(annotation);
  if (found == pod.metadata().annotations().end()) return false;
  const std::string list = "," + found->second + ",";
  return found->second == "*" || list.find("," + pod.spec().node_name() + ",") != std::string::npos;
}

std::string failing_status(const api::Pod& pod, const char* reason, int restarts) {
  return fmt::format(
      R"({{"metadata":{{"uid":"{}"}},"status":{{"phase":"Running",
      "conditions":[{{"type":"Ready","status":"False"}},{{"type":"ContainersReady","status":"False"}}],
      "containerStatuses":[{{"name":"main","image":"x","imageID":"","ready":false,"started":false,"restartCount":{},
      "state":{{"waiting":{{"reason":"{}"}}}}}}]}}}})",
      pod.metadata().uid(), restarts, reason);
}

}  // namespace

net::Task<Result<void>> GuardedApi::call(kube::ApiCall call, kube::Message* answer) {
  if (guard_) {
    if (auto refused = guard_(call)) co_return fail(std::move(*refused));
  }
  auto done = co_await api_.call(std::move(call), answer);
  co_return done;
}

TestRecovery::TestRecovery(TestCluster& cluster, TestRecoverySettings settings)
    : link_(cluster.connect_as_product()),
      tester_(cluster.connect()),
      api_(std::make_unique<GuardedApi>(link_->api(), std::move(settings.guard))) {
  const std::size_t before = asked();
  rescheduling::recovery::LiveRecoverySettings live;
  live.recovery = settings.recovery;
  live.host = "test";
  live.ns = settings.ns;
  live.home = settings.ns;
  live.poll_interval = milliseconds{100};
  live.proof = kProof;
  link_->on_loop([&] {
    live_ = rescheduling::recovery::LiveRecovery::make({api_.get(), nullptr}, std::move(live), link_->services());
  });
  if (settings.webhook) {
    server::RecoveryWebhookSettings hook;
    hook.webhook = settings.recovery.webhook;
    webhook_name_ = hook.webhook.name = settings.ns;
    hook.webhook.service = settings.ns;
    secret_name_ = settings.ns + "-tls";
    hook.webhook.port = 0;
    hook.webhook.url = settings.webhook_url;
    hook.address = "127.0.0.1";
    hook.own_namespace = "default";
    hook.only_namespaces = {settings.ns};
    hook.own_schedulers = {settings.ns};
    hook.poll_interval = seconds{600};
    hook.settle = seconds{3};
    hook.webhook.timeout = seconds{10};
    prepare_webhook();
    hook.intents = std::move(settings.intents);
    const server::PodHints hints = [this](const api::Pod& pod) { return live_->hint_for(pod); };
    link_->on_loop([&] {
      auto started = server::RecoveryWebhook::start(*api_, hints, std::move(hook), link_->services());
      RESCHEDULER_CHECK(started.has_value(), "{}", started.error().message);
      webhook_ = std::move(*started);
    });
  }
  auto begun = link_->await(begin());
  EXPECT_TRUE(begun) << begun.error().message;
  if (!webhook_ || !settings.wait_for_webhook) return;
  // The API server uses a new webhook only after a moment.
  kube::WriteOptions dry_run;
  dry_run.dry_run = true;
  EXPECT_TRUE(eventually([&] {
    (void)tester_->await(tester_->client().create(pod_of(settings.ns, "probe", "nowhere"), dry_run));
    return asked() > before;
  })) << "the API server does not call the webhook";
}

// The objects of the webhook in manifests/rescheduler/rbac.yaml. The product may update them, but not create them.
void TestRecovery::prepare_webhook() {
  server::MutatingWebhookConfiguration configuration;
  configuration.mutable_metadata()->set_name(webhook_name_);
  api::Secret secret;
  secret.mutable_metadata()->set_namespace_("default");
  secret.mutable_metadata()->set_name(secret_name_);
  const auto made = tester_->await(tester_->client().create(std::move(configuration)));
  EXPECT_TRUE(made || made.error().code == Errc::AlreadyExists) << made.error().message;
  const auto kept = tester_->await(tester_->client().create(std::move(secret)));
  EXPECT_TRUE(kept || kept.error().code == Errc::AlreadyExists) << kept.error().message;
}

std::string TestRecovery::status() {
  std::string text;
  link_->on_loop([&] { text = live_->status_text(); });
  return text;
}

std::string TestRecovery::webhook_status() {
  std::string text;
  link_->on_loop([&] { text = webhook_->status_text(); });
  return text;
}

std::size_t TestRecovery::asked() {
  const std::string text = metrics();
  const std::string name = R"(rescheduler_recovery_webhook_requests_total{code="200"} )";
  const auto found = text.find(name);
  return found == std::string::npos ? 0 : static_cast<std::size_t>(std::stod(text.substr(found + name.size())));
}

net::Task<Result<void>> TestRecovery::begin() {
  live_->follow();
  auto synced = co_await live_->wait_synced();
  if (!synced) co_return synced;
  if (webhook_) {
    auto ready = co_await webhook_->bring_up_to_date(false);
    // The webhook's own update loop may have created the Secret at the same moment.
    if (!ready && ready.error().code != Errc::AlreadyExists) co_return ready;
  }
  live_->lead();
  co_return Result<void>{};
}

net::Task<Result<void>> TestRecovery::end() {
  const bool ended = co_await live_->stop(kGrace);
  live_.reset();
  if (!ended) co_return fail(Errc::Timeout, "recovery did not end in time");
  co_return Result<void>{};
}

net::Task<Result<void>> TestRecovery::end_webhook() {
  co_await webhook_->stop(kGrace);
  webhook_.reset();
  co_return Result<void>{};
}

TestRecovery::~TestRecovery() {
  stop();
  if (webhook_name_.empty()) return;
  (void)tester_->await(tester_->client().remove<server::MutatingWebhookConfiguration>("", webhook_name_));
  (void)tester_->await(tester_->client().remove<api::Secret>("default", secret_name_));
}

void TestRecovery::stop_webhook() {
  if (webhook_) (void)link_->await(end_webhook());
}

void TestRecovery::stop() {
  stop_webhook();
  if (!live_) return;
  auto ended = link_->await(end());
  EXPECT_TRUE(ended) << ended.error().message;
}

PodFailureInjector::PodFailureInjector(TestCluster& cluster, std::string ns)
    : link_(cluster.connect()), ns_(std::move(ns)), thread_([this] { work(); }) {}

PodFailureInjector::~PodFailureInjector() {
  stopping_ = true;
  thread_.join();
}

void PodFailureInjector::work() {
  kube::PatchOptions status = status_patch();
  status.kind = kube::PatchKind::StrategicMerge;
  while (!stopping_) {
    auto listed = link_->await(link_->client().list<api::Pod>(ns_));
    for (const auto& pod : listed.value_or(std::vector<std::shared_ptr<const api::Pod>>{})) {
      const bool crashes = names(*pod, "sim.rescheduler.io/crash-on");
      const bool cannot_pull = names(*pod, "sim.rescheduler.io/image-pull-fails-on");
      const bool runs = pod->status().phase() == "Running" && !pod->metadata().has_deletion_timestamp();
      if (!runs || (!crashes && !cannot_pull) || done_.contains(pod->metadata().uid())) continue;
      const std::string patch =
          crashes ? failing_status(*pod, "CrashLoopBackOff", 3) : failing_status(*pod, "ImagePullBackOff", 0);
      auto done = link_->await(link_->client().patch<api::Pod>(ns_, pod->metadata().name(), patch, status));
      if (done) done_.insert(pod->metadata().uid());
    }
    // The polling interval of this thread, not a wait for a condition.
    std::this_thread::sleep_for(milliseconds{50});
  }
}

void RecoveryTest::SetUp() {
  SchedulingTest::SetUp();
  if (!IsSkipped() && GetParam() == Tier::Real)
    failure_injector_ = std::make_unique<PodFailureInjector>(cluster(), ns());
}

void RecoveryTest::TearDown() {
  recoveries_.clear();
  failure_injector_.reset();
  SchedulingTest::TearDown();
}

config::RecoverySettings RecoveryTest::quick() const {
  config::RecoverySettings recovery;
  recovery.rules.crash_loop.restarts = 2;
  recovery.rules.init_failure.restarts = 2;
  recovery.rules.image_pull.after = milliseconds{500};
  recovery.rules.container_error.after = milliseconds{500};
  recovery.rules.failed.rule.after = milliseconds{200};
  recovery.rules.node_lost.after = seconds{1};
  recovery.quarantine.mode = config::StrategyMode::Off;
  return recovery;
}

TestRecovery& RecoveryTest::start_recovery(config::RecoverySettings recovery, GuardedApi::Guard guard, bool webhook) {
  TestRecoverySettings settings;
  settings.recovery = std::move(recovery);
  settings.guard = std::move(guard);
  settings.webhook = webhook;
  return start_recovery(std::move(settings));
}

TestRecovery& RecoveryTest::start_recovery(TestRecoverySettings settings) {
  settings.ns = ns();
  return *recoveries_.emplace_back(std::make_unique<TestRecovery>(cluster(), std::move(settings)));
}

std::vector<std::string> RecoveryTest::add_nodes(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(add_node(fmt::format("n{}", i)));
  return names;
}

void RecoveryTest::kill_node(const std::string& node) {
  patch_node(node, GetParam() == Tier::Real ? R"({"metadata":{"labels":{"kube-rig/dead":""}}})"
                                            : R"({"metadata":{"annotations":{"sim.rescheduler.io/fault":"dead"}}})");
}

void RecoveryTest::run_for(api::PodTemplateSpec& pods, seconds embedded, seconds real) const {
  auto& annotations = *pods.mutable_metadata()->mutable_annotations();
  annotations["sim.rescheduler.io/run-for"] = fmt::format("{}s", embedded.count());
  annotations["kube-rig/run-for"] = fmt::format("{}s", real.count());
}

void RecoveryTest::shape(api::PodTemplateSpec& pods, const std::string& crash_on) const {
  if (!crash_on.empty()) (*pods.mutable_metadata()->mutable_annotations())["sim.rescheduler.io/crash-on"] = crash_on;
  auto& spec = *pods.mutable_spec();
  spec.set_scheduler_name(ns());
  spec.set_termination_grace_period_seconds(1);
  (*spec.mutable_node_selector())["test"] = ns();
  auto& toleration = *spec.add_tolerations();
  toleration.set_key("test");
  toleration.set_value(ns());
}

api::Deployment RecoveryTest::failing_deployment(const std::string& name,
                                                 int replicas,
                                                 const std::string& retries,
                                                 const std::string& crash_on) {
  auto made = deployment_of(ns(), name, replicas);
  if (!retries.empty()) (*made.mutable_metadata()->mutable_annotations())["scheduling-retries"] = retries;
  shape(*made.mutable_spec()->mutable_template_(), crash_on);
  return made;
}

std::vector<api::Pod> RecoveryTest::pods() {
  std::vector<api::Pod> all;
  auto listed = await(client().list<api::Pod>(ns()));
  EXPECT_TRUE(listed) << listed.error().message;
  if (!listed) return all;
  for (const auto& pod : *listed) all.push_back(*pod);
  return all;
}

std::vector<api::Pod> RecoveryTest::live_pods() {
  auto all = pods();
  std::erase_if(all, [](const api::Pod& pod) {
    return pod.metadata().has_deletion_timestamp() || pod.status().phase() == "Failed";
  });
  return all;
}

bool is_ready(const api::Pod& pod) {
  const auto* ready = condition_of(pod, "Ready");
  return ready != nullptr && ready->status() == "True";
}

bool RecoveryTest::all_ready(std::size_t count) {
  return eventually([&] {
    const auto live = live_pods();
    return live.size() == count && std::ranges::all_of(live, is_ready);
  });
}

bool RecoveryTest::event_contains(const std::string& regarding, const std::string& reason, const std::string& part) {
  return eventually([&] {
    const auto notes = events(regarding, reason);
    return std::ranges::any_of(notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
  });
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ",")); }

}  // namespace rescheduler::test
