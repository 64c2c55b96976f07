#include "support/cluster.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

#include "base/check.h"
#include "cluster/objects/nodes.h"
#include "kube/proto/core_node.pb.h"
#include "sim/served_cluster.h"
#include "support/command.h"
#include "support/objects.h"
#include "support/rig.h"
#include "support/skip.h"

namespace rescheduler::test {
namespace {

// A new node has this taint until the node lifecycle controller has seen it Ready. A pod that is attempted before that
// is unschedulable for a reason that the test does not expect.
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";

bool has_taint(const api::Node& node, std::string_view key) {
  return std::ranges::any_of(node.spec().taints(), [&](const api::Taint& taint) { return taint.key() == key; });
}

class RealCluster final : public TestCluster {
 public:
  explicit RealCluster(Rig rig) : rig_(std::move(rig)) { rig_.note_use(); }
  std::unique_ptr<LiveApi> connect() override { return std::make_unique<LiveApi>(rig_.kubeconfig()); }
  std::unique_ptr<LiveApi> connect_as_product() override {
    auto account = rig_.product_kubeconfig();
    RESCHEDULER_CHECK(account.has_value(), "{}", account.error().message);
    return std::make_unique<LiveApi>(*account);
  }
  const std::string& kubeconfig() const override { return rig_.kubeconfig(); }
  Result<std::string> kubectl(std::vector<std::string> arguments) override {
    return rig_.command("kubectl", std::move(arguments));
  }

 private:
  Rig rig_;
};

class Embedded final : public TestCluster {
 public:
  Embedded(std::unique_ptr<sim::ServedCluster> served, bool in_process)
      : served_(std::move(served)),
        in_process_(in_process),
        kubeconfig_(fmt::format("{}/embedded-{}.kubeconfig", testing::TempDir(), getpid())) {
    std::ofstream(kubeconfig_) << served_->kubeconfig();
  }
  ~Embedded() override { unlink(kubeconfig_.c_str()); }
  Embedded(const Embedded&) = delete;
  Embedded& operator=(const Embedded&) = delete;

  std::unique_ptr<LiveApi> connect() override {
    if (!in_process_) return std::make_unique<LiveApi>(kubeconfig_);
    return std::make_unique<LiveApi>(served_->loop(), served_->api());
  }
  const std::string& kubeconfig() const override { return kubeconfig_; }
  Result<std::string> kubectl(std::vector<std::string> arguments) override {
    const std::string binary = any_kubectl();
    if (binary.empty())
      return fail(Errc::NotFound,
                  "there is no kubectl: neither one of `make rig` nor Debian's (scripts/debian-kubectl)");
    arguments.insert(arguments.begin(), {binary, "--kubeconfig", kubeconfig_});
    const CommandOutcome outcome = run_command(arguments);
    if (outcome.exit_code != 0) return fail(Errc::Internal, "kubectl: {}", outcome.output);
    return outcome.output;
  }

 private:
  std::unique_ptr<sim::ServedCluster> served_;
  bool in_process_;
  std::string kubeconfig_;
};

}  // namespace

std::string to_string(Tier tier) {
  switch (tier) {
    case Tier::InProcess: return "in-process";
    case Tier::Embedded: return "embedded";
    case Tier::Real: return "real";
  }
  return "?";
}

void PrintTo(Tier tier, std::ostream* out) { *out << to_string(tier); }

Result<std::unique_ptr<TestCluster>> TestCluster::open(Tier tier, std::vector<std::string> own_rig) {
  if (tier == Tier::Real) {
    auto rig = own_rig.empty() ? Rig::shared() : Rig::fresh(std::move(own_rig));
    if (!rig) return fail(std::move(rig.error()));
    return std::make_unique<RealCluster>(std::move(*rig));
  }
  sim::ServeSettings settings;
  settings.speed = 10;  // pods take time to start, and a test need not wait for that
  auto served = sim::ServedCluster::start(std::move(settings));
  if (!served) return fail(std::move(served.error()));
  return std::make_unique<Embedded>(std::move(*served), tier == Tier::InProcess);
}

void ClusterTest::SetUp() {
  auto opened = TestCluster::open(GetParam(), own_rig());
  if (!opened && opened.error().code == Errc::NotFound) RESCHEDULER_SKIP("real") << opened.error().message;
  ASSERT_TRUE(opened) << opened.error().message;
  cluster_ = std::move(*opened);
  live_ = cluster_->connect();
  ns_.emplace(*live_);
}

void ClusterTest::TearDown() {
  for (const std::string& node : nodes_) (void)await(client().remove<api::Node>("", node));
  ns_.reset();
}

std::string ClusterTest::add_node(const std::string& suffix, const std::function<void(api::Node&)>& change) {
  const std::string name = ns() + "-" + suffix;
  auto node = node_of(name);
  // Only pods that tolerate the taint are placed here: tests on a shared cluster do not use each other's nodes.
  auto& taint = *node.mutable_spec()->add_taints();
  taint.set_key("test");
  taint.set_value(ns());
  taint.set_effect("NoSchedule");
  if (change) change(node);
  const bool starts_unready = has_taint(node, kNotReady);
  auto created = await(client().create(node));
  EXPECT_TRUE(created) << created.error().message;
  nodes_.push_back(name);
  EXPECT_TRUE(eventually([&] {
    auto seen = await(client().get<api::Node>("", name));
    return seen && cluster::is_ready(*seen) && (starts_unready || !has_taint(*seen, kNotReady));
  })) << name
      << " never became Ready, or kept its taint";
  return name;
}

}  // namespace rescheduler::test
