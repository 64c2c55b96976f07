// The latency that the recovery webhook adds to the creation of a pod on the real control plane. Pods are created at a
// steady rate in one namespace with the webhook and one without, in short turns (with, without, without, with, ...), so
// that other load of the machine affects both equally. `plain` pods are bare; `asking` pods belong to a workload with
// retries, whose retry record the webhook reads.
//
//   webhook_bench [PODS_PER_SECOND [PAIRS_OF_TURNS [SECONDS_A_TURN [all]]]]
//
// It starts its own control plane: etcd and kube-apiserver; with `all` also the controller manager and KWOK, which do
// their own work for every pod.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/log.h"
#include "kube/proto/apps.pb.h"
#include "support/objects.h"
#include "support/recovery.h"

namespace rescheduler::test {
namespace {

using Latencies = std::vector<double>;  // milliseconds

struct Run {
  LiveApi& live;
  std::string ns;
  std::string owner{};  // uid of the ReplicaSet; empty: a bare pod
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

// Creates each pod when it is due, whether or not the previous requests have been answered.
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

// A namespace for pods, with the webhook or without.
struct Side {
  std::unique_ptr<LiveApi> live;
  std::unique_ptr<TestNamespace> ns;
  std::unique_ptr<Run> run;
  Latencies all{};
};

Side make_side(TestCluster& cluster, bool asking) {
  Side side;
  side.live = cluster.connect();
  side.ns = std::make_unique<TestNamespace>(*side.live);
  side.run = std::make_unique<Run>(Run{*side.live, side.ns->name()});
  if (asking) {
    api::ReplicaSet set;
    set.mutable_metadata()->set_namespace_(side.ns->name());
    set.mutable_metadata()->set_name("asking");
    (*set.mutable_metadata()->mutable_annotations())["scheduling-retries"] = "3";
    set.mutable_spec()->set_replicas(0);
    (*set.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "asking";
    (*set.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels())["app"] = "asking";
    auto& container = *set.mutable_spec()->mutable_template_()->mutable_spec()->add_containers();
    container.set_name("main");
    container.set_image("registry.example/app:1");
    auto made = side.live->await(side.live->client().create(set));
    if (!made) fmt::print(stderr, "webhook_bench: {}\n", made.error().message);
    if (made) side.run->owner = made->metadata().uid();
  }
  // If new namespaces get a ServiceAccount, pods cannot be created before it exists.
  (void)eventually([&] {
    return side.live->await(side.live->client().create(pod_of(side.ns->name(), "first", "nowhere"))).has_value();
  });
  return side;
}

// The remote ports of the connections to this port.
void note_peers(std::uint16_t port, std::set<unsigned>& peers) {
  std::ifstream table("/proc/net/tcp");
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    unsigned number = 0;
    unsigned local = 0;
    unsigned address = 0;
    unsigned remote = 0;
    unsigned state = 0;
    // NOLINTNEXTLINE(cert-err34-c): the kernel's own table
    if (std::sscanf(line.c_str(), "%u: %x:%x %x:%x %x", &number, &address, &local, &address, &remote, &state) == 6
        && local == port && state == 1) {
      peers.insert(remote);
    }
  }
}

double turn(Side& side, int rate, int seconds) {
  Run& run = *side.run;
  run.took.clear();
  auto done = side.live->await(create_all(run, rate, seconds));
  if (!done) fmt::print(stderr, "webhook_bench: {}\n", done.error().message);
  side.all.insert(side.all.end(), run.took.begin(), run.took.end());
  std::ranges::sort(run.took);
  return at(run.took, 0.99);
}

double metric_of(const std::string& text, const std::string& name) {
  const auto found = text.find("\n" + name + " ");
  return found == std::string::npos ? 0 : std::stod(text.substr(found + name.size() + 2));
}

void print(const char* what, Side& side) {
  std::ranges::sort(side.all);
  fmt::print("{:<16} {:>6} pods  p50 {:>6.2f}  p90 {:>6.2f}  p99 {:>6.2f}  max {:>7.2f} ms  failed {}\n", what,
             side.all.size(), at(side.all, 0.5), at(side.all, 0.9), at(side.all, 0.99), side.all.back(),
             side.run->failed);
}

void measure(TestCluster& cluster, const char* what, bool asking, int rate, int pairs, int seconds) {
  Side without = make_side(cluster, asking);
  Side with = make_side(cluster, asking);
  TestRecoverySettings settings;
  settings.ns = with.ns->name();
  TestRecovery recovery(cluster, settings);
  for (Side* side : {&with, &without}) (void)turn(*side, rate, 1);  // opens connections, fills caches
  with.all.clear();
  without.all.clear();
  Latencies differences;
  std::set<unsigned> peers;
  const std::string before = recovery.metrics();
  note_peers(recovery.webhook_port(), peers);
  const std::size_t at_first = peers.size();
  for (int i = 0; i < pairs; ++i) {
    const bool first = i % 2 == 0;
    const double one = turn(first ? with : without, rate, seconds);
    const double other = turn(first ? without : with, rate, seconds);
    differences.push_back(first ? one - other : other - one);
    note_peers(recovery.webhook_port(), peers);
  }
  const std::string after = recovery.metrics();
  const std::string name = "rescheduler_recovery_webhook_duration_seconds";
  const auto grown = [&](const std::string& series) {
    return metric_of(after, name + series) - metric_of(before, name + series);
  };
  std::ranges::sort(differences);
  fmt::print("{}, {} pods/s, {} turns of {} s each\n", what, rate, pairs, seconds);
  print("  without", without);
  print("  with", with);
  fmt::print(
      "  added            p50 {:+.2f}  p90 {:+.2f}  p99 {:+.2f} ms; p99 of a pair of turns: median {:+.2f} ({:+.2f} to "
      "{:+.2f})\n",
      at(with.all, 0.5) - at(without.all, 0.5), at(with.all, 0.9) - at(without.all, 0.9),
      at(with.all, 0.99) - at(without.all, 0.99), at(differences, 0.5), at(differences, 0.25), at(differences, 0.75));
  const double count = std::max(1.0, grown("_count"));
  fmt::print("  in our server    mean {:.3f} ms", 1000 * grown("_sum") / count);
  for (const char* bound : {"0.0005", "0.001", "0.0025", "0.005", "0.01"}) {
    fmt::print(", {:.1f} % within {:g} ms", 100 * grown(fmt::format(R"(_bucket{{le="{}"}})", bound)) / count,
               1000 * std::stod(bound));
  }
  fmt::print("\n  connections      {} at first, {} ever\n", at_first, peers.size());
  std::fflush(stdout);
}

int run(int rate, int pairs, int seconds, bool all) {
  auto cluster = TestCluster::open(
      Tier::Real, {"--with", all ? "etcd,kube-apiserver,kube-controller-manager,kwok" : "etcd,kube-apiserver"});
  if (!cluster) {
    fmt::print(stderr, "webhook_bench: {}\n", cluster.error().message);
    return 1;
  }
  set_log_level(LogLevel::Error);
  measure(**cluster, "plain", false, rate, pairs, seconds);
  measure(**cluster, "asking", true, rate, pairs, seconds);
  return 0;
}

}  // namespace
}  // namespace rescheduler::test

int main(int argc, char** argv) {
  const auto number = [&](int place, int otherwise) { return argc > place ? std::atoi(argv[place]) : otherwise; };
  return rescheduler::test::run(number(1, 200), number(2, 20), number(3, 1), argc > 4);
}
