// Informers at the size of a large cluster: 5,000 nodes, 20,000 pods, then half a minute of changes at the highest rate
// that the server accepts.
#include "kube/informer/informer.h"

#include <gtest/gtest.h>

#include "support/listener.h"
#include "support/live_api.h"
#include "support/objects.h"
#include "support/parallel.h"
#include "support/rig.h"
#include "support/skip.h"

namespace rescheduler::test {
namespace {

constexpr std::uint64_t kNodes = 5'000;
constexpr std::uint64_t kPods = 20'000;
constexpr int kConnections = 48;
constexpr std::chrono::seconds kChurn{30};

std::string node_name(std::uint64_t number) { return fmt::format("node-{:05}", number % kNodes); }

template <class T>
net::Task<Result<bool>> created(LiveApi& live, T object) {
  auto done = co_await live.client().create(std::move(object));
  if (!done) co_return fail(std::move(done.error()));
  co_return true;
}

net::Task<Result<bool>> finished() { co_return false; }

void populate(LiveApi& live) {
  auto nodes = in_parallel(live, kConnections, [&](std::uint64_t number) {
    return number < kNodes ? created(live, node_of(node_name(number))) : finished();
  });
  ASSERT_TRUE(nodes) << nodes.error().message;
  auto pods = in_parallel(live, kConnections, [&](std::uint64_t number) {
    return number < kPods ? created(live, pod_of("default", fmt::format("pod-{}", number), node_name(number)))
                          : finished();
  });
  ASSERT_TRUE(pods) << pods.error().message;
}

// One change: creates, labels or deletes a pod. Names repeat, so that the three kinds of change affect the same pods.
net::Task<Result<bool>> change(LiveApi& live, Rng& rng, SteadyTime until) {
  if (std::chrono::steady_clock::now() > until) co_return false;
  const std::string name = fmt::format("churn-{}", rng.below(3'000));
  Result<void> done;
  switch (rng.below(3)) {
    case 0: {
      auto answer = co_await live.client().create(pod_of("default", name, node_name(rng.below(kNodes))));
      if (!answer) done = fail(std::move(answer.error()));
      break;
    }
    case 1: {
      std::string patch = fmt::format(R"({{"metadata":{{"labels":{{"round":"{}"}}}}}})", rng.below(1'000'000));
      auto answer = co_await live.client().patch<api::Pod>("default", name, std::move(patch));
      if (!answer) done = fail(std::move(answer.error()));
      break;
    }
    default: {
      kube::DeleteSettings at_once;
      at_once.grace_period_seconds = 0;
      done = co_await live.client().remove<api::Pod>("default", name, std::move(at_once));
    }
  }
  const bool expected = done || done.error().code == Errc::NotFound || done.error().code == Errc::AlreadyExists
                        || done.error().code == Errc::Conflict;
  if (!expected) co_return fail(std::move(done.error()));
  co_return true;
}

TEST(RealInformers, InformersFollowTheChangesOfALargeClusterAndEqualAFreshListAfterwards) {
  auto rig = Rig::fresh({"--with", "etcd,kube-apiserver",  //
                         "--apiserver-arg=--disable-admission-plugins=ServiceAccount"});
  if (!rig) RESCHEDULER_SKIP("real") << rig.error().message;
  LiveApi writer(rig->kubeconfig());
  ASSERT_NO_FATAL_FAILURE(populate(writer));

  LiveApi reader(rig->kubeconfig());
  kube::Informer<api::Node> nodes(reader.api(), {}, reader.services());
  kube::Informer<api::Pod> pods(reader.api(), {}, reader.services());
  pods.add_index("node", [](const api::Pod& pod) { return std::vector{pod.spec().node_name()}; });
  Listener listener;
  reader.on_loop([&] { listener.attach(pods); });
  net::Job node_job = net::spawn(reader.loop().executor(), "nodes", nodes.run());
  net::Job pod_job = net::spawn(reader.loop().executor(), "pods", pods.run());
  ASSERT_TRUE(reader.await(nodes.wait_synced()));
  ASSERT_TRUE(reader.await(pods.wait_synced()));
  reader.on_loop([&] {
    EXPECT_EQ(nodes.size(), kNodes);
    EXPECT_EQ(pods.size(), kPods);
    EXPECT_EQ(pods.indexed("node", node_name(7)).size(), kPods / kNodes);
  });

  Rng rng(7);
  const SteadyTime until = std::chrono::steady_clock::now() + kChurn;
  auto changes = in_parallel(writer, kConnections, [&](std::uint64_t) { return change(writer, rng, until); });
  ASSERT_TRUE(changes) << changes.error().message;

  auto fresh = writer.await(writer.client().list<api::Pod>(""));
  ASSERT_TRUE(fresh) << fresh.error().message;
  const auto expected = versions_of(*fresh);
  Listener::Versions held;
  const bool equal = eventually([&] {
    reader.on_loop([&] { held = listener.versions(); });
    return held == expected;
  });
  EXPECT_TRUE(equal) << "the cache has " << held.size() << " pods, the server " << expected.size();
  reader.on_loop([&] {
    EXPECT_TRUE(listener.violations().empty()) << listener.violations().front();
    EXPECT_EQ(listener.synced(), 1);
    EXPECT_EQ(pods.reflector().stats().lists, 1U) << "a healthy server must never be listed again";
    fmt::print("{} changes in {} s ({} a second), {} notifications\n", *changes, kChurn.count(),
               *changes / static_cast<std::uint64_t>(kChurn.count()), listener.notifications());
  });
  for (net::Job* job : {&node_job, &pod_job}) {
    job->cancel();
    EXPECT_TRUE(eventually([&] { return job->done(); }));
  }
}

}  // namespace
}  // namespace rescheduler::test
