// Informers during failures: the API server is killed during a watch, etcd is compacted while the informer is
// disconnected, a connection goes silent without closing. No change may be missed or delivered twice.
#include <gtest/gtest.h>

#include "kube/informer/informer.h"
#include "support/listener.h"
#include "support/live_api.h"
#include "support/objects.h"
#include "support/rig.h"
#include "support/skip.h"
#include "support/tcp_proxy.h"

namespace rescheduler::test {
namespace {

class RealOutage : public testing::Test {
 protected:
  void SetUp() override {
    auto rig = Rig::fresh({"--with", "etcd,kube-apiserver"});
    if (!rig) RESCHEDULER_SKIP("real") << rig.error().message;
    rig_.emplace(std::move(*rig));
    writer_.emplace(rig_->kubeconfig());

    // The informer connects through the test's proxy; the writer connects directly.
    kube::ClientConfig config = config_of(rig_->kubeconfig());
    proxy_.emplace(config.origin.port);
    config.origin.port = proxy_->port();
    reader_.emplace(config);
    kube::InformerSettings settings;
    settings.ns = "default";
    settings.idle_limit = std::chrono::seconds{3};
    settings.backoff.first = std::chrono::milliseconds{20};
    settings.backoff.most = std::chrono::milliseconds{500};
    maps_.emplace(reader_->api(), settings, reader_->services());
    reader_->on_loop([&] { listener_.attach(*maps_); });
    job_ = net::spawn(reader_->loop().executor(), "maps", maps_->run());
    write(0, 50);
    ASSERT_TRUE(reader_->await(maps_->wait_synced()));
    ASSERT_TRUE(listener_catches_up());
  }
  void TearDown() override {
    if (!maps_) return;
    job_.cancel();
    EXPECT_TRUE(eventually([&] { return job_.done(); }));
    reader_->on_loop([&] { maps_.reset(); });
  }

  // Creates ConfigMaps [from, to), then changes every third and deletes every fifth of them.
  void write(int from, int to) {
    for (int number = from; number < to; ++number) {
      const std::string name = fmt::format("m{}", number);
      auto created = writer_->await(writer_->client().create(config_map("default", name, {})));
      ASSERT_TRUE(created) << created.error().message;
      if (number % 3 == 0) {
        auto changed =
            writer_->await(writer_->client().patch<api::ConfigMap>("default", name, R"({"data":{"x":"1"}})"));
        ASSERT_TRUE(changed) << changed.error().message;
      }
      if (number % 5 == 0) {
        auto removed = writer_->await(writer_->client().remove<api::ConfigMap>("default", name));
        ASSERT_TRUE(removed) << removed.error().message;
      }
    }
  }

  testing::AssertionResult listener_catches_up() {
    auto fresh = writer_->await(writer_->client().list<api::ConfigMap>("default"));
    if (!fresh) return testing::AssertionFailure() << fresh.error().message;
    const auto expected = versions_of(*fresh);
    Listener::Versions held;
    std::vector<std::string> violations;
    const bool equal = eventually([&] {
      reader_->on_loop([&] {
        held = listener_.versions();
        violations = listener_.violations();
      });
      return held == expected;
    });
    if (!equal)
      return testing::AssertionFailure() << "notified of " << held.size() << " objects, the server has "
                                         << expected.size();
    if (!violations.empty()) return testing::AssertionFailure() << violations.front();
    return testing::AssertionSuccess();
  }
  std::uint64_t stat(std::uint64_t kube::ReflectorStats::* which) {
    std::uint64_t value = 0;
    reader_->on_loop([&] { value = maps_->reflector().stats().*which; });
    return value;
  }

  std::optional<Rig> rig_;
  std::optional<LiveApi> writer_;
  std::optional<TcpProxy> proxy_;
  std::optional<LiveApi> reader_;
  std::optional<kube::Informer<api::ConfigMap>> maps_;
  Listener listener_;
  net::Job job_;
};

TEST_F(RealOutage, NoChangeIsLostWhenTheServerIsKilledAndRestarted) {
  for (int round = 1; round <= 2; ++round) {
    ASSERT_TRUE(rig_->command("stop", {"kube-apiserver", "--signal", "KILL"}));
    const auto failures = stat(&kube::ReflectorStats::failures);
    EXPECT_TRUE(eventually([&] { return stat(&kube::ReflectorStats::failures) > failures; }));
    ASSERT_TRUE(rig_->command("start", {"kube-apiserver"}));
    write(round * 100, round * 100 + 50);
    EXPECT_TRUE(listener_catches_up());
  }
}

TEST_F(RealOutage, AWatchIsResumedWithoutANewListAfterACutConnection) {
  const auto lists = stat(&kube::ReflectorStats::lists);
  const auto failures = stat(&kube::ReflectorStats::failures);
  proxy_->set(TcpProxy::Wire::Cut);
  // Otherwise the old connection could still deliver the writes, and no watch would be resumed.
  ASSERT_TRUE(eventually([&] { return stat(&kube::ReflectorStats::failures) > failures; }));
  write(100, 150);
  proxy_->set(TcpProxy::Wire::Whole);
  EXPECT_TRUE(listener_catches_up());
  EXPECT_EQ(stat(&kube::ReflectorStats::lists), lists) << "the server still had every version";
}

TEST_F(RealOutage, ACompactionWhileDisconnectedCausesOneNewListWithAllChanges) {
  const auto lists = stat(&kube::ReflectorStats::lists);
  const auto failures = stat(&kube::ReflectorStats::failures);
  proxy_->set(TcpProxy::Wire::Cut);
  // As above: otherwise no version would be missing.
  ASSERT_TRUE(eventually([&] { return stat(&kube::ReflectorStats::failures) > failures; }));
  write(100, 150);
  // A restarted API server has no watch history, and after the compaction etcd has none either.
  ASSERT_TRUE(rig_->command("compact"));
  ASSERT_TRUE(rig_->command("stop", {"kube-apiserver", "--signal", "KILL"}));
  ASSERT_TRUE(rig_->command("start", {"kube-apiserver"}));
  proxy_->set(TcpProxy::Wire::Whole);
  EXPECT_TRUE(listener_catches_up());
  EXPECT_EQ(stat(&kube::ReflectorStats::lists), lists + 1) << "the versions were compacted: exactly one new list";
}

TEST_F(RealOutage, ASilentConnectionIsDetectedAndReplaced) {
  proxy_->set(TcpProxy::Wire::Frozen);
  write(100, 150);
  const auto failures = stat(&kube::ReflectorStats::failures);
  EXPECT_TRUE(eventually([&] { return stat(&kube::ReflectorStats::failures) > failures; }))
      << "the half-open connection is not detected";
  proxy_->set(TcpProxy::Wire::Whole);
  EXPECT_TRUE(listener_catches_up());
}

}  // namespace
}  // namespace rescheduler::test
