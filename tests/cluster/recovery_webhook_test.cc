// The API server calls our webhook over TLS, and continues without it if it does not answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/apps.pb.h"
#include "net/http/http_client.h"
#include "server/proto/webhook_configuration.pb.h"
#include "support/objects.h"
#include "support/recovery.h"

namespace rescheduler::test {
namespace {

using ::testing::HasSubstr;

class RecoveryWebhookCluster : public RecoveryTest {
 protected:
  void SetUp() override {
    RecoveryTest::SetUp();
    if (IsSkipped()) return;
    node_ = add_node("n");
  }
  // A Deployment whose pod has failed on a node before. Its pods set nodeName, so that no scheduler is needed.
  api::Deployment failed_before(const std::string& name, int replicas) {
    auto made = failing_deployment(name, replicas, "3", "");
    made.mutable_spec()->mutable_template_()->mutable_spec()->set_node_name(node_);
    (*made.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_annotations())["theirs"] = "kept";
    (*made.mutable_metadata()->mutable_annotations())["kse.com/deploy"] =
        R"({"currentReschedulingTimes":1,"deployScheduledHosts":["bad-node"]})";
    return made;
  }
  std::string bundle() {
    auto read = await(client().get<server::MutatingWebhookConfiguration>("", ns()));
    return read && read->webhooks_size() == 1 ? read->webhooks(0).client_config().ca_bundle() : "";
  }
  std::string node_;
};
RESCHEDULER_ON_EVERY_CLUSTER(RecoveryWebhookCluster);

TEST_P(RecoveryWebhookCluster, AnnotatesTheReplacementPodAndNoOtherPod) {
  start_recovery();
  create(failed_before("web", 3));
  ASSERT_TRUE(eventually([&] { return live_pods().size() == 3; }));
  int annotated = 0;
  for (const api::Pod& pod : live_pods()) {
    const auto found = pod.metadata().annotations().find("kse.com/scheduled-hosts");
    EXPECT_EQ(pod.metadata().annotations().at("theirs"), "kept");
    if (found == pod.metadata().annotations().end()) continue;
    ++annotated;
    EXPECT_EQ(found->second, R"(["bad-node"])");
    EXPECT_EQ(pod.metadata().annotations().at("rescheduler.io/recovery-slot"), "1");
  }
  EXPECT_EQ(annotated, 1) << "one replica failed; the others need not avoid a node";
}

TEST_P(RecoveryWebhookCluster, PodsAreCreatedWhileTheWebhookIsStopped) {
  auto& recovery = start_recovery();
  recovery.stop_webhook();
  const auto made = create(pod_of(ns(), "p", node_));
  EXPECT_FALSE(made.metadata().uid().empty());
}

TEST_P(RecoveryWebhookCluster, EveryAdmissionRequestIsAnsweredWhileTheCertificateIsRenewed) {
  auto& recovery = start_recovery();
  const std::string before = bundle();
  ASSERT_NE(before, "");
  int asked = 0;
  const auto ask = [&] {
    // The webhook changes this pod: the annotation would be missing without its answer.
    auto deployment = failed_before(fmt::format("web-{}", ++asked), 1);
    const std::string label = deployment.metadata().name();
    (*deployment.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = label;
    (*deployment.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels())["app"] = label;
    create(deployment);
    std::string visited_hosts;
    const bool seen = eventually([&] {
      for (const api::Pod& pod : live_pods()) {
        if (pod.metadata().labels().at("app") != label) continue;
        const auto found = pod.metadata().annotations().find("kse.com/scheduled-hosts");
        visited_hosts = found == pod.metadata().annotations().end() ? "nothing" : found->second;
        return true;
      }
      return false;
    });
    EXPECT_TRUE(seen);
    return visited_hosts;
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(ask(), R"(["bad-node"])") << round;
    auto renewed = recovery.link().await(recovery.webhook().bring_up_to_date(true));
    ASSERT_TRUE(renewed) << renewed.error().message;
    EXPECT_EQ(ask(), R"(["bad-node"])") << round;
  }
  EXPECT_NE(bundle(), before);
}

// The test support gives an address without a path.
TEST_P(RecoveryWebhookCluster, CallsItsRegisteredAddressAndReportsTheAnswer) {
  auto& recovery = start_recovery();
  const std::string address = fmt::format("https://127.0.0.1:{}/mutate-pods", recovery.webhook_port());
  EXPECT_TRUE(eventually([&] { return recovery.webhook_status() == address + " answers"; }))
      << recovery.webhook_status();
  auto read = await(client().get<server::MutatingWebhookConfiguration>("", ns()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->webhooks(0).client_config().url(), address);
}

TEST_P(RecoveryWebhookCluster, ReportsARegisteredAddressThatAnswersWithAnotherPage) {
  TestRecoverySettings settings;
  settings.recovery = quick();
  settings.webhook_url = "https://127.0.0.1:0/elsewhere";
  settings.wait_for_webhook = false;
  auto& recovery = start_recovery(std::move(settings));
  const std::string address = fmt::format("https://127.0.0.1:{}/elsewhere", recovery.webhook_port());
  const std::string expected =
      fmt::format("{0} does not answer: {0} answers with status 404; the path of the webhook is /mutate-pods", address);
  EXPECT_TRUE(eventually([&] { return recovery.webhook_status() == expected; })) << recovery.webhook_status();
}

net::Task<Result<net::HttpResponse>> posted(net::HttpClient& client, net::HttpRequest request) {
  constexpr std::chrono::seconds kPatience{20};
  auto answer = co_await client.send(std::move(request), kPatience);
  co_return answer;
}

TEST_P(RecoveryWebhookCluster, RejectsInvalidRequestsOverTlsAndKeepsAnswering) {
  auto& recovery = start_recovery();
  net::HttpClientSettings settings;
  settings.origin = {true, "127.0.0.1", recovery.webhook_port()};
  settings.tls.ca_pem = bundle();
  std::unique_ptr<net::HttpClient> client;
  live().on_loop([&] {
    auto made = net::make_http_client(live().services().executor, settings);
    ASSERT_TRUE(made) << made.error().message;
    client = std::move(*made);
  });
  const auto post = [&](const std::string& type, std::string body) {
    net::HttpRequest request;
    request.method = "POST";
    request.target = "/mutate-pods";
    request.headers.set("Content-Type", type);
    request.body = std::move(body);
    auto answer = await(posted(*client, std::move(request)));
    return answer ? answer->status : 0;
  };
  const std::string review =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"DELETE"}})";
  EXPECT_EQ(post("application/json", review), 200);
  EXPECT_EQ(post("text/html", review), 415);
  EXPECT_EQ(post("application/json", review.substr(0, 60)), 400);
  EXPECT_EQ(post("application/json", R"({"apiVersion":"v1","kind":"Pod"})"), 400);
  const int giant = post("application/json", std::string(std::size_t{9} << 20U, ' '));
  EXPECT_TRUE(giant == 413 || giant == 0)
      << giant << ": refused, and the connection is closed on a client that still writes";
  EXPECT_EQ(post("application/json", review), 200) << "the webhook still answers";
  live().on_loop([&] { client.reset(); });
  // The webhook still answers the API server too.
  create(failed_before("web", 1));
  EXPECT_TRUE(eventually([&] {
    const auto pods = live_pods();
    return pods.size() == 1 && pods[0].metadata().annotations().contains("kse.com/scheduled-hosts");
  }));
}

}  // namespace
}  // namespace rescheduler::test
