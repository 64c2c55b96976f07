// An unmodified kube-scheduler calls our extender endpoints: it must understand every answer.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/config/temp_directory.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/scheduling.pb.h"
#include "server/extender_routes.h"
#include "server/server.h"
#include "support/child.h"
#include "support/live_api.h"
#include "support/objects.h"
#include "support/rig.h"
#include "support/skip.h"
#include "support/test_certificates.h"

namespace rescheduler::test {
namespace {

using testing::Contains;

// Label of a node: what the extender decides about it.
constexpr const char* kVerdict = "extender.test/verdict";

// Rejects nodes that the test did not add, and nodes with the label value "refused". Only "preferred" nodes get a score
// and keep their preemption victims.
class LabelService final : public server::ExtenderService {
 public:
  explicit LabelService(kube::Client client) : client_(client) {}

  void add(const api::Node& node) { nodes_[node.metadata().name()] = verdict_of(node); }
  const std::vector<std::string>& bound() const { return bound_; }
  const std::set<std::string>& calls() const { return calls_; }

  net::Task<Result<server::FilterResult>> filter(const kube::ExtenderArgs& args) override {
    calls_.insert(args.nodes ? "filter nodes" : "filter names");
    server::FilterResult answer;
    for (const auto& [name, verdict] : verdicts(args)) {
      if (verdict == "refused") {
        answer.failed[name] = "the extender refused by label";
      } else if (verdict == "foreign") {
        answer.failed_and_unresolvable[name] = "the extender does not know the node";
      } else {
        answer.passing.push_back(name);
      }
    }
    co_return answer;
  }
  net::Task<Result<std::vector<kube::HostPriority>>> prioritize(const kube::ExtenderArgs& args) override {
    calls_.insert(args.nodes ? "prioritize nodes" : "prioritize names");
    std::vector<kube::HostPriority> scores;
    for (const auto& [name, verdict] : verdicts(args)) scores.push_back({name, verdict == "preferred" ? 10 : 0});
    co_return scores;
  }
  net::Task<Result<kube::MetaVictimsByNode>> preempt(const kube::ExtenderPreemptionArgs& args) override {
    calls_.insert(args.victims ? "preempt pods" : "preempt uids");
    kube::MetaVictimsByNode kept;
    if (args.meta_victims) kept = *args.meta_victims;
    if (args.victims) {
      for (const auto& [node, victims] : *args.victims) {
        for (const auto& pod : victims.pods) kept[node].uids.push_back(pod->metadata().uid());
        kept[node].pdb_violations = victims.pdb_violations;
      }
    }
    std::erase_if(kept, [this](const auto& one) { return known(one.first) != "preferred"; });
    co_return kept;
  }
  net::Task<Result<void>> bind(const kube::ExtenderBindingArgs& args) override {
    auto binding = binding_to(args.pod_namespace, args.pod_name, args.node);
    auto done = co_await client_.create_sub<api::Pod>(args.pod_namespace, args.pod_name, "binding", binding);
    if (done) bound_.push_back(args.pod_name + " to " + args.node);
    co_return done;
  }

 private:
  static std::string verdict_of(const api::Node& node) {
    const auto& labels = node.metadata().labels();
    const auto found = labels.find(kVerdict);
    return found == labels.end() ? "foreign" : found->second;
  }
  std::string known(const std::string& name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? "foreign" : found->second;
  }
  // Reads the labels from the request, or, if the request has only names, from the nodes known here.
  std::vector<std::pair<std::string, std::string>> verdicts(const kube::ExtenderArgs& args) const {
    std::vector<std::pair<std::string, std::string>> all;
    if (args.nodes) {
      for (const auto& one : *args.nodes) {
        const std::string& name = one.node->metadata().name();
        all.emplace_back(name, nodes_.contains(name) ? verdict_of(*one.node) : "foreign");
      }
    } else {
      for (const std::string& name : *args.node_names) all.emplace_back(name, known(name));
    }
    return all;
  }

  kube::Client client_;
  std::map<std::string, std::string> nodes_;
  std::vector<std::string> bound_;
  std::set<std::string> calls_;
};

// If the parameter is true, kube-scheduler assumes that the extender has a node cache and sends only names of nodes.
class RealExtender : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto rig = Rig::shared();
    if (!rig) RESCHEDULER_SKIP("real") << rig.error().message;
    rig_.emplace(std::move(*rig));
    live_ = std::make_unique<LiveApi>(rig_->kubeconfig());
    ns_.emplace(*live_);
    service_ = std::make_unique<LabelService>(live_->client());
    const TestIdentity identity = authority_.issue({});
    server::ServerSettings settings;
    settings.address = "127.0.0.1";
    settings.port = 0;
    settings.files = {files_.write("serving.crt", identity.certificate_pem),
                      files_.write("serving.key", identity.key_pem), rig_->ca_file()};
    settings.extender.names = {"the-scheduler"};
    auto started = server::Server::start(live_->services(), nullptr, settings);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
    live_->on_loop([this] { server::add_extender_routes(*server_, *service_); });
  }
  void TearDown() override {
    scheduler_.reset();
    if (server_) {
      (void)live_->await(stopped(*server_));
      live_->on_loop([this] { server_.reset(); });
    }
    for (const std::string& node : nodes_) (void)live_->await(live_->client().remove<api::Node>("", node));
    if (ns_) (void)live_->await(live_->client().remove<api::PriorityClass>("", ns_->name()));
    ns_.reset();
  }
  static net::Task<Result<void>> stopped(server::Server& server) {
    co_await server.stop(std::chrono::seconds(1));
    co_return Result<void>{};
  }

  void start_scheduler() {
    const std::string identity = files_.at("identity");
    ASSERT_TRUE(rig_->command("mint", {"--user", "the-scheduler", "--out", identity}));
    const std::string config = fmt::format(
        R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: "{}"}}
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 1
profiles: [{{schedulerName: "{}"}}]
extenders:
- urlPrefix: https://127.0.0.1:{}/extender
  filterVerb: filter
  prioritizeVerb: prioritize
  preemptVerb: preempt
  bindVerb: bind
  weight: 100
  enableHTTPS: true
  nodeCacheCapable: {}
  tlsConfig:
    caFile: "{}"
    certFile: "{}/client.crt"
    keyFile: "{}/client.key"
)",
        rig_->kubeconfig(), ns_->name(), server_->port(), GetParam(), files_.write("ca.crt", authority_.pem()),
        identity, identity);
    const std::vector<std::string> command{rig_->bin_dir() + "/kube-scheduler",
                                           "--config=" + files_.write("scheduler.yaml", config), "--secure-port=0"};
    scheduler_ = std::make_unique<Child>(command);
  }
  std::string add_node(const std::string& verdict) {
    api::Node node = node_of(fmt::format("{}-{}", ns_->name(), verdict));
    (*node.mutable_metadata()->mutable_labels())[kVerdict] = verdict;
    auto made = live_->await(live_->client().create(node));
    EXPECT_TRUE(made) << made.error().message;
    nodes_.push_back(node.metadata().name());
    live_->on_loop([&] { service_->add(node); });
    return nodes_.back();
  }
  void add_pod(const std::string& name,
               const std::string& node = {},
               const std::function<void(api::Pod&)>& change = {}) {
    api::Pod pod = pod_of(ns_->name(), name, node);
    pod.mutable_spec()->set_scheduler_name(ns_->name());
    if (change) change(pod);
    // A new namespace gets its default ServiceAccount a moment later; pods need it.
    std::string problem;
    ASSERT_TRUE(eventually([&] {
      auto made = live_->await(live_->client().create(pod));
      if (!made) problem = made.error().message;
      return made.has_value();
    })) << problem;
  }
  api::Pod pod(const std::string& name) {
    auto got = live_->await(live_->client().get<api::Pod>(ns_->name(), name));
    return got ? std::move(*got) : api::Pod();
  }
  std::string node_of_pod(const std::string& name) { return pod(name).spec().node_name(); }
  std::set<std::string> calls() {
    std::set<std::string> all;
    live_->on_loop([&] { all = service_->calls(); });
    return all;
  }

  kube::TempDirectory files_;
  TestAuthority authority_{"extender"};
  std::optional<Rig> rig_;
  std::unique_ptr<LiveApi> live_;
  std::optional<TestNamespace> ns_;
  std::unique_ptr<LabelService> service_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<Child> scheduler_;
  std::vector<std::string> nodes_;
};

TEST_P(RealExtender, PodsGoToTheNodeThatTheExtenderPrefersAndTheExtenderBindsThem) {
  add_node("refused");
  add_node("allowed");
  const std::string preferred = add_node("preferred");
  start_scheduler();
  for (const char* name : {"one", "two", "three"}) add_pod(name);
  for (const char* name : {"one", "two", "three"}) {
    EXPECT_TRUE(eventually([&] { return !node_of_pod(name).empty(); })) << name;
    EXPECT_EQ(node_of_pod(name), preferred) << name;
  }
  std::vector<std::string> bound;
  live_->on_loop([&] { bound = service_->bound(); });
  EXPECT_THAT(bound, Contains("one to " + preferred));
  EXPECT_THAT(calls(), Contains(GetParam() ? "filter names" : "filter nodes"));
  EXPECT_THAT(calls(), Contains(GetParam() ? "prioritize names" : "prioritize nodes"));
}

TEST_P(RealExtender, TheExtendersReasonIsInThePodsCondition) {
  add_node("refused");
  start_scheduler();
  add_pod("rejected");
  const auto message = [this] {
    const api::Pod rejected = pod("rejected");
    for (const auto& condition : rejected.status().conditions()) {
      if (condition.type() == "PodScheduled") return condition.message();
    }
    return std::string();
  };
  EXPECT_TRUE(eventually([&] { return message().find("1 the extender refused by label") != std::string::npos; }))
      << message();
}

TEST_P(RealExtender, TheExtenderDecidesOnWhichNodePodsArePreempted) {
  const std::vector<std::string> nodes{add_node("allowed"), add_node("preferred")};
  api::PriorityClass priority;
  priority.mutable_metadata()->set_name(ns_->name());
  priority.set_value(1000);
  ASSERT_TRUE(live_->await(live_->client().create(priority)));
  const auto large = [](api::Pod& pod) {
    auto& cpu = (*pod.mutable_spec()->mutable_containers(0)->mutable_resources()->mutable_requests())["cpu"];
    cpu.set_string("20");  // of 32 cores: there is room for one
  };
  add_pod("low-allowed", nodes[0], large);
  add_pod("low-preferred", nodes[1], large);
  start_scheduler();
  add_pod("high", {}, [&](api::Pod& pod) {
    large(pod);
    pod.mutable_spec()->set_priority_class_name(ns_->name());
  });
  EXPECT_TRUE(eventually([&] { return !node_of_pod("high").empty(); }));
  EXPECT_EQ(node_of_pod("high"), nodes[1]);
  EXPECT_EQ(node_of_pod("low-allowed"), nodes[0]) << "the extender does not allow this victim";
  EXPECT_THAT(calls(), Contains(GetParam() ? "preempt uids" : "preempt pods"));
}

INSTANTIATE_TEST_SUITE_P(NodesOrNames, RealExtender, testing::Bool(), [](const auto& one) {
  return one.param ? "Names" : "Nodes";
});

}  // namespace
}  // namespace rescheduler::test
