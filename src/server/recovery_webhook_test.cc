#include "server/recovery_webhook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "kube/value/base64.h"
#include "server/webhook_call.h"
#include "server/webhook_certificate.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::server {
namespace {

using rescheduling::recovery::NewPodHint;
using ::testing::HasSubstr;
using ::testing::Not;

class RecoveryWebhookTest : public testing::Test {
 protected:
  RecoveryWebhookTest() {
    RecoveryWebhookSettings settings;
    settings.address = "127.0.0.1";
    settings.webhook.port = 0;
    settings.webhook.node_affinity = true;
    settings.own_schedulers = {"ours"};
    settings.excluded_namespaces = {"kube-system"};
    const PodHints hints = [](const api::Pod& pod) { return hint(pod.metadata().name()); };
    auto started = RecoveryWebhook::start(api_, hints, settings, time_.services());
    EXPECT_TRUE(started) << started.error().message;
    hook_ = std::move(*started);
  }
  ~RecoveryWebhookTest() override { (void)time_.loop.await_result(stopped()); }
  net::Task<Result<void>> stopped() {
    constexpr std::chrono::seconds kGrace{1};
    co_await hook_->stop(kGrace);
    hook_.reset();
    co_return Result<void>{};
  }
  static net::Task<std::optional<NewPodHint>> hint(std::string pod) {
    if (pod != "failed-before") co_return std::nullopt;
    NewPodHint made;
    made.avoid = {"a", "b"};
    made.slot = "1";
    co_return made;
  }
  net::Task<Result<net::HttpResponse>> asked(net::HttpRequest request) {
    auto page = co_await hook_->answer(request);
    co_return page;
  }
  net::HttpResponse ask(std::string body,
                        const std::string& type = "application/json",
                        const std::string& method = "POST",
                        const std::string& target = "/mutate-pods?timeout=2s") {
    net::HttpRequest request;
    request.method = method;
    request.target = target;
    request.headers.set("Content-Type", type);
    request.body = std::move(body);
    return *time_.loop.await_result(asked(std::move(request)));
  }
  static std::string review(const std::string& name, const std::string& more = "", const std::string& ns = "web") {
    return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","namespace":")" + ns
           + R"(","operation":"CREATE","resource":{"group":"","version":"v1","resource":"pods"},"object":{"metadata":{"name":")"
           + name + R"("})" + more + "}}}";
  }
  static std::string patch_in(const net::HttpResponse& page) {
    const auto begin = page.body.find(R"("patch":")");
    if (begin == std::string::npos) return "";
    const auto end = page.body.find('"', begin + 9);
    return kube::base64_decode(page.body.substr(begin + 9, end - begin - 9)).value_or("?");
  }

  test::ScriptedApi api_;
  test::VirtualTime time_;
  std::unique_ptr<RecoveryWebhook> hook_;
};

TEST_F(RecoveryWebhookTest, AnnotatesAReplacementPodWithTheNodesOfEarlierFailures) {
  const auto page = ask(review("failed-before", R"(,"spec":{"schedulerName":"ours"})"));
  EXPECT_EQ(page.status, 200);
  const std::string patch = patch_in(page);
  EXPECT_THAT(patch, HasSubstr(R"("kse.com/scheduled-hosts":"[\"a\",\"b\"]")"));
  EXPECT_THAT(patch, HasSubstr(R"("rescheduler.io/recovery-slot":"1")"));
  EXPECT_THAT(patch, Not(HasSubstr("affinity"))) << "pods of our own scheduler need no affinity";
  EXPECT_EQ(patch_in(ask(review("another"))), "");
  EXPECT_EQ(patch_in(ask(review("failed-before", "", "kube-system"))), "");
}

TEST_F(RecoveryWebhookTest, ExcludesFailedNodesByAffinityForPodsOfOtherSchedulers) {
  EXPECT_THAT(patch_in(ask(review("failed-before", R"(,"spec":{"schedulerName":"default-scheduler"})"))),
              HasSubstr(R"({"key":"metadata.name","operator":"NotIn","values":["a"]})"));
}

TEST_F(RecoveryWebhookTest, AnswersInvalidRequestsWithHttpErrors) {
  EXPECT_EQ(ask(review("p"), "text/plain").status, 415);
  EXPECT_EQ(ask(review("p"), "").status, 415);
  EXPECT_EQ(ask(review("p"), "application/json; charset=utf-8").status, 200);
  EXPECT_EQ(ask(review("p").substr(0, 100)).status, 400);
  EXPECT_EQ(ask(R"({"apiVersion":"v1","kind":"Pod"})").status, 400);
  EXPECT_EQ(ask("", "application/json").status, 400);
  EXPECT_EQ(ask("", "application/json", "GET").status, 405);
  EXPECT_EQ(ask(review("p"), "application/json", "POST", "/elsewhere").status, 404);
}

TEST(WebhookUrls, GetThePathOfTheWebhookAndThePortThatWasOpened) {
  EXPECT_EQ(webhook_url("https://a", 8443), "https://a/mutate-pods");
  EXPECT_EQ(webhook_url("https://a/", 8443), "https://a/mutate-pods");
  EXPECT_EQ(webhook_url("https://a:10/b/c", 8443), "https://a:10/b/c");
  EXPECT_EQ(webhook_url("https://127.0.0.1:0", 8443), "https://127.0.0.1:8443/mutate-pods");
  EXPECT_EQ(webhook_url("https://[::1]:0/b", 8443), "https://[::1]:8443/b");
}

TEST_F(RecoveryWebhookTest, DoesNotCountItsOwnCallsAsReviewsOfPods) {
  net::HttpRequest request;
  request.method = "POST";
  request.target = "/mutate-pods";
  request.headers.set("Content-Type", "application/json");
  request.headers.set("Rescheduler-Check", "true");
  request.body = review("failed-before");
  EXPECT_EQ(time_.loop.await_result(asked(request))->status, 200);
  EXPECT_THAT(time_.metrics.text(), Not(HasSubstr("webhook_requests_total{")));
  EXPECT_EQ(ask(review("failed-before")).status, 200);
  EXPECT_THAT(time_.metrics.text(), HasSubstr(R"(webhook_requests_total{code="200"} 1)"));
}

TEST(WebhookCertificates, KeepOnlyThePreviousAuthorityInTheBundle) {
  const auto first = make_webhook_certificate({"localhost"}, std::chrono::hours{24}, WallTime{}, nullptr);
  ASSERT_TRUE(first);
  const auto second = make_webhook_certificate({"localhost"}, std::chrono::hours{24}, WallTime{}, &*first);
  ASSERT_TRUE(second);
  EXPECT_THAT(second->ca_bundle, HasSubstr(first->ca_bundle));
  const auto third = make_webhook_certificate({"localhost"}, std::chrono::hours{24}, WallTime{}, &*second);
  ASSERT_TRUE(third);
  EXPECT_THAT(third->ca_bundle, Not(HasSubstr(first->ca_bundle))) << "the bundle holds two authorities";
}

}  // namespace
}  // namespace rescheduler::server
