#include "chaos/chaotic_cluster.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cluster/objects/annotations.h"
#include "config/read.h"
#include "kube/codec/json.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "migration/definition.h"
#include "migration/intent.h"
#include "migration/keys.h"
#include "migration/record.h"
#include "sim/kubelet/fault_board.h"

namespace rescheduler::test {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kNs = "default";
constexpr std::string_view kScheduler = "rescheduler-scheduler";
constexpr auto kLease = 15s;          // a lease expires after this time without a renewal
constexpr auto kRenewDeadline = 10s;  // the holder stops acting before the lease expires
constexpr auto kRenew = 2s;

sim::ClusterSettings settings_for(std::uint64_t seed) {
  sim::ClusterSettings settings;
  settings.seed = seed;
  return settings;
}

std::string spec_of(const std::string& extra) {
  return fmt::format(
      R"({{"schedulerName":"{}","terminationGracePeriodSeconds":2,"containers":[{{"name":"main",
          "image":"registry.example/app:1","resources":{{"requests":{{"cpu":"100m"}}}}{}}}]}})",
      kScheduler, extra);
}

}  // namespace

ChaoticCluster::ChaoticCluster(std::uint64_t seed, ChaosSettings chaos)
    : rng_(seed),
      chaos_(chaos),
      cluster_(settings_for(seed)),
      faults_(cluster_.server(), seed),
      checker_(cluster_.server()) {
  reliable_api_ = std::make_unique<sim::LocalApi>(cluster_.server(), cluster_.documents());
  faulty_api_ = std::make_unique<sim::LocalApi>(cluster_.server(), cluster_.documents(), &faults_);
  EXPECT_TRUE(loop_.await_result(migration::ensure_definition(*reliable_api_, loop_.timers())));
  populate();
  loop_.run_for(30s);
  change_leader();
}

ChaoticCluster::~ChaoticCluster() {
  leader_ = {};
  past_.clear();
  loop_.run_for(1s);
  const auto stop = [](scheduler::LiveScheduler& live) -> net::Task<Result<void>> {
    co_await live.stop(1s);
    co_return Result<void>{};
  };
  (void)loop_.await_result(stop(*live_));
  live_.reset();
}

void ChaoticCluster::run(int moves) {
  if (chaos_.wire) add_wire_faults();
  while (moves_begun_ < moves) {
    for (auto left = 1 + rng_.below(3); left > 0; --left) begin_move();
    if (chaos_.disruptions && rng_.below(2) == 0) disrupt();
    advance(std::chrono::milliseconds{200 + rng_.below(3000)});
  }
  stop_faults();
  const auto over = [this] {
    const auto& moves_made = checker_.ledger().moves();
    return leader_.migrator->under_way().empty()
           && std::ranges::none_of(moves_made, [](const auto& one) { return one.second.open; });
  };
  for (int i = 0; i < 3600 && !over(); ++i) advance(1s);
  advance(6min);  // long enough for a sweep
  checker_.check_end();
}

// --- The cluster ---

template <class T>
void ChaoticCluster::create(const std::string& json) {
  T object;
  const auto read = kube::from_json(json, object, kube::UnknownFields::Refuse);
  RESCHEDULER_CHECK(read.has_value(), "a test's own object: {}", read.error().message);
  auto made = loop_.await_result(client().create(std::move(object)));
  EXPECT_TRUE(made) << made.error().message;
}

template <class T>
void ChaoticCluster::patch(const std::string& name, const std::string& json) {
  (void)loop_.await_result(client().patch<T>(std::is_same_v<T, api::Node> ? "" : std::string(kNs), name, json));
}

void ChaoticCluster::populate() {
  for (std::uint64_t i = 0; i < kNodes; ++i) make_node(fmt::format("n{}", i));
  start_scheduler();
  for (int i = 0; i < 5; ++i) deploy(fmt::format("web{}", i), 4);
  for (int i = 0; i < 3; ++i) deploy(fmt::format("solo{}", i), 1);
  // PodDisruptionBudgets of every form. web4, solo1, solo2 and db1 have none.
  protect("web0", R"("minAvailable":3)");
  protect("web1", R"("maxUnavailable":1)");
  protect("web2", R"("minAvailable":"50%")");
  protect("web3", R"("maxUnavailable":"25%")");
  protect("solo0", R"("minAvailable":1)");
  for (int i = 0; i < 2; ++i) deploy_set(fmt::format("db{}", i), 2);
  protect("db0", R"("maxUnavailable":1)");
  // Pods that cannot be evicted: a budget that allows no disruption, two budgets for one pod, opt-out.
  deploy("fixed", 2);
  protect("fixed", R"("maxUnavailable":0)");
  deploy("twice", 2);
  protect("twice", R"("maxUnavailable":1)");
  protect("twice", R"("minAvailable":1)", "-too");
  deploy("still", 2);
  patch<api::Deployment>(
      "still", fmt::format(R"({{"metadata":{{"annotations":{{"{}":"disabled"}}}}}})", cluster::kReschedulingKey));
  checker_.forbid("still");
  for (; bare_pods_ < 3; ++bare_pods_) make_pod(fmt::format("lone{}", bare_pods_), false);
  make_pod("ported", true);
  checker_.single_identity("ported");
}

void ChaoticCluster::make_node(const std::string& name) {
  // A node has room for eight pods of 100m CPU. The initial 37 pods fill more than half of the cluster; surges,
  // rollouts and dead nodes leave less room.
  create<api::Node>(fmt::format(
      R"({{"metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}"}}}},
          "status":{{"capacity":{{"cpu":"800m","memory":"8Gi","pods":"12"}}}}}})",
      name));
}

void ChaoticCluster::deploy(const std::string& name, int replicas) {
  create<api::Deployment>(fmt::format(
      R"({{"metadata":{{"namespace":"{}","name":"{}"}},"spec":{{"replicas":{},"selector":{{"matchLabels":{{"app":"{}"}}}},
          "template":{{"metadata":{{"labels":{{"app":"{}"}}}},"spec":{}}}}}}})",
      kNs, name, replicas, name, name, spec_of("")));
  deployments_.push_back(name);
}

void ChaoticCluster::deploy_set(const std::string& name, int replicas) {
  create<api::StatefulSet>(fmt::format(
      R"({{"metadata":{{"namespace":"{}","name":"{}"}},"spec":{{"replicas":{},"serviceName":"{}",
          "selector":{{"matchLabels":{{"app":"{}"}}}},"template":{{"metadata":{{"labels":{{"app":"{}"}}}},"spec":{}}}}}}})",
      kNs, name, replicas, name, name, name, spec_of("")));
}

void ChaoticCluster::make_pod(const std::string& name, bool port) {
  create<api::Pod>(fmt::format(R"({{"metadata":{{"namespace":"{}","name":"{}","labels":{{"app":"{}"}}}},"spec":{}}})",
                               kNs, name, name,
                               spec_of(port ? R"(,"ports":[{"containerPort":80,"hostPort":31080}])" : "")));
}

void ChaoticCluster::protect(const std::string& app, const std::string& demand, const std::string& suffix) {
  create<api::PodDisruptionBudget>(fmt::format(
      R"({{"metadata":{{"namespace":"{}","name":"{}{}"}},"spec":{{{},"selector":{{"matchLabels":{{"app":"{}"}}}}}}}})",
      kNs, app, suffix, demand, app));
}

void ChaoticCluster::start_scheduler() {
  scheduler::LiveSettings settings;
  settings.configuration = config::default_configuration(config::default_catalog());
  settings.host = "chaos";
  auto made = scheduler::LiveScheduler::make({reliable_api_.get(), nullptr}, std::move(settings), services());
  RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
  live_ = std::move(*made);
  live_->follow();
  (void)loop_.await_result(live_->wait_synced());
  live_->lead();
}

// --- Leader election ---

void ChaoticCluster::advance(std::chrono::nanoseconds duration) {
  while (duration > 0ns) {
    const auto step = std::min<std::chrono::nanoseconds>(duration, kRenew);
    if (leader_.lease) leader_.lease->allow_until(cluster_.agenda().steady_now() + kRenewDeadline);
    loop_.run_for(step);
    duration -= step;
    const SteadyTime now = cluster_.agenda().steady_now();
    const auto due = std::ranges::partition(later_, [&](const auto& one) { return one.first > now; });
    std::vector<std::pair<SteadyTime, std::function<void()>>> ripe(std::make_move_iterator(due.begin()),
                                                                   std::make_move_iterator(due.end()));
    later_.erase(due.begin(), due.end());
    for (auto& [when, what] : ripe) what();
  }
}

// Kills the old leader in the middle of its work, or takes its lease away and leaves it running.
void ChaoticCluster::change_leader() {
  if (leader_.migrator && rng_.below(2) == 0) {
    past_.push_back(std::exchange(leader_, {}));
    loop_.run_for(kLease);
  } else if (leader_.lease) {
    leader_.lease->close();
  }
  // Former leaders keep their watches, which costs time and tests nothing more.
  if (past_.size() > 2) past_.erase(past_.begin());
  leader_ = {};
  leader_.lease = std::make_shared<kube::LeaderFence>(cluster_.agenda());
  lease_apis_.push_back(std::make_unique<LeaseCheckingApi>(*faulty_api_, leader_.lease, cluster_.agenda(), checker_));
  migration::MigrationParts parts{lease_apis_.back().get(), reliable_api_.get(), services(), leader_.lease, {}};
  parts.settings.direct = true;
  parts.settings.protect_unprotected = rng_.below(2) == 0;
  parts.settings.scheduler_names = {std::string(kScheduler)};
  parts.settings.history = 5000;
  parts.settings.sweep_every = 2min;
  parts.settings.steer = [this](std::vector<migration::PlacementIntent> wanted) {
    std::vector<scheduler::Intent> intents;
    for (auto& one : wanted) {
      intents.push_back({one.migration, one.ns, one.selector, one.pod, one.target, one.avoid});
    }
    live_->set_intents(std::move(intents));
  };
  leader_.migrator = std::make_unique<migration::MigrationController>(std::move(parts));
  leader_.migrator->follow();
  loop_.run_until([this] { return leader_.migrator->synced(); }, 10min);
  leader_.lease->allow_until(cluster_.agenda().steady_now() + kRenewDeadline);
  leader_.migrator->lead();
  ++leaders_;
}

void ChaoticCluster::add_wire_faults() {
  using kube::Verb;
  const std::vector<Verb> writes{Verb::Create, Verb::Update, Verb::Patch, Verb::Delete};
  const auto refuse = [&](int code, double share) {
    faults_.add({.verbs = writes,
                 .probability = share,
                 .fault = {.refuse = sim::refusal_with(code, code == 429 ? std::optional(1) : std::nullopt)}});
  };
  refuse(409, 0.02);
  refuse(429, 0.02);
  refuse(500, 0.02);
  faults_.add({.verbs = writes, .probability = 0.03, .fault = {.lose_response = sim::Loss::Reset}});
  faults_.add({.verbs = writes, .probability = 0.01, .fault = {.lose_request = sim::Loss::Silence}});
  faults_.add({.verbs = {Verb::Get, Verb::List}, .probability = 0.02, .fault = {.lose_response = sim::Loss::Reset}});
  faults_.add({.verbs = {Verb::Watch}, .probability = 0.3, .fault = {.drop_watch_after = 5}});
  faults_.add({.verbs = {Verb::Watch}, .probability = 0.1, .fault = {.stall_watch_after = 3}});
}

void ChaoticCluster::stop_faults() {
  faults_.clear();
  for (auto& [when, what] : std::exchange(later_, {})) what();
  if (chaos_.disruptions) change_leader();
}

void ChaoticCluster::later(std::chrono::nanoseconds delay, std::function<void()> what) {
  later_.emplace_back(cluster_.agenda().steady_now() + delay, std::move(what));
}

// --- Moves ---

std::vector<const PodFacts*> ChaoticCluster::running_pods() const {
  std::vector<const PodFacts*> pods;
  for (const auto& [uid, pod] : checker_.index().pods()) {
    if (!pod.node.empty() && pod.present()) pods.push_back(&pod);
  }
  return pods;
}

// Begins a move, in most cases one that must succeed. Without faults it begins only such moves.
void ChaoticCluster::begin_move() {
  const auto pods = running_pods();
  constexpr std::size_t kAtOnce = 12;
  if (pods.empty() || leader_.migrator->under_way().size() > kAtOnce) return;
  const bool any = chaos_.disruptions && rng_.below(4) == 0;
  for (int tries = 0; tries < 20; ++tries) {
    const PodFacts& pod = *pods[rng_.below(pods.size())];
    const std::string target = any_node();
    const auto mode = rng_.below(4) == 0 ? migration::MoveMode::MakeBeforeBreak : migration::MoveMode::Automatic;
    if (target == pod.node) continue;
    const auto expected = checker_.ledger().expectation(pod.uid, target, std::string(to_string(mode)));
    if (!any && expected == Expected::Anything) continue;
    migration::MoveRequest request;
    request.ns = kNs;
    request.pod = pod.name;
    request.uid = pod.uid;
    request.source = pod.node;
    request.target = target;
    request.strategy = "LoadBalancing";
    request.reason = "chaos";
    request.deadline = std::chrono::seconds{120 + rng_.below(240)};
    request.mode = mode;
    leader_.migrator->begin(std::move(request));
    ++moves_begun_;
    loop_.run_for(10ms);  // the Migration must be written first: the expectation for the next move depends on it
    return;
  }
}

// --- Users, nodes and other faults ---

void ChaoticCluster::disrupt() {
  ++disruptions_;
  const std::string& app = deployments_[rng_.below(deployments_.size())];
  switch (rng_.below(10)) {
    case 0: return delete_a_pod();
    case 1: return scale(app);
    case 2: return roll_out(app);
    case 3: return break_a_node();
    case 4: return cordon_a_node();
    case 5: return replace_lost_pod();
    case 6:
    case 7: return cancel_move();
    default: return change_leader();
  }
}

void ChaoticCluster::delete_a_pod() {
  const auto pods = running_pods();
  if (pods.empty()) return;
  const PodFacts pod = *pods[rng_.below(pods.size())];
  if (pod.bare) return;
  checker_.user_deletes_pod(pod.app);
  (void)loop_.await_result(client().remove<api::Pod>(std::string(kNs), pod.name));
}

void ChaoticCluster::scale(const std::string& app) {
  const int replicas = static_cast<int>(1 + rng_.below(5));
  // Do not set the number that the surge of a move has just set: the two writes could not be distinguished.
  const auto deployment = cluster_.server().find<api::Deployment>(kNs, app);
  const auto intent = deployment->metadata().annotations().find(std::string(migration::kIntentAnnotation));
  const bool marked = intent != deployment->metadata().annotations().end();
  const auto read = marked ? migration::parse_intent(intent->second) : std::nullopt;
  if (deployment->spec().replicas() == replicas || (read && read->surged_to == replicas)) return;
  checker_.user_scales(app, replicas);
  patch<api::Deployment>(app, fmt::format(R"({{"spec":{{"replicas":{}}}}})", replicas));
}

void ChaoticCluster::roll_out(const std::string& app) {
  checker_.user_rolls_out(app);
  patch<api::Deployment>(
      app, fmt::format(R"({{"spec":{{"template":{{"metadata":{{"annotations":{{"turn":"{}"}}}}}}}}}})", rng_.next()));
}

// Breaks one node at a time. The duration may be too short for the node lifecycle controller to notice.
void ChaoticCluster::break_a_node() {
  if (!broken_node_.empty()) return;
  broken_node_ = any_node();
  checker_.node_fails(broken_node_);
  const auto what = rng_.below(2) == 0 ? sim::NodeFault::Dead : sim::NodeFault::Frozen;
  cluster_.kubelets().faults().set_node(broken_node_, what);
  later(std::chrono::seconds{10 + rng_.below(400)}, [this] {
    checker_.node_recovers(broken_node_);
    cluster_.kubelets().faults().set_node(broken_node_, std::nullopt);
    broken_node_.clear();
  });
}

void ChaoticCluster::cordon_a_node() {
  if (!cordoned_node_.empty()) return;
  cordoned_node_ = any_node();
  patch<api::Node>(cordoned_node_, R"({"spec":{"unschedulable":true}})");
  later(std::chrono::seconds{5 + rng_.below(120)}, [this] {
    patch<api::Node>(cordoned_node_, R"({"spec":{"unschedulable":false}})");
    cordoned_node_.clear();
  });
}

// Sets spec.cancel or deletes the Migration. Never deletes the Migration of a Direct move: no other object holds the
// pod to create again.
void ChaoticCluster::cancel_move() {
  std::vector<const Move*> open;
  for (const auto& [uid, move] : checker_.ledger().moves()) {
    if (move.open) open.push_back(&move);
  }
  if (open.empty()) return;
  const Move move = *open[rng_.below(open.size())];
  const auto* workload = checker_.index().workload(move.app);
  const bool direct = workload == nullptr || workload->kind == "Pod";
  if (rng_.below(3) == 0 && !direct) {
    (void)loop_.await_result(client().remove<api::Migration>(std::string(kNs), move.name));
  } else {
    patch<api::Migration>(move.name, R"({"spec":{"cancel":true}})");
  }
}

// A bare pod does not come back when its node dies; its user creates another one.
void ChaoticCluster::replace_lost_pod() {
  const auto bare = std::ranges::count_if(checker_.index().pods(),
                                          [](const auto& one) { return one.second.bare && one.second.present(); });
  if (bare < 4) make_pod(fmt::format("lone{}", bare_pods_++), false);
}

}  // namespace rescheduler::test
