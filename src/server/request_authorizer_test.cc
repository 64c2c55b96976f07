#include "server/request_authorizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "kube/proto/authentication.pb.h"
#include "kube/proto/authorization.pb.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::server {
namespace {

class RequestAuthorizerTest : public testing::Test {
 protected:
  RequestAuthorizerTest() {
    set_log_level(LogLevel::Off);
    add("/metrics", Access::Open);
    add("/readyz/", Access::Open);
    add("/configz", Access::Reviewed);
    add("/extender/filter", Access::Extender);
    api_.answer_creates_of(kube::resource_of<api::TokenReview>(), [](const auto& asked, auto& answer) {
      const auto& token = static_cast<const api::TokenReview&>(asked).spec().token();
      auto& status = *static_cast<api::TokenReview&>(answer).mutable_status();
      status.set_authenticated(token == "ann" || token == "bob");
      if (status.authenticated()) status.mutable_user()->set_username(token);
    });
    api_.answer_creates_of(kube::resource_of<api::SubjectAccessReview>(), [](const auto& asked, auto& answer) {
      const auto& spec = static_cast<const api::SubjectAccessReview&>(asked).spec();
      static_cast<api::SubjectAccessReview&>(answer).mutable_status()->set_allowed(spec.user() == "ann");
    });
    tls_.tls = true;
    verified_.tls = verified_.verified = true;
    verified_.common_name = "system:kube-scheduler";
  }
  ~RequestAuthorizerTest() override { set_log_level(LogLevel::Info); }

  void add(std::string path, Access access) {
    Route route;
    route.path = std::move(path);
    route.access = access;
    routes_.add(std::move(route));
  }
  // 0: allowed.
  int status(const net::PeerIdentity& peer, const std::string& path, const std::string& token = {}) {
    net::HttpRequest head;
    head.method = "POST";
    head.target = path;
    if (!token.empty()) head.headers.set("Authorization", token);
    RequestAuthorizer authorizer(routes_, auth_used_, extender_);
    auto refusal = time_.loop.await_result(checked(authorizer, head, peer));
    if (!refusal->has_value()) return 0;
    last_ = std::move(**refusal);
    return last_.status;
  }
  static net::Task<Result<std::optional<net::HttpResponse>>> checked(RequestAuthorizer& authorizer,
                                                                     const net::HttpRequest& head,
                                                                     const net::PeerIdentity& peer) {
    auto refusal = co_await authorizer.check(head, peer);
    co_return refusal;
  }

  net::PeerIdentity plain_, tls_, verified_;
  net::HttpResponse last_;
  Routes routes_;
  ExtenderAccess extender_;
  test::ScriptedApi api_;
  test::VirtualTime time_;
  DelegatedAuth auth_{api_, time_.clock};
  DelegatedAuth* auth_used_ = &auth_;
};

TEST_F(RequestAuthorizerTest, OpenRoutesNeedNoReview) {
  for (const auto& peer : {plain_, tls_}) {
    EXPECT_EQ(status(peer, "/metrics?x=1"), 0);
    EXPECT_EQ(status(peer, "/readyz/ping"), 0);
  }
  EXPECT_TRUE(api_.calls().empty());
}

TEST_F(RequestAuthorizerTest, OtherRoutesNeedTlsEvenWithAToken) {
  for (const char* path : {"/configz", "/extender/filter", "/nowhere", "/metrics/", "/readyz"}) {
    EXPECT_EQ(status(plain_, path, "Bearer ann"), 400) << path;
    EXPECT_EQ(last_.body, "Only health and metrics are served over plain HTTP: use https.\n");
  }
  EXPECT_TRUE(api_.calls().empty()) << "a token sent over plain HTTP must not be reviewed";
}

TEST_F(RequestAuthorizerTest, ATokenMustBeValidAndItsUserAllowed) {
  for (const char* path : {"/configz", "/extender/filter", "/nowhere"}) {
    EXPECT_EQ(status(tls_, path), 401) << path;
    EXPECT_EQ(last_.headers.get("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(status(tls_, path, "Bearer eve"), 401) << path;
    EXPECT_EQ(status(tls_, path, "Basic YW5uOmFubg=="), 401) << path;
    EXPECT_EQ(status(tls_, path, "Bearer "), 401) << path;
    EXPECT_EQ(status(tls_, path, "Bearer bob"), 403) << path;
    EXPECT_EQ(status(tls_, path, "bearer ann"), 0) << path;
  }
  EXPECT_EQ(status(tls_, "/configz?a=b", "Bearer bob"), 403);
  EXPECT_EQ(last_.body, "User \"bob\" cannot post path \"/configz\".\n");
}

TEST_F(RequestAuthorizerTest, RequestsAreRefusedWith503WhenTheApiServerDoesNotAnswer) {
  api_.fail_calls(0, 1, Error{Errc::Unavailable, "connection refused"});
  EXPECT_EQ(status(tls_, "/configz", "Bearer ann"), 503);
  api_.fail_calls(2, 1, Error{Errc::Unavailable, "connection refused"});
  EXPECT_EQ(status(tls_, "/configz", "Bearer ann"), 503);
  auth_used_ = nullptr;
  EXPECT_EQ(status(tls_, "/configz", "Bearer ann"), 503);
  EXPECT_EQ(status(tls_, "/configz"), 401);
}

TEST_F(RequestAuthorizerTest, AClientCertificateGivesAccessOnlyToTheExtender) {
  EXPECT_EQ(status(verified_, "/extender/filter"), 0);
  EXPECT_EQ(status(verified_, "/configz"), 401);
  extender_.names = {"other-client", "system:kube-scheduler"};
  EXPECT_EQ(status(verified_, "/extender/filter"), 0);
  extender_.names = {"other-client"};
  EXPECT_EQ(status(verified_, "/extender/filter"), 401);
  EXPECT_EQ(status(verified_, "/extender/filter", "Bearer ann"), 0) << "a token still gives access";
}

TEST_F(RequestAuthorizerTest, AnonymousExtenderAccessStillNeedsTls) {
  extender_.anonymous = true;
  EXPECT_EQ(status(tls_, "/extender/filter"), 0);
  EXPECT_EQ(status(tls_, "/configz"), 401);
  EXPECT_EQ(status(plain_, "/extender/filter"), 400);
}

TEST_F(RequestAuthorizerTest, AnInvalidPathIsRefused) { EXPECT_EQ(status(tls_, "/metrics%", "Bearer ann"), 400); }

class BrowserAccessTest : public RequestAuthorizerTest {
 protected:
  BrowserAccessTest() {
    add("/ui/", Access::Page);
    add("/api/v1/overview", Access::Reading);
    Route pause;
    pause.path = "/api/v1/pause";
    pause.access = Access::Acting;
    pause.methods = {"POST"};
    routes_.add(std::move(pause));
    api_.answer_creates_of(kube::resource_of<api::SubjectAccessReview>(), [this](const auto& asked, auto& answer) {
      const auto& spec = static_cast<const api::SubjectAccessReview&>(asked).spec();
      reviewed_ = spec.non_resource_attributes().verb() + " " + spec.non_resource_attributes().path();
      static_cast<api::SubjectAccessReview&>(answer).mutable_status()->set_allowed(spec.user() == "ann");
    });
    act_.method = "POST";
    act_.target = "/api/v1/pause";
    act_.headers.set("Host", "node:10259");
    act_.headers.set("Content-Type", "application/json; charset=utf-8");
    act_.headers.set("X-Rescheduler-Action", "1");
    act_.headers.set("Content-Length", "20");
  }
  int browser_status(const net::PeerIdentity& peer, net::HttpRequest head, const std::string& token = {}) {
    if (!token.empty()) head.headers.set("Authorization", "Bearer " + token);
    RequestAuthorizer authorizer(routes_, auth_used_, extender_, browser_);
    auto refusal = time_.loop.await_result(checked(authorizer, head, peer));
    if (!refusal->has_value()) return 0;
    last_ = std::move(**refusal);
    return last_.status;
  }
  static net::HttpRequest get(std::string path, std::string_view host = "node:10259") {
    net::HttpRequest head;
    head.target = std::move(path);
    head.headers.set("Host", host);
    return head;
  }

  net::HttpRequest act_;
  BrowserAccess browser_;
  std::string reviewed_;
};

TEST_F(BrowserAccessTest, PagesAreOpenOverTlsAndDataNeedsAnAuthorizedUser) {
  EXPECT_EQ(browser_status(tls_, get("/ui/app.js")), 0);
  EXPECT_EQ(browser_status(plain_, get("/ui/")), 400);
  EXPECT_EQ(browser_status(plain_, get("/api/v1/overview"), "ann"), 400);
  EXPECT_EQ(browser_status(tls_, get("/api/v1/overview")), 401);
  EXPECT_EQ(last_.body, R"({"status":401,"message":"This path needs a bearer token."})");
  EXPECT_EQ(browser_status(tls_, get("/api/v1/overview"), "bob"), 403);
  EXPECT_EQ(browser_status(tls_, get("/api/v1/overview"), "ann"), 0);
  EXPECT_EQ(reviewed_, "get /rescheduler/api/v1/overview")
      << "every user of a cluster may get /api/*, so the path has a prefix";
  EXPECT_EQ(browser_status(tls_, act_, "bob"), 403);
  EXPECT_EQ(browser_status(tls_, act_, "ann"), 0);
  EXPECT_EQ(reviewed_, "post /rescheduler/api/v1/pause");
}

TEST_F(BrowserAccessTest, OnLoopbackReadingIsOpenAndActionsNeedOpenActions) {
  browser_.loopback = true;
  EXPECT_EQ(browser_status(plain_, get("/api/v1/overview", "localhost:10259")), 0);
  EXPECT_EQ(browser_status(plain_, get("/api/v1/overview", "127.0.0.1:10259")), 0);
  EXPECT_EQ(browser_status(plain_, get("/api/v1/overview", "rebound.example")), 403);
  EXPECT_EQ(browser_status(plain_, get("/api/v1/overview", "")), 403);
  EXPECT_EQ(browser_status(plain_, get("/configz", "localhost")), 400) << "other routes still need TLS";
  act_.headers.set("Host", "[::1]:10259");
  EXPECT_EQ(browser_status(plain_, act_), 401);
  browser_.open_actions = true;
  EXPECT_EQ(browser_status(plain_, act_), 0);
  EXPECT_TRUE(reviewed_.empty());
}

TEST_F(BrowserAccessTest, CrossSiteAndMalformedActionsAreRefusedEvenWithAValidToken) {
  net::HttpRequest head = act_;
  head.headers.set("Origin", "https://evil.example");
  EXPECT_EQ(browser_status(tls_, head, "ann"), 403);
  head.headers.set("Origin", "https://node:10259");
  EXPECT_EQ(browser_status(tls_, head, "ann"), 0);
  head.headers.set("Sec-Fetch-Site", "cross-site");
  EXPECT_EQ(browser_status(tls_, head, "ann"), 403);
  const auto without = [&](std::string_view header, std::string_view value) {
    net::HttpRequest changed = act_;
    changed.headers.set(header, value);
    return browser_status(tls_, changed, "ann");
  };
  EXPECT_EQ(without("X-Rescheduler-Action", "yes"), 403);
  EXPECT_EQ(without("Content-Type", "application/x-www-form-urlencoded"), 415);
  EXPECT_EQ(without("Content-Length", ""), 411);
  EXPECT_EQ(without("Content-Length", "65537"), 413);
  EXPECT_EQ(without("Content-Length", "99999999999999999999"), 413);
  EXPECT_EQ(browser_status(tls_, get("/api/v1/pause"), "ann"), 405);
  EXPECT_EQ(last_.headers.get("Allow"), "POST");
}

}  // namespace
}  // namespace rescheduler::server
