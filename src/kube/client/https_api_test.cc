// HttpsApi against a scripted server: repeats, renewed credentials, limits, watches.
#include "kube/client/https_api.h"

#include <deque>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/client/client.h"
#include "kube/codec/codec.h"
#include "kube/proto/core_pod.pb.h"
#include "net/http/http_server.h"

namespace rescheduler::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns "Bearer 1", "Bearer 2", ...; the number grows with each rejection.
class CountingCredentials final : public CredentialSource {
 public:
  net::Task<Result<Credential>> current() override {
    Credential credential;
    credential.authorization = fmt::format("Bearer {}", generation_);
    co_return credential;
  }
  void rejected() override { ++generation_; }

 private:
  int generation_ = 1;
};

// Records the requested durations and returns at once.
class RecordingTimers final : public net::Timers {
 public:
  net::Task<Result<void>> sleep_for(std::chrono::nanoseconds duration) override {
    waits.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(duration));
    co_return Result<void>{};
  }
  std::vector<std::chrono::milliseconds> waits;
};

net::HttpResponse answer(int status, std::string body = {}, std::string_view type = "application/json") {
  net::HttpResponse response;
  response.status = status;
  response.headers.set("Content-Type", type);
  response.body = std::move(body);
  return response;
}

net::HttpResponse pod_answer() {
  api::Pod pod;
  pod.mutable_metadata()->set_name("p");
  return answer(200, encode(Encoding::Protobuf, pod), media_type(Encoding::Protobuf));
}

class HttpsApiTest : public testing::Test {
 protected:
  HttpsApiTest() {
    auto server = net::serve_http(loop_.executor(), {},
                                  [this](const net::HttpRequest& request, const net::PeerIdentity&,
                                         net::Responder& responder) { return respond(request, responder); });
    EXPECT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }
  ~HttpsApiTest() override { (void)loop_.await_result(close()); }

  void connect(HttpsApiSettings settings = {}) {
    ClientConfig config;
    config.origin = {false, "127.0.0.1", server_->port()};
    net::HttpClientSettings http_settings;
    http_settings.origin = config.origin;
    auto http = net::make_http_client(loop_.executor(), http_settings);
    ASSERT_TRUE(http) << http.error().message;
    const LoopServices services{loop_.executor(), &timers_, &clock_, &rng_, &metrics_};
    api_ = std::make_unique<HttpsApi>(std::move(*http), std::make_unique<CountingCredentials>(), config,
                                      std::move(settings), services);
  }
  Result<api::Pod> get() { return loop_.await_result(Client(*api_).get<api::Pod>("web", "p")); }
  Result<api::Pod> create() {
    api::Pod pod;
    pod.mutable_metadata()->set_namespace_("web");
    pod.mutable_metadata()->set_name("p");
    return loop_.await_result(Client(*api_).create(pod));
  }

  std::deque<net::HttpResponse> script_;     // the answers of the server, in order
  std::vector<std::string> authorizations_;  // the Authorization headers that the server got
  RecordingTimers timers_;
  MetricRegistry metrics_;
  net::EventLoop loop_;
  std::unique_ptr<HttpsApi> api_;

 private:
  net::Task<void> respond(const net::HttpRequest& request, net::Responder& responder) {
    authorizations_.emplace_back(request.headers.get("Authorization"));
    net::HttpResponse next = script_.empty() ? answer(599, "script over") : script_.front();
    if (!script_.empty()) script_.pop_front();
    auto sent = co_await responder.send(std::move(next));
    EXPECT_TRUE(sent);
  }
  net::Task<Result<void>> close() {
    api_.reset();
    co_await server_->stop(std::chrono::nanoseconds::zero());
    co_return Result<void>{};
  }

  SystemClock clock_;
  Rng rng_{1};
  std::unique_ptr<net::HttpServer> server_;
};

TEST_F(HttpsApiTest, ARejectedCredentialIsRenewedOnlyOnce) {
  connect();
  script_ = {answer(401), pod_answer()};
  EXPECT_TRUE(get());
  EXPECT_THAT(authorizations_, ElementsAre("Bearer 1", "Bearer 2"));

  script_ = {answer(401), answer(401)};
  const auto refused = get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Unauthenticated);
  EXPECT_THAT(refused.error().message, testing::Not(HasSubstr("Bearer")));
}

TEST_F(HttpsApiTest, AThrottledCallIsRepeatedAfterTheServersRetryAfter) {
  connect();
  net::HttpResponse busy = answer(429);
  busy.headers.set("Retry-After", "3");
  script_ = {busy, answer(503), pod_answer()};
  EXPECT_TRUE(get());
  ASSERT_EQ(timers_.waits.size(), 2U);
  EXPECT_GE(timers_.waits[0], std::chrono::seconds{3});
  EXPECT_LT(timers_.waits[1], std::chrono::seconds{3});
}

TEST_F(HttpsApiTest, ACreateWithAnUnknownOutcomeIsNotRepeated) {
  connect();
  script_ = {answer(500, "{}"), pod_answer()};
  const auto failed = create();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::Unavailable);
  EXPECT_EQ(authorizations_.size(), 1U);
}

TEST_F(HttpsApiTest, GivesUpWhenTheNextTryWouldComeAfterTheDeadline) {
  connect();
  net::HttpResponse busy = answer(429);
  busy.headers.set("Retry-After", "3600");
  script_ = {busy};
  const auto failed = get();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::Throttled);
  EXPECT_THAT(failed.error().message, HasSubstr("given up after 1 try"));
}

TEST_F(HttpsApiTest, CallsBeyondTheBurstWaitForTheRateLimiter) {
  HttpsApiSettings settings;
  settings.requests_per_second = 10;
  settings.burst = 2;
  connect(settings);
  script_ = {pod_answer(), pod_answer(), pod_answer()};
  for (int call = 0; call < 3; ++call) EXPECT_TRUE(get());
  ASSERT_EQ(timers_.waits.size(), 1U) << "two calls pass in the burst, the third call waits";
  EXPECT_LE(timers_.waits[0], std::chrono::milliseconds{100});
}

TEST_F(HttpsApiTest, AnHtmlPageWithStatus200IsAnError) {
  connect();
  script_ = {answer(200, "<h1>Welcome</h1>", "text/html")};
  const auto failed = loop_.await_result(Client(*api_).remove<api::Pod>("web", "p"));
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("is this a Kubernetes API server?"));
}

TEST_F(HttpsApiTest, CountsRequestsUnderTheMetricNameOfClientGo) {
  connect();
  script_ = {answer(404), pod_answer()};
  (void)get();
  (void)get();
  EXPECT_THAT(metrics_.text(), HasSubstr(R"(rest_client_requests_total{code="404",method="GET"} 1)"));
  EXPECT_THAT(metrics_.text(), HasSubstr(R"(rest_client_requests_total{code="200",method="GET"} 1)"));
}

TEST_F(HttpsApiTest, AWatchReturnsItsEventsBeforeItsError) {
  connect();
  api::Pod pod;
  pod.mutable_metadata()->set_name("p");
  pod.mutable_metadata()->set_resource_version("7");
  api::Status gone;
  gone.set_code(410);
  gone.set_reason("Expired");
  gone.set_message("too old");
  script_ = {answer(200,
                    encode_watch_event(Encoding::Protobuf, WatchEventType::Added, pod)
                        + encode_watch_event(Encoding::Protobuf, WatchEventType::Error, gone),
                    "application/vnd.kubernetes.protobuf;stream=watch")};
  ApiCall call;
  call.verb = Verb::Watch;
  call.resource = &resource_of<api::Pod>();
  auto stream = loop_.await_result(api_->watch(call));
  ASSERT_TRUE(stream) << stream.error().message;
  const auto events = loop_.await_result((*stream)->next());
  // Both arrived in one read: the error must not hide the event before it.
  ASSERT_TRUE(events) << events.error().message;
  ASSERT_EQ(events->size(), 1U);
  EXPECT_EQ(events->front().resource_version, "7");
  const auto expired = loop_.await_result((*stream)->next());
  ASSERT_FALSE(expired);
  EXPECT_EQ(expired.error().code, Errc::Expired);
  EXPECT_EQ(expired.error().message, "watch pods: too old (Expired)");
}

}  // namespace
}  // namespace rescheduler::kube
