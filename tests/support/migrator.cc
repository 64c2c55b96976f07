#include "support/migrator.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "kube/proto/policy.pb.h"
#include "migration/definition.h"
#include "migration/keys.h"

namespace rescheduler::test {
namespace {

net::Task<Result<void>> started(migration::MigrationController& migrator) {
  migrator.follow();
  auto synced = co_await migrator.wait_synced();
  if (synced) migrator.lead();
  co_return synced;
}

net::Task<Result<void>> ended(migration::MigrationController& migrator) {
  co_await migrator.stop(std::chrono::seconds(10));
  co_return Result<void>{};
}

bool serves(const api::Pod& pod) {
  const auto* ready = condition_of(pod, "Ready");
  return ready != nullptr && ready->status() == "True" && !pod.metadata().has_deletion_timestamp();
}

}  // namespace

TestMigrator::TestMigrator(TestCluster& cluster, TestScheduler* steered, TestMigratorSettings settings)
    : link_(cluster.connect_as_product()),
      api_(std::make_unique<CrashingApi>(link_->api())),
      fence_(std::make_shared<kube::LeaderFence>(clock_)) {
  fence_->allow_until(SteadyTime::max());
  api_->crash_after(settings.crash_after);
  if (settings.only_loses_lead) api_->instead_of_crashing([this] { fence_->close(); });
  if (steered != nullptr) {
    settings.migration.steer = [steered](std::vector<migration::PlacementIntent> wanted) {
      std::vector<scheduler::Intent> intents;
      for (auto& one : wanted) {
        intents.push_back({one.migration, one.ns, one.selector, one.pod, one.target, one.avoid});
      }
      steered->set_intents(std::move(intents));
    };
  }
  migration::MigrationParts parts{api_.get(), nullptr, link_->services(), fence_, std::move(settings.migration)};
  link_->on_loop([&] {
    migrator_ = std::make_unique<migration::MigrationController>(std::move(parts));
    migrator_->on_outcome([this](const migration::MoveOutcome& outcome) { outcomes_.push_back(outcome); });
  });
  auto begun = link_->await(started(*migrator_));
  EXPECT_TRUE(begun || api_->dead()) << begun.error().message;
}

TestMigrator::~TestMigrator() {
  (void)link_->await(ended(*migrator_));
  link_->on_loop([&] { migrator_.reset(); });
}

void TestMigrator::begin(migration::MoveRequest request) {
  link_->on_loop([&] { migrator_->begin(std::move(request)); });
}

std::vector<migration::MoveOutcome> TestMigrator::outcomes() {
  std::vector<migration::MoveOutcome> all;
  link_->on_loop([&] { all = outcomes_; });
  return all;
}

std::vector<migration::MoveRequest> TestMigrator::under_way() {
  std::vector<migration::MoveRequest> all;
  link_->on_loop([&] { all = migrator_->under_way(); });
  return all;
}

void TestMigrator::sweep() {
  auto done = link_->await(migrator_->sweep());
  EXPECT_TRUE(done) << done.error().message;
}

bool TestMigrator::dead() {
  bool answer = false;
  link_->on_loop([&] { answer = api_->dead(); });
  return answer;
}

std::optional<migration::PlacementIntent> TestMigrator::intent_for(const api::Pod& pod) {
  if (link_->loop().on_loop_thread()) return migrator_->intent_for(pod);  // in process all clients share one loop
  std::optional<migration::PlacementIntent> intent;
  link_->on_loop([&] { intent = migrator_->intent_for(pod); });
  return intent;
}

std::vector<std::string> TestMigrator::writes() {
  std::vector<std::string> all;
  link_->on_loop([&] { all = api_->writes(); });
  return all;
}

std::map<std::string, int> TestMigrator::pod_reads() {
  std::map<std::string, int> all;
  link_->on_loop([&] { all = api_->pod_reads(); });
  return all;
}

AvailabilityWatch::AvailabilityWatch(TestCluster& cluster, std::string ns, std::vector<std::string> apps)
    : link_(cluster.connect()) {
  for (const std::string& app : apps) least_ready_[app] = 1 << 30;
  thread_ = std::thread([this, ns = std::move(ns), apps = std::move(apps)] {
    kube::ListSettings which;
    which.label_selector = fmt::format("app in ({})", fmt::join(apps, ","));
    while (!stop_) {
      const auto begun = std::chrono::steady_clock::now();
      auto pods = link_->await(link_->client().list<api::Pod>(ns, which));
      if (pods) {
        std::map<std::string, int> ready;
        for (const auto& pod : *pods) ready[pod->metadata().labels().at("app")] += serves(*pod) ? 1 : 0;
        for (auto& [app, least] : least_ready_) least = std::min(least, ready[app]);
        ++samples_;
      }
      std::this_thread::sleep_until(begun + std::chrono::milliseconds{50});
    }
  });
}

void AvailabilityWatch::stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void MigrationTest::SetUp() {
  SchedulingTest::SetUp();
  if (IsSkipped()) return;
  auto defined = await(migration::ensure_definition(live().api(), *live().services().timers));
  ASSERT_TRUE(defined) << defined.error().message;
  for (const char* suffix : {"a", "b", "c"}) nodes_.push_back(add_node(suffix));
  start_scheduler();
}

void MigrationTest::TearDown() {
  migrators_.clear();
  SchedulingTest::TearDown();
}

TestMigrator& MigrationTest::start_migrator(TestMigratorSettings settings) {
  settings.migration = settings_;
  settings.migration.ns = ns();
  settings.migration.scheduler_names = {ns()};
  settings.migration.poll_interval = std::chrono::milliseconds{200};
  return *migrators_.emplace_back(std::make_unique<TestMigrator>(cluster(), &scheduler(), std::move(settings)));
}

api::PodTemplateSpec MigrationTest::pod_template(const std::string& app) const {
  const api::Pod like = pod_like("p");
  api::PodTemplateSpec made;
  (*made.mutable_metadata()->mutable_labels())["app"] = app;
  for (const auto& [key, value] : pod_annotations_) (*made.mutable_metadata()->mutable_annotations())[key] = value;
  *made.mutable_spec() = like.spec();
  if (!scheduler_name_.empty()) made.mutable_spec()->set_scheduler_name(scheduler_name_);
  return made;
}

api::Deployment MigrationTest::deploy(const std::string& name, int replicas) {
  api::Deployment made;
  made.mutable_metadata()->set_namespace_(ns());
  made.mutable_metadata()->set_name(name);
  made.mutable_spec()->set_replicas(replicas);
  (*made.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = name;
  *made.mutable_spec()->mutable_template_() = pod_template(name);
  made = create(std::move(made));
  EXPECT_TRUE(available(name, replicas)) << name;
  return made;
}

api::StatefulSet MigrationTest::deploy_set(const std::string& name, int replicas) {
  api::StatefulSet made;
  made.mutable_metadata()->set_namespace_(ns());
  made.mutable_metadata()->set_name(name);
  made.mutable_spec()->set_replicas(replicas);
  made.mutable_spec()->set_service_name(name);
  (*made.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = name;
  *made.mutable_spec()->mutable_template_() = pod_template(name);
  made = create(std::move(made));
  EXPECT_TRUE(eventually([&] {
    const auto pods = pods_of(name);
    return std::ranges::count_if(pods, serves) == replicas;
  })) << name;
  return made;
}

bool MigrationTest::available(const std::string& name, int replicas) {
  return eventually([&] {
    auto read = await(client().get<api::Deployment>(ns(), name));
    return read && read->status().observed_generation() == read->metadata().generation()
           && read->status().available_replicas() == replicas && read->status().replicas() == replicas
           && read->spec().replicas() == replicas;
  });
}

std::vector<api::Pod> MigrationTest::pods_of(const std::string& app) {
  kube::ListSettings which;
  which.label_selector = "app=" + app;
  auto listed = await(client().list<api::Pod>(ns(), which));
  EXPECT_TRUE(listed) << listed.error().message;
  std::vector<api::Pod> pods;
  if (!listed) return pods;
  for (const auto& pod : *listed) {
    if (!pod->metadata().has_deletion_timestamp()) pods.push_back(*pod);
  }
  std::ranges::sort(pods, {}, [](const api::Pod& pod) { return pod.metadata().name(); });
  return pods;
}

std::string MigrationTest::other_node(const std::string& than) {
  const auto found = std::ranges::find(nodes_, than);
  const auto next = found == nodes_.end() || std::next(found) == nodes_.end() ? nodes_.begin() : std::next(found);
  return *next;
}

migration::MoveRequest MigrationTest::move_request_for(const api::Pod& pod, const std::string& target) {
  migration::MoveRequest request;
  request.ns = ns();
  request.pod = pod.metadata().name();
  request.uid = pod.metadata().uid();
  request.source = pod.spec().node_name();
  request.target = target;
  request.strategy = "LoadBalancing";
  request.reason = "the test wants it";
  request.deadline = std::chrono::seconds{120};
  return request;
}

migration::MoveOutcome MigrationTest::move(migration::MoveRequest request) {
  const std::size_t before = migrator().outcomes().size();
  const std::string uid = request.uid;
  migrator().begin(std::move(request));
  migration::MoveOutcome outcome;
  EXPECT_TRUE(eventually([&] {
    const auto all = migrator().outcomes();
    const auto found = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(before), all.end(),
                                    [&](const auto& one) { return one.request.uid == uid; });
    if (found == all.end()) return false;
    outcome = *found;
    return true;
  })) << "the move did not end";
  return outcome;
}

std::vector<api::Migration> MigrationTest::migrations() {
  auto listed = await(client().list<api::Migration>(ns()));
  EXPECT_TRUE(listed) << listed.error().message;
  std::vector<api::Migration> all;
  if (!listed) return all;
  for (const auto& one : *listed) all.push_back(*one);
  return all;
}

bool MigrationTest::all_ended(std::chrono::seconds limit) {
  return eventually(
      [&] {
        const auto all = migrations();
        return std::ranges::all_of(all, [](const api::Migration& one) { return migration::has_ended(one); });
      },
      limit);
}

std::vector<std::string> MigrationTest::leftovers() {
  std::vector<std::string> found;
  const auto check = [&](const std::string& kind, const api::ObjectMeta& meta) {
    const bool label = meta.labels().contains(std::string(migration::kMigrationLabel));
    const bool intent = meta.annotations().contains(std::string(migration::kIntentAnnotation));
    const bool cost = meta.annotations().contains(std::string(migration::kCostBefore));
    const bool copy = meta.annotations().contains(std::string(migration::kCopyOf));
    if (label || intent || cost || copy) found.push_back(kind + " " + meta.name());
  };
  const auto deployments = await(client().list<api::Deployment>(ns()));
  const auto sets = await(client().list<api::ReplicaSet>(ns()));
  const auto stateful = await(client().list<api::StatefulSet>(ns()));
  const auto pods = await(client().list<api::Pod>(ns()));
  const auto budgets = await(client().list<api::PodDisruptionBudget>(ns()));
  if (!deployments || !sets || !stateful || !pods || !budgets) return {"what cannot be listed"};
  for (const auto& one : *deployments) check("deployment", one->metadata());
  for (const auto& one : *sets) check("replicaset", one->metadata());
  for (const auto& one : *stateful) check("statefulset", one->metadata());
  for (const auto& one : *pods) {
    if (!one->metadata().has_deletion_timestamp()) check("pod", one->metadata());
  }
  for (const auto& one : *budgets) {
    if (one->metadata().name().ends_with("-rescheduler-pdb")) found.push_back("pdb " + one->metadata().name());
  }
  return found;
}

std::string MigrationTest::template_hash(const std::string& deployment) {
  kube::ListSettings which;
  which.label_selector = "app=" + deployment;
  auto sets = await(client().list<api::ReplicaSet>(ns(), which));
  auto read = await(client().get<api::Deployment>(ns(), deployment));
  if (!sets || !read) return "?";
  std::string text;
  for (const auto& set : *sets) text += set->metadata().name() + " ";
  const auto revision = read->metadata().annotations().find("deployment.kubernetes.io/revision");
  return text + (revision == read->metadata().annotations().end() ? "" : revision->second);
}

}  // namespace rescheduler::test
