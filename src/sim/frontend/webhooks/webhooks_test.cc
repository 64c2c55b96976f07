// Webhooks that listen on loopback, over TLS.
#include "sim/frontend/webhooks/webhooks.h"

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/value/base64.h"
#include "net/http/http_server.h"
#include "sim/frontend/frontend_objects.h"
#include "sim/frontend/frontend_rig.h"
#include "sim/proto/custom.pb.h"
#include "support/test_certificates.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WebhooksTest : public testing::Test {
 protected:
  WebhooksTest() {
    net::HttpServerSettings settings;
    const test::TestIdentity identity = authority_.issue({.names = {"127.0.0.1", "hook.web.svc"}});
    settings.tls.emplace();
    settings.tls->certificate_pem = identity.certificate_pem;
    settings.tls->key_pem = identity.key_pem;
    auto server = net::serve_http(rig_.loop.executor(), settings,
                                  [this](const net::HttpRequest& request, const net::PeerIdentity&,
                                         net::Responder& responder) { return respond(request, responder); });
    EXPECT_TRUE(server);
    hook_ = std::move(*server);
    WebhookSettings held;
    held.begun = [this] { rig_.loop.hold_time(); };
    held.ended = [this] { rig_.loop.release_time(); };
    caller_ = std::make_unique<WebhookCaller>(rig_.loop.executor(), rig_.server, held);
    rig_.server.set_admission(caller_.get());
    for (const char* name : {"web", "quiet"}) {
      api::Namespace ns;
      ns.mutable_metadata()->set_name(name);
      (*ns.mutable_metadata()->mutable_labels())["name"] = name;
      EXPECT_TRUE(rig_.server.create(ns));
    }
  }

  // `more` are further members of the webhook.
  void configure(const std::string& name, json::object more, bool mutating = true) {
    json::object webhook{{"name", name + ".example.io"},
                         {"clientConfig", client_config()},
                         {"rules", json::array{rule("pods")}},
                         {"admissionReviewVersions", json::array{"v1"}},
                         {"sideEffects", "None"}};
    for (auto& [key, value] : more) webhook[key] = value;
    CustomObject object;
    object.mutable_metadata()->set_name(name);
    object.set_content(json::serialize(json::object{{"webhooks", json::array{webhook}}}));
    const Kind& kind =
        *rig_.server.kinds().find("admissionregistration.k8s.io", "v1",
                                  mutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations");
    ASSERT_TRUE(rig_.server.create(kind, "", std::make_unique<CustomObject>(object)));
  }
  json::object client_config(const std::string& path = "/mutate") const {
    return {{"url", fmt::format("https://127.0.0.1:{}{}", hook_->port(), path)},
            {"caBundle", kube::base64_encode(authority_.pem())}};
  }
  static json::object rule(const std::string& resource) {
    return {{"operations", json::array{"CREATE"}},
            {"apiGroups", json::array{""}},
            {"apiVersions", json::array{"v1"}},
            {"resources", json::array{resource}}};
  }
  // An answer that allows the write, with a patch that adds a label.
  static json::object labelling(const std::string& label) {
    const std::string patch =
        fmt::format(R"([{{"op":"add","path":"/metadata/labels","value":{{"{}":"yes"}}}}])", label);
    return {{"allowed", true}, {"patchType", "JSONPatch"}, {"patch", kube::base64_encode(patch)}};
  }

  Result<api::Pod> create(api::Pod pod, bool dry_run = false) {
    kube::WriteOptions options;
    options.dry_run = dry_run;
    return rig_.await(kube::Client(rig_.api()).create(std::move(pod), options));
  }
  std::string refusal() {
    const auto refused = create(pod_of("p"));
    EXPECT_FALSE(refused);
    return refused ? "created" : refused.error().message;
  }

  std::function<json::object(const json::object& request)> verdict_ = [](const json::object&) {
    return json::object{{"allowed", true}};
  };
  int status_ = 200;
  std::vector<json::object> requests_;
  std::vector<std::string> paths_;
  test::TestAuthority authority_{"webhooks"};
  LocalRig rig_;
  std::unique_ptr<net::HttpServer> hook_;
  std::unique_ptr<WebhookCaller> caller_;  // its connections live on the rig's loop

 private:
  net::Task<void> respond(const net::HttpRequest& request, net::Responder& responder) {
    const json::object review = json::parse(request.body).as_object();
    const json::object& asked = review.at("request").as_object();
    requests_.push_back(asked);
    paths_.push_back(request.target);
    json::object response = verdict_(asked);
    if (!response.contains("uid")) response["uid"] = asked.at("uid");
    net::HttpResponse answer;
    answer.status = status_;
    answer.headers.set("Content-Type", "application/json");
    answer.body = json::serialize(
        json::object{{"apiVersion", review.at("apiVersion")}, {"kind", "AdmissionReview"}, {"response", response}});
    (void)co_await responder.send(std::move(answer));
  }
};

TEST_F(WebhooksTest, AMutatingWebhookChangesTheStoredObject) {
  configure("labels", {});
  verdict_ = [](const json::object&) { return labelling("touched"); };
  const auto made = create(pod_of("p"));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->metadata().labels().at("touched"), "yes");
  EXPECT_EQ(rig_.server.find<api::Pod>("web", "p")->metadata().labels().at("touched"), "yes");
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_EQ(requests_[0].at("operation"), "CREATE");
  EXPECT_EQ(requests_[0].at("namespace"), "web");
  EXPECT_EQ(requests_[0].at("resource").at("resource"), "pods");
  EXPECT_EQ(requests_[0].at("object").at("spec").at("containers").at(0).at("image"), "app:1");
  EXPECT_EQ(requests_[0].at("dryRun"), false);
  EXPECT_THAT(paths_, ElementsAre("/mutate?timeout=10s"));
}

TEST_F(WebhooksTest, WebhooksRunInNameOrderAndSeeTheChangesOfEarlierWebhooks) {
  configure("b-second", {{"clientConfig", client_config("/b")}});
  configure("a-first", {{"clientConfig", client_config("/a")}});
  configure("z-check", {{"clientConfig", client_config("/z")}}, false);
  verdict_ = [this](const json::object&) {
    return paths_.size() == 1 ? labelling("first") : json::object{{"allowed", true}};
  };
  ASSERT_TRUE(create(pod_of("p")));
  EXPECT_THAT(paths_, ElementsAre("/a?timeout=10s", "/b?timeout=10s", "/z?timeout=10s"));
  EXPECT_EQ(requests_[1].at("object").at("metadata").at("labels").at("first"), "yes");
  EXPECT_EQ(requests_[2].at("object").at("metadata").at("labels").at("first"), "yes");
}

TEST_F(WebhooksTest, AWebhookWithReinvocationIsCalledAgainAfterALaterWebhookChangesTheObject) {
  configure("a-first", {{"clientConfig", client_config("/a")}, {"reinvocationPolicy", "IfNeeded"}});
  configure("b-second", {{"clientConfig", client_config("/b")}});
  verdict_ = [this](const json::object&) {
    return paths_.size() == 2 ? labelling("second") : json::object{{"allowed", true}};
  };
  ASSERT_TRUE(create(pod_of("p")));
  EXPECT_THAT(paths_, ElementsAre("/a?timeout=10s", "/b?timeout=10s", "/a?timeout=10s"));
}

TEST_F(WebhooksTest, ADenialHasTheMessageOfTheRealServer) {
  configure("no", {});
  verdict_ = [](const json::object&) {
    return json::object{{"allowed", false}, {"status", json::object{{"message", "not today"}, {"code", 403}}}};
  };
  EXPECT_THAT(refusal(), HasSubstr("admission webhook \"no.example.io\" denied the request: not today"));
  verdict_ = [](const json::object&) { return json::object{{"allowed", false}}; };
  EXPECT_THAT(refusal(), HasSubstr("admission webhook \"no.example.io\" denied the request without explanation"));
  EXPECT_EQ(rig_.server.find<api::Pod>("web", "p"), nullptr);
  EXPECT_EQ(caller_->counts().denials, 2U);
}

TEST_F(WebhooksTest, AWebhookIsCalledOnlyForObjectsThatMatchItsRulesAndSelectors) {
  configure(
      "choosy",
      {{"namespaceSelector", json::object{{"matchLabels", json::object{{"name", "web"}}}}},
       {"objectSelector",
        json::object{{"matchExpressions", json::array{json::object{{"key", "skip"}, {"operator", "DoesNotExist"}}}}}}});
  api::Pod quiet = pod_of("p");
  quiet.mutable_metadata()->set_namespace_("quiet");
  ASSERT_TRUE(create(quiet));
  api::Pod skipped = pod_of("skipped");
  (*skipped.mutable_metadata()->mutable_labels())["skip"] = "1";
  ASSERT_TRUE(create(skipped));
  ASSERT_TRUE(rig_.await(kube::Client(rig_.api()).create(map_of("m", "1"))));
  auto asked = create(pod_of("asked"));
  ASSERT_TRUE(asked);
  EXPECT_EQ(requests_.size(), 1U);
  asked->mutable_metadata()->mutable_labels()->insert({"an", "update"});
  ASSERT_TRUE(rig_.await(kube::Client(rig_.api()).update(*asked)));
  EXPECT_EQ(requests_.size(), 1U);
}

TEST_F(WebhooksTest, TheFailurePolicyDecidesWhetherAFailureRejectsTheWrite) {
  status_ = 500;
  configure("open", {{"failurePolicy", "Ignore"}});
  EXPECT_TRUE(create(pod_of("open")));
  configure("closed", {{"failurePolicy", "Fail"}});
  EXPECT_THAT(refusal(), HasSubstr("Internal error occurred: failed calling webhook \"closed.example.io\": failed to "
                                   "call webhook: an error on the server"));
  status_ = 200;
  verdict_ = [](const json::object&) { return json::object{{"allowed", true}, {"uid", "another"}}; };
  EXPECT_THAT(refusal(), HasSubstr("received invalid webhook response: expected response.uid="));
  EXPECT_EQ(caller_->counts().failures, 3U);
}

TEST_F(WebhooksTest, ACertificateOfAnUntrustedAuthorityIsAFailure) {
  const test::TestAuthority other("another authority");
  json::object config = client_config();
  config["caBundle"] = kube::base64_encode(other.pem());
  configure("stranger", {{"clientConfig", config}});
  EXPECT_THAT(refusal(), HasSubstr("failed calling webhook \"stranger.example.io\": failed to call webhook: Post "
                                   "\"https://127.0.0.1:"));
  EXPECT_THAT(requests_, IsEmpty());
}

TEST_F(WebhooksTest, AServiceWebhookIsCalledAtItsConfiguredAddress) {
  const json::object config{
      {"service", json::object{{"namespace", "web"}, {"name", "hook"}, {"path", "/svc"}, {"port", 8443}}},
      {"caBundle", kube::base64_encode(authority_.pem())}};
  configure("service", {{"clientConfig", config}});
  EXPECT_THAT(refusal(), HasSubstr("Post \"https://hook.web.svc:8443/svc?timeout=10s\": no endpoints available for "
                                   "service \"hook\""));
  caller_->set_service("web/hook", {"127.0.0.1", hook_->port()});
  const auto made = create(pod_of("p"));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(paths_, ElementsAre("/svc?timeout=10s"));
}

TEST_F(WebhooksTest, MatchConditionsAreRejectedAsUnsupported) {
  configure("cel", {{"matchConditions", json::array{json::object{{"name", "x"}, {"expression", "true"}}}}});
  EXPECT_THAT(refusal(), HasSubstr("matchConditions are not supported by the embedded cluster"));
}

TEST_F(WebhooksTest, ADryRunIsRejectedForWebhooksWithSideEffects) {
  configure("effects", {{"sideEffects", "Some"}});
  const auto refused = create(pod_of("p"), true);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("admission webhook \"effects.example.io\" does not support dry run"));
}

TEST_F(WebhooksTest, PodsThatControllersCreateAreAlsoReviewed) {
  configure("labels", {});
  verdict_ = [](const json::object&) { return labelling("touched"); };
  std::optional<ApiResult<VersionPtr>> stored;
  rig_.server.submit_create(rig_.server.kinds().of<api::Pod>(), "web", std::make_unique<api::Pod>(pod_of("c")), {},
                            [&stored](ApiResult<VersionPtr> answer) { stored.emplace(std::move(answer)); });
  EXPECT_FALSE(stored);
  const SteadyTime begun = rig_.agenda.steady_now();
  rig_.loop.run_for(std::chrono::seconds{0});
  ASSERT_TRUE(stored && *stored);
  EXPECT_EQ((**stored)->as<api::Pod>()->metadata().labels().at("touched"), "yes");
  EXPECT_EQ(rig_.agenda.steady_now(), begun);  // virtual time did not advance
}

TEST_F(WebhooksTest, AReviewIsAbandonedWhenItsCallerIsDestroyed) {
  configure("labels", {});
  bool answered = false;
  rig_.server.submit_create(rig_.server.kinds().of<api::Pod>(), "web", std::make_unique<api::Pod>(pod_of("c")), {},
                            [&answered](const ApiResult<VersionPtr>&) { answered = true; });
  rig_.server.set_admission(nullptr);
  caller_.reset();
  rig_.loop.run_for(std::chrono::seconds{1});
  EXPECT_FALSE(answered);
  EXPECT_EQ(rig_.server.find<api::Pod>("web", "c"), nullptr);
}

TEST_F(WebhooksTest, AWebhookThatListsV1Beta1FirstGetsV1Beta1Reviews) {
  configure("old", {{"admissionReviewVersions", json::array{"v1beta1", "v1"}}});
  verdict_ = [](const json::object&) {
    json::object answer = labelling("beta");
    answer.erase("patchType");  // v1beta1 has only one patch type
    answer["uid"] = "unchecked";
    return answer;
  };
  const auto made = create(pod_of("p"));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->metadata().labels().at("beta"), "yes");
}

}  // namespace
}  // namespace rescheduler::sim
