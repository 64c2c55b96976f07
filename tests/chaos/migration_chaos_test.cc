// A thousand moves in virtual time while nearly everything goes wrong: requests are refused, answered by nobody or
// answered and lost, watches break, pods vanish, workloads are scaled and rolled out, nodes die, leaders change.
//
//   migration_chaos_test --gtest_filter=*Thousand*          the seeds of every day
//   RESCHEDULER_SEED=17 migration_chaos_test ...      that very run again
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "chaos/history_checker.h"
#include "kube/client/client.h"
#include "kube/codec/json.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "migration/definition.h"
#include "migration/migration_controller.h"
#include "migration/record.h"
#include "scheduler/config/read.h"
#include "scheduler/live_scheduler.h"
#include "sim/cluster.h"
#include "sim/door/faults.h"
#include "sim/door/local_api.h"
#include "sim/kubelet/fault_board.h"
#include "sim/time/pacer.h"

namespace rescheduler::test {
namespace {

using namespace std::chrono_literals;
using migration::MoveResult;

struct Tally {
  int begun = 0;
  int ended = 0;
  std::map<std::string, int> results{};
  int leaders = 0;
};

class ChaoticCluster {
 public:
  explicit ChaoticCluster(std::uint64_t seed)
      : rng_(seed), cluster_(settings_for(seed)), faults_(cluster_.server(), seed), checker_(cluster_.server()) {
    calm_ = std::make_unique<sim::LocalApi>(cluster_.server(), cluster_.documents());
    rough_ = std::make_unique<sim::LocalApi>(cluster_.server(), cluster_.documents(), &faults_);
    EXPECT_TRUE(loop_.await_result(migration::ensure_definition(*calm_, loop_.timers())));
    for (int i = 0; i < kNodes; ++i) make_node(fmt::format("n{}", i));
    start_scheduler();
    for (int i = 0; i < 5; ++i) deploy(fmt::format("web{}", i), 4);
    for (int i = 0; i < 3; ++i) deploy(fmt::format("solo{}", i), 1);
    deploy("still", 2);
    forbid("still");
    for (int i = 0; i < 2; ++i) deploy_set(fmt::format("db{}", i), 2);
    for (int i = 0; i < 3; ++i) make_pod(fmt::format("lone{}", i), false);
    make_pod("ported", true);
    checker_.single_identity("ported");
    loop_.run_for(30s);
    change_leader();
  }

  ~ChaoticCluster() {
    leader_.reset();
    past_.clear();
    loop_.run_for(1s);
    (void)loop_.await_result(stop_scheduler());
    live_.reset();
  }

  // Moves until so many have begun, and disturbs them; then all is calm, and every one has to end.
  Tally run(int moves) {
    make_trouble();
    while (tally_.begun < moves) {
      for (int i = static_cast<int>(rng_.below(3)); i >= 0; --i) begin_one();
      for (int i = static_cast<int>(rng_.below(2)); i > 0; --i) meddle();
      loop_.run_for(std::chrono::milliseconds{200 + rng_.below(3000)});
    }
    faults_.clear();
    for (int i = 0; i < kNodes; ++i) cluster_.kubelets().faults().set_node(fmt::format("n{}", i), std::nullopt);
    change_leader();
    quiet_ = loop_.run_until([this] { return unended() == 0; }, 60min);
    loop_.run_for(6min);  // a sweep
    checker_.check_nothing_left();
    return tally_;
  }

  bool quiet() const { return quiet_; }
  HistoryChecker& checker() { return checker_; }
  const sim::FaultCounts& fault_counts() const { return faults_.counts(); }
  std::vector<std::string> stuck() { return stuck_; }

 private:
  static constexpr int kNodes = 8;
  static constexpr std::string_view kNs = "default";

  static sim::ClusterSettings settings_for(std::uint64_t seed) {
    sim::ClusterSettings settings;
    settings.seed = seed;
    return settings;
  }
  kube::LoopServices services() { return {loop_.executor(), &loop_.timers(), &cluster_.agenda(), &rng_, &metrics_}; }
  kube::Client client() { return kube::Client(*calm_); }
  template <class T>
  T parsed(const std::string& json) {
    T object;
    const auto read = kube::from_json(json, object, kube::UnknownFields::Refuse);
    RESCHEDULER_CHECK(read.has_value(), "a test's own object: {}", read.error().message);
    return object;
  }
  template <class T>
  void create(const std::string& json) {
    auto made = loop_.await_result(client().create(parsed<T>(json)));
    EXPECT_TRUE(made) << made.error().message;
  }
  template <class T>
  void patch(const std::string& name, const std::string& json) {
    (void)loop_.await_result(client().patch<T>(std::is_same_v<T, api::Node> ? "" : std::string(kNs), name, json));
  }

  void make_node(const std::string& name) {
    // Room for eight of our pods each: all together they fill two thirds of it, and a rollout or a dead node the rest.
    create<api::Node>(fmt::format(
        R"({{"metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}"}}}},
            "status":{{"capacity":{{"cpu":"800m","memory":"8Gi","pods":"12"}}}}}})",
        name));
  }
  static std::string spec_of(const std::string& extra) {
    return fmt::format(
        R"({{"schedulerName":"rescheduler-scheduler","terminationGracePeriodSeconds":2,"containers":[{{"name":"main",
            "image":"registry.example/app:1","resources":{{"requests":{{"cpu":"100m"}}}}{}}}]}})",
        extra);
  }
  void deploy(const std::string& name, int replicas) {
    create<api::Deployment>(fmt::format(
        R"({{"metadata":{{"namespace":"{}","name":"{}"}},"spec":{{"replicas":{},"selector":{{"matchLabels":{{"app":"{}"}}}},
            "template":{{"metadata":{{"labels":{{"app":"{}"}}}},"spec":{}}}}}}})",
        kNs, name, replicas, name, name, spec_of("")));
    deployments_.push_back(name);
    replicas_[name] = replicas;
  }
  void deploy_set(const std::string& name, int replicas) {
    create<api::StatefulSet>(fmt::format(
        R"({{"metadata":{{"namespace":"{}","name":"{}"}},"spec":{{"replicas":{},"serviceName":"{}",
            "selector":{{"matchLabels":{{"app":"{}"}}}},"template":{{"metadata":{{"labels":{{"app":"{}"}}}},"spec":{}}}}}}})",
        kNs, name, replicas, name, name, name, spec_of("")));
  }
  void make_pod(const std::string& name, bool port) {
    create<api::Pod>(fmt::format(R"({{"metadata":{{"namespace":"{}","name":"{}","labels":{{"app":"{}"}}}},"spec":{}}})",
                                 kNs, name, name,
                                 spec_of(port ? R"(,"ports":[{"containerPort":80,"hostPort":31080}])" : "")));
  }
  void forbid(const std::string& name) {
    patch<api::Deployment>(name,
                           R"({"metadata":{"annotations":{"scheduler.alpha.kubernetes.io/rescheduling":"disabled"}}})");
    checker_.forbid(name);
  }

  void start_scheduler() {
    scheduler::LiveSettings settings;
    settings.configuration = scheduler::default_configuration(scheduler::default_catalog());
    settings.host = "chaos";
    auto made = scheduler::LiveScheduler::make({calm_.get(), nullptr}, std::move(settings), services());
    RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
    live_ = std::move(*made);
    live_->follow();
    (void)loop_.await_result(live_->wait_synced());
    live_->lead();
  }
  net::Task<Result<void>> stop_scheduler() {
    co_await live_->stop(1s);
    co_return Result<void>{};
  }

  // The old one is cut off in the middle of whatever it does; sometimes it lingers on, without the right to write.
  void change_leader() {
    if (fence_) fence_->close();
    if (leader_ && rng_.below(2) == 0) past_.push_back(std::move(leader_));
    if (past_.size() > 2) past_.erase(past_.begin());  // each goes on watching; that costs, and shows nothing
    leader_.reset();
    fence_ = std::make_shared<kube::LeaderFence>(cluster_.agenda());
    fence_->allow_until(SteadyTime::max());
    migration::MigrationParts parts{rough_.get(), calm_.get(), services(), fence_, {}};
    parts.settings.direct = true;
    parts.settings.protect_unprotected = rng_.below(2) == 0;
    parts.settings.scheduler_names = {"rescheduler-scheduler"};
    parts.settings.history = 5000;
    parts.settings.sweep_every = 2min;
    parts.settings.steer = [this](std::vector<migration::PlacementIntent> wanted) {
      std::vector<scheduler::Intent> intents;
      for (auto& one : wanted) intents.push_back({one.migration, one.ns, one.selector, one.pod, one.target});
      live_->want(std::move(intents));
    };
    leader_ = std::make_unique<migration::MigrationController>(std::move(parts));
    leader_->on_outcome([this](const migration::MoveOutcome& outcome) {
      ++tally_.ended;
      ++tally_.results[std::string(to_string(outcome.result))];
    });
    leader_->follow();
    loop_.run_until([this] { return leader_->synced(); }, 10min);
    leader_->lead();
    ++tally_.leaders;
  }

  void make_trouble() {
    using kube::Verb;
    const std::vector<Verb> writes{Verb::Create, Verb::Update, Verb::Patch, Verb::Delete};
    const auto refuse = [&](int code, double share) {
      faults_.add({.verbs = writes,
                   .probability = share,
                   .trouble = {.refuse = sim::refusal_with(code, code == 429 ? std::optional(1) : std::nullopt)}});
    };
    refuse(409, 0.02);
    refuse(429, 0.02);
    refuse(500, 0.02);
    faults_.add({.verbs = writes, .probability = 0.03, .trouble = {.lose_response = sim::Loss::Reset}});
    faults_.add({.verbs = writes, .probability = 0.01, .trouble = {.lose_request = sim::Loss::Silence}});
    faults_.add(
        {.verbs = {Verb::Get, Verb::List}, .probability = 0.02, .trouble = {.lose_response = sim::Loss::Reset}});
    faults_.add({.verbs = {Verb::Watch}, .probability = 0.3, .trouble = {.drop_watch_after = 5}});
    faults_.add({.verbs = {Verb::Watch}, .probability = 0.1, .trouble = {.stall_watch_after = 3}});
  }

  std::vector<std::shared_ptr<const api::Pod>> running_pods() {
    std::vector<std::shared_ptr<const api::Pod>> pods;
    sim::Server& server = cluster_.server();
    server.store().for_each(server.kinds().of<api::Pod>(), kNs, "", [&](const sim::VersionPtr& version) {
      auto pod = version->as<api::Pod>();
      if (!pod->spec().node_name().empty() && !pod->metadata().has_deletion_timestamp()) pods.push_back(pod);
      return true;
    });
    return pods;
  }

  void begin_one() {
    const auto pods = running_pods();
    if (pods.empty() || leader_->under_way().size() > 12) return;
    const api::Pod& pod = *pods[rng_.below(pods.size())];
    migration::MoveOrder order;
    order.ns = kNs;
    order.pod = pod.metadata().name();
    order.uid = pod.metadata().uid();
    order.source = pod.spec().node_name();
    do {
      order.target = fmt::format("n{}", rng_.below(kNodes));
    } while (order.target == order.source);
    order.strategy = "LoadBalancing";
    order.reason = "chaos";
    order.deadline = std::chrono::seconds{60 + rng_.below(240)};
    if (rng_.below(4) == 0) order.mode = migration::MoveMode::MakeBeforeBreak;
    leader_->begin(std::move(order));
    ++tally_.begun;
  }

  void meddle() {
    const std::string& app = deployments_[rng_.below(deployments_.size())];
    switch (rng_.below(9)) {
      case 0: {
        const auto pods = running_pods();
        if (pods.empty()) return;
        const api::Pod& pod = *pods[rng_.below(pods.size())];
        const auto owner = pod.metadata().labels().find("app");
        if (owner == pod.metadata().labels().end() || pod.metadata().owner_references().empty()) return;
        checker_.foreign_act(owner->second);
        kube::DeleteSettings settings;
        (void)loop_.await_result(client().remove<api::Pod>(std::string(kNs), pod.metadata().name(), settings));
        return;
      }
      case 1:
      case 2:
        checker_.foreign_act(app);
        patch<api::Deployment>(app, fmt::format(R"({{"spec":{{"replicas":{}}}}})", 1 + rng_.below(5)));
        return;
      case 3:
        checker_.foreign_act(app);
        checker_.foreign_rollout(app);
        patch<api::Deployment>(
            app,
            fmt::format(R"({{"spec":{{"template":{{"metadata":{{"annotations":{{"turn":"{}"}}}}}}}}}})", rng_.next()));
        return;
      case 4: {
        const std::string node = fmt::format("n{}", rng_.below(kNodes));
        checker_.everything_disturbed();
        const bool dead = cluster_.kubelets().faults().node(node).has_value();
        const auto what = rng_.below(2) == 0 ? sim::NodeFault::Dead : sim::NodeFault::Frozen;
        cluster_.kubelets().faults().set_node(node, dead ? std::nullopt : std::optional(what));
        return;
      }
      case 5: {
        const bool shut = rng_.below(3) == 0;
        patch<api::Node>(fmt::format("n{}", rng_.below(kNodes)),
                         fmt::format(R"({{"spec":{{"unschedulable":{}}}}})", shut));
        return;
      }
      case 6: call_one_off(); return;
      default: change_leader(); return;
    }
  }

  // By its spec, or by deleting the record.
  void call_one_off() {
    auto all = loop_.await_result(client().list<api::Migration>(std::string(kNs)));
    if (!all) return;
    std::erase_if(*all, [](const auto& one) { return migration::has_ended(*one); });
    if (all->empty()) return;
    const api::Migration& one = *(*all)[rng_.below(all->size())];
    const bool direct = one.status().mode() == "Direct";
    if (rng_.below(3) == 0 && !direct) {
      (void)loop_.await_result(client().remove<api::Migration>(std::string(kNs), one.metadata().name()));
    } else {
      patch<api::Migration>(one.metadata().name(), R"({"spec":{"cancel":true}})");
    }
  }

  std::size_t unended() {
    stuck_.clear();
    sim::Server& server = cluster_.server();
    const sim::Kind* kind = server.kinds().find("rescheduler.io", "v1alpha1", "migrations");
    std::size_t count = 0;
    if (++looks_ % 50 != 1) return 1;
    auto all = loop_.await_result(client().list<api::Migration>(std::string(kNs)));
    if (!all || kind == nullptr) return 1;
    for (const auto& one : *all) {
      if (migration::has_ended(*one)) continue;
      ++count;
      stuck_.push_back(fmt::format("{} {} {}", one->metadata().name(), one->status().phase(), one->status().message()));
    }
    return count + leader_->under_way().size();
  }

  Rng rng_;
  MetricRegistry metrics_;
  Tally tally_;
  bool quiet_ = false;
  std::uint64_t looks_ = 0;
  std::vector<std::string> stuck_;
  std::vector<std::string> deployments_;
  std::map<std::string, int> replicas_;
  sim::EmbeddedCluster cluster_;
  sim::WireFaults faults_;
  HistoryChecker checker_;
  std::unique_ptr<sim::LocalApi> calm_;
  std::unique_ptr<sim::LocalApi> rough_;
  std::shared_ptr<kube::LeaderFence> fence_;
  std::unique_ptr<scheduler::LiveScheduler> live_;
  std::vector<std::unique_ptr<migration::MigrationController>> past_;
  std::unique_ptr<migration::MigrationController> leader_;
  sim::VirtualLoop loop_{cluster_.agenda()};  // last: its coroutines use the rest
};

class Quiet {
 public:
  Quiet() { set_log_level(LogLevel::Error); }
  ~Quiet() { set_log_level(LogLevel::Info); }
};

void expect_survives(std::uint64_t seed, int moves) {
  SCOPED_TRACE(fmt::format("RESCHEDULER_SEED={}", seed));
  const Quiet quiet;
  ChaoticCluster cluster(seed);
  const Tally tally = cluster.run(moves);
  EXPECT_TRUE(cluster.quiet()) << "not every migration ended: " << testing::PrintToString(cluster.stuck());
  EXPECT_THAT(cluster.checker().breaches(), testing::IsEmpty());
  EXPECT_GE(tally.begun, moves);
  EXPECT_GT(cluster.checker().bindings(), static_cast<std::size_t>(moves) / 3);
  const auto& wire = cluster.fault_counts();
  EXPECT_GT(wire.refused + wire.lost_responses + wire.dropped_watches, static_cast<std::uint64_t>(moves) / 10);
  std::string results;
  for (const auto& [name, count] : tally.results) results += fmt::format(" {} {}", name, count);
  fmt::print(
      "seed {}: {} moves begun, {} told of as ended:{}; {} evictions, {} bindings, {} leaders, {} refusals, {} lost "
      "answers, {} "
      "broken watches\n",
      seed, tally.begun, tally.ended, results, cluster.checker().evictions(), cluster.checker().bindings(),
      tally.leaders, wire.refused, wire.lost_responses + wire.lost_requests,
      wire.dropped_watches + wire.stalled_watches);
}

TEST(MigrationChaos, AThousandMovesBreakNoRuleWhateverHappens) {
  if (const char* seed = std::getenv("RESCHEDULER_SEED"); seed != nullptr) {
    const char* moves = std::getenv("RESCHEDULER_CHAOS_MOVES");
    expect_survives(std::strtoull(seed, nullptr, 10), moves == nullptr ? 250 : std::atoi(moves));
    return;
  }
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) expect_survives(seed, 250);
}

}  // namespace
}  // namespace rescheduler::test
