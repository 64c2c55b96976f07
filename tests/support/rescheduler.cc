#include "support/rescheduler.h"

#include <algorithm>
#include <sstream>

#include "base/check.h"
#include "config/read.h"
#include "kube/codec/json.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/events.pb.h"
#include "migration/definition.h"
#include "rescheduling/history/move_history_store.h"
#include "scheduler/load_sources.h"
#include "support/objects.h"

namespace rescheduler::test {
namespace {

constexpr std::chrono::seconds kGrace{20};

}  // namespace

// --- NarrowApi ---

kube::ApiCall NarrowApi::narrowed(kube::ApiCall call) const {
  if (call.resource->namespaced && call.ns.empty()) call.ns = ns_;
  if (call.resource == &kube::resource_of<api::Node>()) call.label_selector = "test=" + ns_;
  return call;
}

net::Task<Result<void>> NarrowApi::call(kube::ApiCall call, kube::Message* answer) {
  if (call.subresource == "eviction" && !call.dry_run) ++evictions_;
  return api_.call(std::move(call), answer);
}
net::Task<Result<kube::ListPage>> NarrowApi::list(kube::ApiCall call, kube::ItemSink sink) {
  return api_.list(narrowed(std::move(call)), std::move(sink));
}
net::Task<Result<std::unique_ptr<kube::WatchStream>>> NarrowApi::watch(kube::ApiCall call) {
  return api_.watch(narrowed(std::move(call)));
}
net::Task<Result<std::string>> NarrowApi::get_text(std::string path, std::string accept) {
  return api_.get_text(std::move(path), std::move(accept));
}

// --- Meter ---

Meter::Meter(TestCluster& cluster)
    : service_(cluster, [this](const net::HttpRequest&, net::Responder& responder) -> net::Task<void> {
        const auto now =
            std::chrono::duration<double>(service_.link().services().clock->wall_now().time_since_epoch()).count();
        std::string series;
        for (const auto& [node, percent] : percent_) {
          series += fmt::format(R"({}{{"metric": {{"instance": "{}"}}, "value": [{:.3f}, "{}"]}})",
                                series.empty() ? "" : ", ", node, now, percent);
        }
        net::HttpResponse response;
        response.status = failing_ ? 500 : 200;
        response.headers.set("Content-Type", "application/json");
        response.body =
            fmt::format(R"({{"status": "success", "data": {{"resultType": "vector", "result": [{}]}}}})", series);
        [[maybe_unused]] const auto sent = co_await responder.send(std::move(response));
      }) {}

void Meter::set_load(const std::map<std::string, double>& percent) {
  service_.on_loop([&] { percent_ = percent; });
}

void Meter::set_failing(bool failing) {
  service_.on_loop([&] { failing_ = failing; });
}

cluster::LoadSettings Meter::settings() const {
  cluster::LoadSource source;
  source.kind = cluster::LoadSourceKind::Prometheus;
  source.address = service_.url();
  source.queries = {{"cpu", "cpu"}, {"memory", "memory"}};
  cluster::LoadSettings made;
  made.sources = {source};
  made.interval = std::chrono::milliseconds{50};
  made.freshness = std::chrono::seconds{2};
  made.smoothing.kind = cluster::SmoothingKind::None;
  return made;
}

// --- TestRescheduler ---

TestRescheduler::TestRescheduler(TestCluster& cluster, Settings settings)
    : link_(cluster.connect_as_product()),
      api_(std::make_unique<NarrowApi>(link_->api(), settings.ns)),
      planning_(std::make_unique<net::EventLoop>()),
      deciding_(std::make_unique<net::EventLoop>()) {
  if (settings.lease) {
    kube::LeaderCallbacks callbacks;
    callbacks.on_started_leading = [this] { take_the_lead(); };
    callbacks.on_stopped_leading = [this] { leads_ = false; };
    auto made = kube::LeaderElector::create(*api_, std::move(*settings.lease), std::move(callbacks), link_->services());
    RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
    elector_ = std::move(*made);
  }
  cli::CompositionSettings how;
  how.configuration = config::default_configuration(config::default_catalog());
  config::Profile& profile = how.configuration.profiles.front();
  profile.scheduler_name = settings.ns;
  config::place_by_load(profile, settings.args);
  config::resolve_settings(how.configuration);
  how.configuration.pod_max_backoff = how.configuration.pod_initial_backoff;
  how.configuration.leader_election.resource_namespace = settings.ns;
  how.host = "test";
  how.deciding = deciding_.get();
  how.planning = planning_.get();
  how.network = &link_->loop();
  if (elector_) how.fence = elector_->fence();
  how.debounce = std::chrono::milliseconds{50};
  how.migrations.ns = settings.ns;
  how.migrations.poll_interval = std::chrono::milliseconds{200};
  auto made = cli::Composition::make({api_.get()}, std::move(how), link_->services());
  RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
  composition_ = std::move(*made);
  auto begun = link_->await(begin());
  EXPECT_TRUE(begun) << begun.error().message;
}

net::Task<Result<void>> TestRescheduler::begin() {
  composition_->follow();
  auto synced = co_await composition_->wait_synced();
  if (!synced) co_return synced;
  if (elector_) {
    elector_->follow();
  } else {
    take_the_lead();
  }
  co_return synced;
}

void TestRescheduler::take_the_lead() {
  leads_ = true;
  composition_->lead();
}

net::Task<Result<void>> TestRescheduler::end() {
  co_await composition_->stop(kGrace);
  if (elector_) co_await elector_->stop(kGrace);
  co_return Result<void>{};
}

void TestRescheduler::stop() {
  if (stopped_) return;
  stopped_ = true;
  (void)link_->await(end());
  link_->on_loop([this] { composition_.reset(); });
}

TestRescheduler::~TestRescheduler() { stop(); }

double TestRescheduler::metric(const std::string& name, const std::string& labels) {
  double sum = 0;
  std::istringstream text(metrics());
  for (std::string line; std::getline(text, line);) {
    const std::string head = line.substr(0, line.find_last_of(' '));
    const bool named = head == name || head.starts_with(name + "{");
    if (named && head.find(labels) != std::string::npos) sum += std::stod(line.substr(head.size()));
  }
  return sum;
}

rescheduling::ControllerStatus TestRescheduler::status() {
  rescheduling::ControllerStatus now;
  link_->on_loop([&] { now = composition_->controller()->status(); });
  return now;
}

int TestRescheduler::evictions() {
  int count = 0;
  link_->on_loop([&] { count = api_->evictions(); });
  return count;
}

bool TestRescheduler::leads() {
  bool now = false;
  link_->on_loop([&] { now = leads_; });
  return now;
}

// --- ReschedulingTest ---

void ReschedulingTest::SetUp() {
  ClusterTest::SetUp();
  if (IsSkipped()) return;
  auto defined = await(migration::ensure_definition(live().api(), *live().services().timers));
  ASSERT_TRUE(defined) << defined.error().message;
  meter_ = std::make_unique<Meter>(cluster());
}

void ReschedulingTest::TearDown() {
  all_.clear();
  SchedulingTest::TearDown();
  meter_.reset();
}

config::ReschedulerSettings ReschedulingTest::fast_settings() const {
  config::ReschedulerSettings args;
  args.load = meter_->settings();
  args.rescheduling.interval = std::chrono::milliseconds{200};
  args.rescheduling.protections.least_age = std::chrono::seconds{0};
  args.rescheduling.load_balancing.persistence = {2, 3};
  args.rescheduling.excluded_namespaces = {"kube-system"};
  return args;
}

TestRescheduler& ReschedulingTest::start(config::ReschedulerSettings args, std::optional<kube::LeaderSettings> lease) {
  return *all_.emplace_back(
      std::make_unique<TestRescheduler>(cluster(), TestRescheduler::Settings{std::move(args), ns(), std::move(lease)}));
}

api::Deployment ReschedulingTest::deploy(const std::string& name, int replicas, std::string_view differs) {
  api::Deployment made = deployment_of(ns(), name, replicas);
  (*made.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = name;
  (*made.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels())["app"] = name;
  auto& spec = *made.mutable_spec()->mutable_template_()->mutable_spec();
  spec.set_scheduler_name(ns());
  spec.set_termination_grace_period_seconds(1);
  (*spec.mutable_node_selector())["test"] = ns();
  auto& toleration = *spec.add_tolerations();
  toleration.set_key("test");
  toleration.set_value(ns());
  made.MergeFrom(parsed<api::Deployment>(differs));
  return create(std::move(made));
}

std::map<std::string, int> ReschedulingTest::spread(const std::string& app) {
  std::map<std::string, int> counts;
  auto listed = await(client().list<api::Pod>(ns()));
  EXPECT_TRUE(listed) << listed.error().message;
  if (!listed) return counts;
  for (const auto& pod : *listed) {
    if (pod->metadata().has_deletion_timestamp() || !pod->metadata().name().starts_with(app + "-")) continue;
    const auto* ready = condition_of(*pod, "Ready");
    if (ready != nullptr && ready->status() == "True") ++counts[pod->spec().node_name()];
  }
  return counts;
}

std::vector<std::string> ReschedulingTest::uids(const std::string& app) {
  std::vector<std::string> all;
  auto listed = await(client().list<api::Pod>(ns()));
  if (!listed) return all;
  for (const auto& pod : *listed) {
    if (pod->metadata().name().starts_with(app + "-")) all.push_back(pod->metadata().uid());
  }
  std::ranges::sort(all);
  return all;
}

bool ReschedulingTest::all_ready(const std::string& app, int replicas) {
  int ready = 0;
  for (const auto& [node, count] : spread(app)) ready += count;
  return ready == replicas;
}

void ReschedulingTest::measure(double percent_per_pod, double idle) {
  std::map<std::string, double> percent;
  for (const std::string& node : measured_) percent[node] = idle;
  auto listed = await(client().list<api::Pod>(ns()));
  if (!listed) return;
  for (const auto& pod : *listed) {
    const auto found = percent.find(pod->spec().node_name());
    if (found != percent.end()) found->second += percent_per_pod;
  }
  meter_->set_load(percent);
}

bool ReschedulingTest::eventually_measured(const std::function<bool()>& condition, std::chrono::seconds limit) {
  return eventually(
      [&] {
        measure(per_pod_);
        return condition();
      },
      limit);
}

void ReschedulingTest::annotate_history(const std::string& json_value) {
  const std::string patch =
      fmt::format(R"({{"metadata":{{"annotations":{{"{}":{}}}}}}})", rescheduling::kPausedKey, json_value);
  auto done = await(client().patch<api::ConfigMap>(ns(), std::string(rescheduling::kMovesName), patch));
  EXPECT_TRUE(done) << done.error().message;
}

bool ReschedulingTest::has_event_about(const std::string& kind, const std::string& name, const std::string& reason) {
  return eventually_measured([&] {
    const std::string where = kind == "Node" ? "default" : ns();
    auto listed = await(client().list<api::Event>(where));
    return listed && std::ranges::any_of(*listed, [&](const auto& event) {
             return event->regarding().kind() == kind && event->regarding().name() == name && event->reason() == reason;
           });
  });
}

}  // namespace rescheduler::test
