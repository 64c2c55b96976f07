// The time and memory of a plan: nodes of 32 cores and 128 GiB with 20 pods each, a tenth of them hot, a third nearly
// idle. Prints one line per size.
//
//   plan_bench [NODES...] [--moves N] [--all]     --all: every strategy, not LoadBalancing alone
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/clock.h"
#include "base/rng.h"
#include "config/read.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/registry.h"
#include "rescheduling/planning/make_plan.h"
#include "rescheduling/planning/snapshot.h"
#include "scheduler/load_sources.h"

namespace {

using namespace rescheduler;
using config::Strategy;

constexpr int kPodsPerNode = 20;
constexpr int kReplicas = 50;
constexpr std::int64_t kNow = 1'800'000'000;

// A value of /proc/self/status in MiB: "VmHWM:" is the peak of the memory, "VmRSS:" the current memory.
double memory(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::atof(line.c_str() + std::string(key).size() + 1) / 1024;
  }
  return 0;
}

api::Node node_object(int number) {
  api::Node node;
  const std::string name = fmt::format("node-{:05}", number);
  node.mutable_metadata()->set_name(name);
  auto& labels = *node.mutable_metadata()->mutable_labels();
  labels["kubernetes.io/hostname"] = name;
  labels["topology.kubernetes.io/zone"] = fmt::format("zone-{}", number % 3);
  auto& has = *node.mutable_status()->mutable_allocatable();
  has["cpu"].set_string("32");
  has["memory"].set_string("128Gi");
  has["pods"].set_string("110");
  auto& ready = *node.mutable_status()->add_conditions();
  ready.set_type("Ready");
  ready.set_status("True");
  return node;
}

api::Pod pod_object(int number, int node) {
  const int owner = number / kReplicas;
  api::Pod pod;
  auto& meta = *pod.mutable_metadata();
  meta.set_name(fmt::format("app-{}-{}", owner, number));
  meta.set_namespace_(fmt::format("team-{}", owner % 40));
  meta.set_uid(fmt::format("00000000-0000-0000-0000-{:012}", number));
  (*meta.mutable_labels())["app"] = fmt::format("app-{}", owner);
  auto& reference = *meta.add_owner_references();
  reference.set_api_version("apps/v1");
  reference.set_kind("ReplicaSet");
  reference.set_name(fmt::format("app-{}", owner));
  reference.set_uid(fmt::format("owner-{}", owner));
  reference.set_controller(true);
  auto& container = *pod.mutable_spec()->add_containers();
  container.set_name("app");
  container.set_image("app:1");
  auto& asked = *container.mutable_resources()->mutable_requests();
  asked["cpu"].set_string(fmt::format("{}m", 400 + 100 * (owner % 8)));
  asked["memory"].set_string(fmt::format("{}Mi", 1024 + 256 * (owner % 12)));
  pod.mutable_spec()->set_node_name(fmt::format("node-{:05}", node));
  pod.mutable_spec()->set_scheduler_name("default-scheduler");
  pod.mutable_status()->set_phase("Running");
  auto& ready = *pod.mutable_status()->add_conditions();
  ready.set_type("Ready");
  ready.set_status("True");
  pod.mutable_status()->mutable_start_time()->set_seconds(kNow - 3600);
  return pod;
}

void fill(rescheduling::Snapshot& snapshot, int nodes, Rng& rng) {
  for (int i = 0; i < nodes; ++i) snapshot.upsert(node_object(i));
  for (int i = 0; i < nodes * kPodsPerNode; ++i) {
    snapshot.upsert(pod_object(i, static_cast<int>(rng.below(static_cast<std::uint64_t>(nodes)))));
  }
  cluster::LoadSummary load_summary;
  load_summary.basis = cluster::LoadBasis::Usage;
  load_summary.source = "bench";
  double sums[2] = {0, 0};
  for (int i = 0; i < nodes; ++i) {
    const auto index = *snapshot.cluster().find_node(fmt::format("node-{:05}", i));
    const double chance = static_cast<double>(rng.below(1000)) / 1000;
    cluster::NodeLoad load;
    load.used[0] = i % 10 == 0 ? 0.85 + chance * 0.13 : i % 3 == 0 ? 0.1 + chance * 0.15 : 0.35 + chance * 0.3;
    load.used[1] = 0.3 + chance * 0.3;
    snapshot.cluster().set_load(index, load);
    for (const int r : {0, 1}) sums[r] += load.used[static_cast<std::size_t>(r)];
  }
  for (const int r : {0, 1}) load_summary.mean[static_cast<std::size_t>(r)] = sums[r] / nodes;
  snapshot.cluster().set_load_summary(load_summary);
}

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

void measure(int nodes, std::uint32_t moves, const std::vector<Strategy>& strategies) {
  Rng rng(7);
  rescheduling::Snapshot snapshot;
  fill(snapshot, nodes, rng);
  const double model = memory("VmRSS:");
  config::Profile profile = config::default_configuration(config::default_catalog()).profiles.front();
  config::place_by_load(profile, {});
  const auto framework = placement::Framework::make(profile, placement::Registry::standard());
  rescheduling::PlanRequest request;
  request.args = &*profile.rescheduler;
  request.framework = framework->get();
  request.strategies = strategies;
  request.caps = {.total = moves, .per_node = 0, .per_namespace = 0, .per_workload = 0};
  request.now = WallTime{std::chrono::seconds{kNow}};
  const auto copying = std::chrono::steady_clock::now();
  const auto copy = std::make_unique<cluster::Cluster>(snapshot.cluster());  // as the scheduler hands it to planning
  const double copied = seconds_since(copying);
  const auto begun = std::chrono::steady_clock::now();
  const rescheduling::Plan plan = rescheduling::make_plan(snapshot, request);
  const double took = seconds_since(begun);
  fmt::print(
      "{:>6} {:>8} {:>6} {:>9.3f} {:>7.1f} -> {:<6.1f} {:>6.1f} -> {:<6.1f} {:>6.1f} -> {:<6.1f} {:>8.0f} {:>8.0f} "
      "{:>8.2f}\n",
      nodes, nodes * kPodsPerNode, plan.moves.size(), took, plan.before.balance.score, plan.after.balance.score,
      plan.before.balance.cpu_deviation, plan.after.balance.cpu_deviation, plan.before.balance.cpu_max,
      plan.after.balance.cpu_max, model, memory("VmHWM:"), copied * 1e3);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes;
  std::uint32_t moves = 200;
  std::vector<Strategy> strategies{Strategy::LoadBalancing};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--moves" && i + 1 < argc) {
      moves = static_cast<std::uint32_t>(std::atoi(argv[++i]));
    } else if (word == "--all") {
      strategies = {Strategy::NodeMaintenance, Strategy::ConstraintRepair, Strategy::LoadBalancing,
                    Strategy::ResourceOptimization};
    } else {
      sizes.push_back(std::atoi(word.c_str()));
    }
  }
  if (sizes.empty()) sizes = {100, 500, 1000, 2500, 5000};
  fmt::print("{:>6} {:>8} {:>6} {:>9} {:>18} {:>17} {:>16} {:>8} {:>8} {:>8}\n", "nodes", "pods", "moves", "seconds",
             "balance score", "CPU deviation", "CPU maximum", "MiB model", "MiB peak", "ms copy");
  for (const int nodes : sizes) measure(nodes, moves, strategies);
  return 0;
}
