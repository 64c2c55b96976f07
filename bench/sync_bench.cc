// First sync of all pods, as a scheduler does it at start: list, decode, index. Prints one JSON line in the format of
// the client-go program (tools/kube-rig/modules/reflector); bench/sync runs both against one server.
//
//   sync_bench populate KUBECONFIG COUNT     creates COUNT running pods, like those of a busy cluster
//   sync_bench sync KUBECONFIG [--paged]
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/resource.h>

#include <fmt/core.h>

#include "kube/codec/json.h"
#include "kube/informer/informer.h"
#include "support/live_api.h"
#include "support/objects.h"
#include "support/parallel.h"

namespace rescheduler::test {
namespace {

constexpr int kConnections = 32;
constexpr std::uint64_t kNodes = 1'000;

// A status of the size that a running pod has in practice.
void fill_status(api::Pod& pod) {
  constexpr std::string_view kStatus = R"({
    "status": {
      "phase": "Running", "hostIP": "10.1.2.3", "podIP": "10.2.3.4", "podIPs": [{"ip": "10.2.3.4"}], "qosClass": "Burstable",
      "startTime": "2026-01-01T00:00:00Z",
      "conditions": [
        {"type": "PodReadyToStartContainers", "status": "True", "lastTransitionTime": "2026-01-01T00:00:02Z"},
        {"type": "Initialized", "status": "True", "lastTransitionTime": "2026-01-01T00:00:01Z"},
        {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:09Z"},
        {"type": "ContainersReady", "status": "True", "lastTransitionTime": "2026-01-01T00:00:09Z"},
        {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
      "containerStatuses": [{
        "name": "main", "ready": true, "restartCount": 0, "started": true, "image": "registry.example/app:1",
        "imageID": "registry.example/app@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "containerID": "containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "state": {"running": {"startedAt": "2026-01-01T00:00:08Z"}}}]
    }
  })";
  api::Pod parsed;
  if (auto read = kube::from_json(kStatus, parsed); !read) {
    fmt::print(stderr, "sync_bench: {}\n", read.error().message);
    std::exit(1);
  }
  pod.mutable_status()->CopyFrom(parsed.status());
}

net::Task<Result<bool>> make_pod(LiveApi& live, std::uint64_t number) {
  api::Pod pod = elaborate_pod("default", fmt::format("service-{}-7d4b9c6f5d-{:05}", number / 20, number));
  pod.mutable_spec()->clear_scheduling_gates();
  pod.mutable_spec()->set_node_name(fmt::format("node-{:04}", number % kNodes));
  auto created = co_await live.client().create(std::move(pod));
  if (!created) co_return fail(std::move(created.error()));
  fill_status(*created);
  kube::WriteOptions options;
  auto updated = co_await live.client().update(std::move(*created), options, std::string("status"));
  if (!updated) co_return fail(std::move(updated.error()));
  co_return true;
}

net::Task<Result<bool>> enough() { co_return false; }

int populate(const std::string& kubeconfig, std::uint64_t count) {
  LiveApi live(kubeconfig);
  auto made = in_parallel(live, kConnections,
                          [&](std::uint64_t number) { return number < count ? make_pod(live, number) : enough(); });
  if (!made) {
    fmt::print(stderr, "sync_bench: {}\n", made.error().message);
    return 1;
  }
  return 0;
}

std::uint64_t status_kilobytes(std::string_view field) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field)) return std::strtoull(line.c_str() + field.size() + 1, nullptr, 10);
  }
  return 0;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int sync(const std::string& kubeconfig, bool paged) {
  const auto begun = std::chrono::steady_clock::now();
  LiveApi live(kubeconfig);
  kube::InformerSettings settings;
  settings.streaming_list = !paged;
  kube::Informer<api::Pod> pods(live.api(), settings, live.services());
  net::Job job = net::spawn(live.loop().executor(), "pods", pods.run());
  if (auto synced = live.await(pods.wait_synced()); !synced) return 1;
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  std::size_t objects = 0;
  live.on_loop([&] { objects = pods.size(); });
  fmt::print(
      R"({{"client":"rescheduler","objects":{},"sync_seconds":{:.3f},"peak_rss_bytes":{},"rss_bytes":{},"cpu_seconds":{:.3f}}})"
      "\n",
      objects, took, status_kilobytes("VmHWM:") * 1024, status_kilobytes("VmRSS:") * 1024, cpu_seconds());
  job.cancel();
  return eventually([&] { return job.done(); }) ? 0 : 1;
}

}  // namespace
}  // namespace rescheduler::test

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "populate") {
    return rescheduler::test::populate(std::string{words[1]}, std::strtoull(argv[3], nullptr, 10));
  }
  if ((words.size() == 2 || (words.size() == 3 && words[2] == "--paged")) && words[0] == "sync") {
    return rescheduler::test::sync(std::string{words[1]}, words.size() == 3);
  }
  fmt::print(stderr, "usage: sync_bench populate KUBECONFIG COUNT | sync_bench sync KUBECONFIG [--paged]\n");
  return 2;
}
