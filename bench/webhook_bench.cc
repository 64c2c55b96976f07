// What the recovery webhook adds to the creation of a pod: pods at a steady rate on the real control plane, without it
// and with it, in turns. `plain` pods are of nobody; `asking` ones are of a workload that asks for retries, for which
// the webhook reads the workload.
//
//   webhook_bench [PODS_PER_SECOND [SECONDS [ROUNDS]]]       ctest's control plane must be up, or one is started
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "kube/proto/apps.pb.h"
#include "support/objects.h"
#include "support/recovery.h"

namespace rescheduler::test {
namespace {

using Latencies = std::vector<double>;  // milliseconds

struct Run {
  LiveApi& live;
  std::string ns;
  std::string owner{};  // uid of the ReplicaSet; empty: of nobody
  int made = 0;
  Latencies took{};
  int failed = 0;
};

net::Task<void> create_one(Run& run, api::Pod pod) {
  const auto begun = run.live.services().clock->steady_now();
  auto created = co_await run.live.client().create(std::move(pod));
  const auto ended = run.live.services().clock->steady_now();
  if (!created) ++run.failed;
  run.took.push_back(std::chrono::duration<double, std::milli>(ended - begun).count());
}

api::Pod pod_for(Run& run) {
  api::Pod pod = pod_of(run.ns, fmt::format("p-{}", ++run.made), "nowhere");
  if (run.owner.empty()) return pod;
  auto& ref = *pod.mutable_metadata()->add_owner_references();
  ref.set_api_version("apps/v1");
  ref.set_kind("ReplicaSet");
  ref.set_name("asking");
  ref.set_uid(run.owner);
  ref.set_controller(true);
  return pod;
}

// One each time it is due, whether or not those before have been answered.
net::Task<Result<void>> create_all(Run& run, int rate, int seconds) {
  const auto begun = run.live.services().clock->steady_now();
  const int all = rate * seconds;
  for (int i = 0; i < all; ++i) {
    const auto due = begun + std::chrono::nanoseconds{1'000'000'000LL * i / rate};
    const auto now = run.live.services().clock->steady_now();
    if (due > now) {
      const auto slept = co_await run.live.services().timers->sleep_for(due - now);
      if (!slept) co_return fail(slept.error());
    }
    net::spawn(run.live.services().executor, "create", create_one(run, pod_for(run)));
  }
  while (run.took.size() < static_cast<std::size_t>(all)) {
    constexpr std::chrono::milliseconds kLook{10};
    const auto slept = co_await run.live.services().timers->sleep_for(kLook);
    if (!slept) co_return fail(slept.error());
  }
  co_return Result<void>{};
}

double at(Latencies& sorted, double share) {
  return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
}

void measure(TestCluster& cluster, const char* what, bool webhook, bool asking, int rate, int seconds) {
  auto live = cluster.connect();
  TestNamespace ns(*live);
  std::unique_ptr<TestRecovery> recovery;
  if (webhook) {
    TestRecoverySettings settings;
    settings.ns = ns.name();
    recovery = std::make_unique<TestRecovery>(cluster, settings);
  }
  Run run{*live, ns.name()};
  if (asking) {
    api::ReplicaSet set;
    set.mutable_metadata()->set_namespace_(ns.name());
    set.mutable_metadata()->set_name("asking");
    (*set.mutable_metadata()->mutable_annotations())["scheduling-retries"] = "3";
    set.mutable_spec()->set_replicas(0);
    (*set.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "asking";
    (*set.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels())["app"] = "asking";
    auto& container = *set.mutable_spec()->mutable_template_()->mutable_spec()->add_containers();
    container.set_name("main");
    container.set_image("registry.example/app:1");
    auto made = live->await(live->client().create(set));
    if (!made) fmt::print(stderr, "webhook_bench: {}\n", made.error().message);
    if (made) run.owner = made->metadata().uid();
  }
  // A new namespace gets its service account, without which there are no pods, a moment later.
  (void)eventually(
      [&] { return live->await(live->client().create(pod_of(ns.name(), "first", "nowhere"))).has_value(); });
  auto done = live->await(create_all(run, rate, seconds));
  if (!done) fmt::print(stderr, "webhook_bench: {}\n", done.error().message);
  std::ranges::sort(run.took);
  fmt::print("{:<22} {:>6} pods  p50 {:>6.2f} ms  p90 {:>6.2f} ms  p99 {:>6.2f} ms  max {:>7.2f} ms  failed {}\n", what,
             run.took.size(), at(run.took, 0.5), at(run.took, 0.9), at(run.took, 0.99), run.took.back(), run.failed);
  std::fflush(stdout);
}

int run(int rate, int seconds, int rounds) {
  auto cluster = TestCluster::open(Tier::Real);
  if (!cluster) {
    fmt::print(stderr, "webhook_bench: {}\n", cluster.error().message);
    return 1;
  }
  for (int round = 0; round < rounds; ++round) {
    measure(**cluster, "plain, without", false, false, rate, seconds);
    measure(**cluster, "plain, with", true, false, rate, seconds);
    measure(**cluster, "asking, without", false, true, rate, seconds);
    measure(**cluster, "asking, with", true, true, rate, seconds);
  }
  return 0;
}

}  // namespace
}  // namespace rescheduler::test

int main(int argc, char** argv) {
  const auto number = [&](int place, int otherwise) { return argc > place ? std::atoi(argv[place]) : otherwise; };
  return rescheduler::test::run(number(1, 200), number(2, 10), number(3, 3));
}
