#include "support/scheduler.h"

#include <algorithm>
#include <sstream>

#include "base/check.h"
#include "config/read.h"
#include "kube/codec/json.h"
#include "kube/proto/events.pb.h"
#include "kube/proto/scheduling.pb.h"
#include "scheduler/load_sources.h"
#include "support/objects.h"

namespace rescheduler::test {
namespace {

constexpr std::chrono::seconds kGrace{20};

net::Task<Result<void>> stopped(kube::Component& component) {
  co_await component.stop(kGrace);
  co_return Result<void>{};
}

net::Task<Result<void>> visited(scheduler::LiveScheduler& live,
                                std::function<void(scheduler::Scheduler&)> with_scheduler) {
  co_await live.visit(std::move(with_scheduler));
  co_return Result<void>{};
}

}  // namespace

TestScheduler::TestScheduler(TestCluster& cluster, TestSchedulerSettings settings)
    : link_(cluster.connect_as_product()),
      api_(std::make_unique<FaultInjectingApi>(link_->api(), link_->services().executor)),
      deciding_(std::make_unique<net::EventLoop>()) {
  if (settings.lease) start_elector(std::move(*settings.lease));
  scheduler::LiveSettings live;
  live.configuration = config::default_configuration(config::default_catalog());
  live.configuration.profiles.front().scheduler_name = settings.name;
  live.configuration.pod_max_backoff = live.configuration.pod_initial_backoff;
  live.configuration.extenders = std::move(settings.extenders);
  config::Profile& profile = live.configuration.profiles.front();
  if (settings.load) {
    config::place_by_load(profile,
                          {.placing = {.load_filter_wait = settings.load_filter_wait}, .load = *settings.load});
  }
  if (settings.keeps_off_visited_nodes) {
    for (const auto point : {placement::Point::PreFilter, placement::Point::Filter}) {
      profile.at(point).push_back({"Podrescheduling"});
    }
  }
  config::resolve_settings(live.configuration);
  live.configuration.leader_election.resource_namespace = settings.home;
  live.host = "test";
  live.deciding = deciding_.get();
  live.network = &link_->loop();
  live.fence = fence_;
  auto made = scheduler::LiveScheduler::make({api_.get(), nullptr}, std::move(live), link_->services());
  RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
  live_ = std::move(*made);
  auto begun = link_->await(begin());
  EXPECT_TRUE(begun) << begun.error().message;
}

void TestScheduler::start_elector(kube::LeaderSettings lease) {
  kube::LeaderCallbacks callbacks;
  callbacks.on_started_leading = [this] {
    leads_ = true;
    live_->lead();
  };
  callbacks.on_stopped_leading = [this] { leads_ = false; };
  auto made = kube::LeaderElector::create(*api_, std::move(lease), std::move(callbacks), link_->services());
  RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
  elector_ = std::move(*made);
  fence_ = elector_->fence();
}

net::Task<Result<void>> TestScheduler::begin() {
  live_->follow();
  auto synced = co_await live_->wait_synced();
  if (!synced) co_return synced;
  if (elector_) {
    elector_->follow();
  } else {
    live_->lead();
  }
  co_return synced;
}

TestScheduler::~TestScheduler() {
  with_api([](FaultInjectingApi& api) { api.release_bindings(); });
  stop();
}

void TestScheduler::stop() {
  if (stopped_) return;
  stopped_ = true;
  (void)link_->await(stopped(*live_));
  if (elector_) (void)link_->await(stopped(*elector_));
}

void TestScheduler::with_scheduler(std::function<void(scheduler::Scheduler&)> at) {
  (void)link_->await(visited(*live_, std::move(at)));
}

void TestScheduler::with_api(const std::function<void(FaultInjectingApi&)>& how) {
  link_->on_loop([&] { how(*api_); });
}

std::size_t TestScheduler::assumed() {
  std::size_t count = 0;
  with_scheduler([&](scheduler::Scheduler& at) { count = at.cluster().assumed_count(); });
  return count;
}

int TestScheduler::held() {
  int count = 0;
  with_api([&](FaultInjectingApi& api) { count = api.held(); });
  return count;
}

std::vector<std::string> TestScheduler::writes() {
  std::vector<std::string> all;
  with_api([&](FaultInjectingApi& api) { all = api.writes(); });
  return all;
}

std::size_t TestScheduler::reads() {
  std::size_t count = 0;
  with_api([&](FaultInjectingApi& api) { count = api.reads(); });
  return count;
}

std::string TestScheduler::metrics() { return link_->services().metrics->text(); }

double TestScheduler::attempts() {
  double sum = 0;
  std::istringstream text(metrics());
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("scheduler_schedule_attempts_total{")) sum += std::stod(line.substr(line.rfind(' ')));
  }
  return sum;
}

std::string TestScheduler::load_status() {
  std::string text;
  link_->on_loop([&] { text = live_->load_status().value_or(""); });
  return text;
}

bool TestScheduler::leads() {
  bool answer = false;
  link_->on_loop([&] { answer = leads_; });
  return answer;
}

const api::PodCondition* condition_of(const api::Pod& pod, std::string_view type) {
  const auto& all = pod.status().conditions();
  const auto found = std::ranges::find(all, type, &api::PodCondition::type);
  return found == all.end() ? nullptr : &*found;
}

std::string cpu_request(const std::string& cpu) {
  return fmt::format(
      R"("containers": [{{"name": "main", "image": "registry.example/app:1", "resources": {{"requests": {{"cpu": "{}"}}}}}}])",
      cpu);
}

void SchedulingTest::TearDown() {
  schedulers_.clear();
  for (const std::string& name : priority_classes_) (void)await(client().remove<api::PriorityClass>("", name));
  ClusterTest::TearDown();
}

TestScheduler& SchedulingTest::start_scheduler(TestSchedulerSettings settings) {
  if (settings.name.empty()) settings.name = ns();
  return *schedulers_.emplace_back(std::make_unique<TestScheduler>(cluster(), std::move(settings)));
}

void SchedulingTest::parse_into(std::string_view json, google::protobuf::Message& object) {
  const auto read = kube::from_json(json, object, kube::UnknownFields::Refuse);
  RESCHEDULER_CHECK(read.has_value(), "a test's own object: {}", read.error().message);
}

std::string SchedulingTest::add_node(const std::string& suffix, std::string_view differs) {
  return ClusterTest::add_node(suffix, [&](api::Node& node) {
    (*node.mutable_metadata()->mutable_labels())["test"] = ns();
    node.MergeFrom(parsed<api::Node>(differs));
  });
}

void SchedulingTest::patch_node(const std::string& node, const std::string& json) {
  auto done = await(client().patch<api::Node>("", node, json));
  EXPECT_TRUE(done) << done.error().message;
}

void SchedulingTest::remove_node(const std::string& node) {
  auto done = await(client().remove<api::Node>("", node));
  EXPECT_TRUE(done) << done.error().message;
}

api::Pod SchedulingTest::pod_like(const std::string& name, std::string_view differs) const {
  api::Pod pod = pod_of(ns(), name, "");
  auto& spec = *pod.mutable_spec();
  spec.set_scheduler_name(ns());
  spec.set_termination_grace_period_seconds(1);
  (*spec.mutable_node_selector())["test"] = ns();
  auto& toleration = *spec.add_tolerations();
  toleration.set_key("test");
  toleration.set_value(ns());
  const auto changes = parsed<api::Pod>(differs);
  if (changes.spec().containers_size() > 0) spec.clear_containers();
  pod.MergeFrom(changes);
  return pod;
}

api::Pod SchedulingTest::add_pod(const std::string& name, std::string_view differs) {
  const api::Pod wanted = pod_like(name, differs);
  Result<api::Pod> made = fail(Errc::NotFound, "not tried");
  // A new namespace gets its default ServiceAccount a moment later; pods need it.
  EXPECT_TRUE(eventually([&] {
    made = await(client().create(wanted));
    return made || made.error().message.find("serviceaccount") == std::string::npos;
  }));
  EXPECT_TRUE(made) << made.error().message;
  return made ? std::move(*made) : api::Pod();
}

void SchedulingTest::remove_pod(const std::string& name) {
  kube::DeleteSettings now;
  now.grace_period_seconds = 0;
  auto done = await(client().remove<api::Pod>(ns(), name, now));
  EXPECT_TRUE(done) << done.error().message;
}

api::Pod SchedulingTest::pod(const std::string& name) {
  auto got = await(client().get<api::Pod>(ns(), name));
  return got ? std::move(*got) : api::Pod();
}

std::string SchedulingTest::lands_on(const std::string& name) {
  std::string node;
  const bool landed = eventually([&] {
    node = node_of_pod(name);
    return !node.empty();
  });
  if (!landed) {
    const api::Pod stuck = pod(name);
    const auto* condition = condition_of(stuck, "PodScheduled");
    ADD_FAILURE() << name
                  << " gets no node: " << (condition != nullptr ? condition->message() : "no PodScheduled condition");
  }
  return node;
}

std::string SchedulingTest::wait_unschedulable(const std::string& name) {
  std::string message;
  EXPECT_TRUE(eventually([&] {
    const api::Pod seen = pod(name);
    const auto* condition = condition_of(seen, "PodScheduled");
    if (condition == nullptr || condition->status() != "False") return false;
    message = condition->message();
    return true;
  })) << name
      << " was not reported as unschedulable";
  return message;
}

void SchedulingTest::expect_message(const std::string& name,
                                    const std::string& all,
                                    const std::vector<std::string>& parts) {
  const std::string message = wait_unschedulable(name);
  if (GetParam() != Tier::Real) {
    EXPECT_EQ(message, all) << name;
  } else {
    EXPECT_TRUE(message.starts_with("0/")) << message;
    for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_TRUE(has_event(name, "FailedScheduling", message)) << message;
}

std::vector<std::string> SchedulingTest::events(const std::string& pod, const std::string& reason) {
  std::vector<std::string> notes;
  auto listed = await(client().list<api::Event>(ns()));
  EXPECT_TRUE(listed) << listed.error().message;
  if (!listed) return notes;
  for (const auto& event : *listed) {
    if (event->regarding().name() == pod && event->reason() == reason) notes.push_back(event->note());
  }
  return notes;
}

bool SchedulingTest::has_event(const std::string& pod, const std::string& reason, const std::string& note) {
  return eventually([&] {
    const auto notes = events(pod, reason);
    return std::ranges::find(notes, note) != notes.end();
  });
}

std::string SchedulingTest::priority_class(const std::string& suffix, int value) {
  api::PriorityClass made;
  made.mutable_metadata()->set_name(ns() + "-" + suffix);
  made.set_value(value);
  create(made);
  priority_classes_.push_back(made.metadata().name());
  return priority_classes_.back();
}

}  // namespace rescheduler::test
