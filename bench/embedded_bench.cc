// The embedded cluster at the size of a large one: how fast it creates pods, how long it takes to run all of them (in
// virtual time), how much memory it needs, and how fast an hour passes.
//
//   embedded_bench [NODES PODS]      default: 5000 nodes, 100,000 pods
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <malloc.h>

#include "base/check.h"
#include "kube/client/client.h"
#include "kube/codec/json.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "sim/cluster.h"
#include "sim/frontend/documents.h"
#include "sim/frontend/local_api.h"
#include "sim/kubelet/node_shape.h"
#include "sim/time/pacer.h"

namespace rescheduler {
namespace {

using std::chrono::steady_clock;

double since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

double resident_megabytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident) * 4096 / 1e6;
}

void print_result(const std::string& what, const std::string& number) {
  fmt::print("{:<58} {:>16}\n", what, number);
  std::fflush(stdout);
}

// A pod as a Deployment creates it, without the owner: labels, two containers, a probe.
api::Pod typical_pod() {
  api::Pod pod;
  const auto read = kube::from_json(R"({
    "metadata": {"namespace": "default", "generateName": "web-7d4b9c6f5-",
      "labels": {"app": "web", "pod-template-hash": "7d4b9c6f5", "tier": "front"}},
    "spec": {"containers": [
      {"name": "main", "image": "registry.example/web:1.2.3",
       "env": [{"name": "MODE", "value": "production"}], "ports": [{"containerPort": 8080, "name": "http"}],
       "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}, "periodSeconds": 5},
       "resources": {"requests": {"cpu": "200m", "memory": "256Mi"}, "limits": {"memory": "512Mi"}}},
      {"name": "proxy", "image": "registry.example/proxy:4",
       "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}}}],
      "tolerations": [{"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}]}})",
                                    pod);
  RESCHEDULER_CHECK(read.has_value(), "{}", read.error().message);
  return pod;
}

net::Task<Result<void>> create_pods(kube::Client client, int nodes, int pods) {
  const api::Pod model = typical_pod();
  for (int number = 0; number < pods; ++number) {
    api::Pod pod = model;
    pod.mutable_spec()->set_node_name(fmt::format("node-{:05}", number % nodes));
    auto created = co_await client.create(std::move(pod));
    if (!created) co_return fail(std::move(created.error()));
  }
  co_return Result<void>{};
}

net::Task<Result<std::size_t>> count_running(kube::Client client) {
  kube::ListSettings running;
  running.field_selector = "status.phase=Running";
  running.page = 5000;
  auto listed = co_await client.list<api::Pod>("", running);
  if (!listed) co_return fail(std::move(listed.error()));
  co_return listed->size();
}

void large(int nodes, int pods) {
  sim::EmbeddedCluster cluster;
  sim::VirtualLoop loop(cluster.agenda());
  sim::LocalApi api(cluster.server(), cluster.documents());
  const kube::Client client(api);

  const auto start = steady_clock::now();
  sim::NodeShape shape;
  shape.cpu = "32";
  shape.memory = "128Gi";
  for (int number = 0; number < nodes; ++number) {
    const auto made = cluster.server().create(sim::make_node(
        fmt::format("node-{:05}", number), shape, static_cast<std::uint32_t>(number), cluster.agenda().wall_now()));
    RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
  }
  print_result(fmt::format("{} nodes created", nodes), fmt::format("{:.0f}/s", nodes / since(start)));

  const auto creating = steady_clock::now();
  const auto created = loop.await_result(create_pods(client, nodes, pods));
  RESCHEDULER_CHECK(created.has_value(), "{}", created.error().message);
  const double seconds = since(creating);
  print_result(fmt::format("{} pods created through the in-process door", pods),
               fmt::format("{:.0f}/s", pods / seconds));

  const auto running = steady_clock::now();
  const SteadyTime virtual_start = cluster.agenda().steady_now();
  std::size_t up = 0;
  for (int second = 0; second < 120 && up < static_cast<std::size_t>(pods); ++second) {
    loop.run_for(std::chrono::seconds{1});
    up = loop.await_result(count_running(client)).value();
  }
  RESCHEDULER_CHECK(up == static_cast<std::size_t>(pods), "{} of {} pods run", up, pods);
  print_result(
      "all of them Running after (cluster time)",
      fmt::format("{:.0f} s", std::chrono::duration<double>(cluster.agenda().steady_now() - virtual_start).count()));
  print_result("which took (real time)", fmt::format("{:.1f} s", since(running)));
  malloc_trim(0);
  print_result("resident memory", fmt::format("{:.0f} MB", resident_megabytes()));

  const auto steady = steady_clock::now();
  loop.run_for(std::chrono::minutes{1});
  print_result("a minute of it, heartbeats and all (real time)", fmt::format("{:.1f} s", since(steady)));
}

void an_hour(int nodes, int pods) {
  sim::EmbeddedCluster cluster;
  sim::VirtualLoop loop(cluster.agenda());
  sim::LocalApi api(cluster.server(), cluster.documents());
  for (int number = 0; number < nodes; ++number) {
    (void)cluster.server().create(sim::make_node(fmt::format("node-{:05}", number), {},
                                                 static_cast<std::uint32_t>(number), cluster.agenda().wall_now()));
  }
  (void)loop.await_result(create_pods(kube::Client(api), nodes, pods));
  const auto start = steady_clock::now();
  loop.run_for(std::chrono::hours{1});
  print_result(fmt::format("an hour of {} nodes and {} pods (real time)", nodes, pods),
               fmt::format("{:.1f} s", since(start)));
  print_result("events in it", fmt::format("{}", cluster.agenda().events_run()));
}

}  // namespace
}  // namespace rescheduler

int main(int argc, char** argv) {
  const int nodes = argc > 2 ? std::atoi(argv[1]) : 5'000;
  const int pods = argc > 2 ? std::atoi(argv[2]) : 100'000;
  rescheduler::large(nodes, pods);
  rescheduler::an_hour(1'000, 10'000);
}
