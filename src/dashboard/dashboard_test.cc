#include "dashboard/dashboard.h"

#include <set>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dashboard/testing.h"
#include "support/port_fixture.h"

namespace rescheduler::dashboard {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(OpenApi, DescribesEveryRouteAndNothingElse) {
  std::set<std::string> served;
  for (const RouteInfo& route : Dashboard::routes()) served.insert(route.method + " " + route.path);
  std::set<std::string> described;
  const json::value document = json::parse(openapi());
  for (const auto& path : document.at("paths").as_object()) {
    for (const auto& method : path.value().as_object()) {
      described.insert((method.key() == "get" ? "GET " : "POST ") + std::string(path.key()));
    }
  }
  EXPECT_EQ(served, described);
}

// Records the requested actions.
class RecordedActions final : public Actions {
 public:
  ActionAnswer pause(std::string user, bool paused, std::string reason) override {
    return note(fmt::format("{} pause {} {}", user, paused, reason));
  }
  ActionAnswer apply_plan(std::string user, std::string plan) override {
    return note(fmt::format("{} apply {}", user, plan));
  }
  ActionAnswer cancel_migration(std::string user, std::string ns, std::string name) override {
    return note(fmt::format("{} cancel {}/{}", user, ns, name));
  }
  ActionAnswer move(std::string user, std::string ns, std::string pod, std::string to, std::string mode) override {
    return note(fmt::format("{} move {}/{} {} {}", user, ns, pod, to, mode));
  }
  ActionAnswer maintenance(std::string user, std::string node, bool on) override {
    return note(fmt::format("{} maintenance {} {}", user, node, on));
  }
  std::vector<std::string> notes{};

 private:
  ActionAnswer note(std::string text) {
    notes.push_back(text);
    co_return text;
  }
};

class DashboardTest : public server::PortFixture {
 protected:
  void serve(bool open_actions) {
    server::ServerSettings settings;
    settings.open_actions = open_actions;
    start(settings);
    cluster_->on_loop([this] {
      sim::AccessTable table;
      table.tokens = {{"ann-token", {"ann"}}, {"bob-token", {"bob"}}};
      table.rules = {
          {"ann", "post", "/rescheduler/api/v1/pause"}, {"ann", "get", "/rescheduler/api/*"}, {"bob", "get", "/api/*"}};
      cluster_->cluster().server().set_access(std::move(table));
      DashboardParts parts{.executor = cluster_->loop().executor()};
      parts.clock = &clock_;
      parts.model.cluster = "test";
      dashboard_ = std::make_unique<Dashboard>(std::move(parts));
      dashboard_->set_actions(&actions_);
      dashboard_->serve(*server_);
    });
  }
  ~DashboardTest() override {
    if (server_) stop(std::chrono::nanoseconds::zero());
    cluster_->on_loop([this] {
      server_.reset();
      dashboard_.reset();
    });
  }
  static net::HttpRequest post_of(std::string path, std::string body, const std::string& token = {}) {
    net::HttpRequest request = get_of(std::move(path), token);
    request.method = "POST";
    request.headers.set("Content-Type", "application/json");
    request.headers.set("X-Rescheduler-Action", "1");
    request.body = std::move(body);
    return request;
  }
  std::string ask(net::HttpRequest request, bool tls = false) {
    return text(send(client_settings(tls), std::move(request)));
  }
  std::string with(std::string_view header, std::string_view value, net::HttpRequest request) {
    request.headers.set(header, value);
    return ask(std::move(request));
  }

  RecordedActions actions_;
  std::unique_ptr<Dashboard> dashboard_;
};

TEST_F(DashboardTest, OnLoopbackReadingNeedsNoTokenAndActionsNeedAPermittedToken) {
  serve(false);
  EXPECT_THAT(plain_get("/api/v1/overview"), StartsWith("200 {"));
  EXPECT_THAT(plain_get("/api/v1/nodes"), StartsWith("200 {\"revision\""));
  EXPECT_THAT(plain_get("/ui/"), StartsWith("200 "));
  const auto session = json::parse(plain_get("/api/v1/session").substr(4));
  EXPECT_FALSE(session.at("needsToken").as_bool());
  EXPECT_TRUE(session.at("user").is_null());
  EXPECT_FALSE(session.at("may").at("pause").as_bool());
  EXPECT_THAT(ask(post_of("/api/v1/pause", R"({"paused":true})")), StartsWith("401 {\"status\":401"));
  EXPECT_THAT(ask(post_of("/api/v1/pause", R"({"paused":true})", "bob-token")), StartsWith("403 {\"status\":403"));
  EXPECT_TRUE(actions_.notes.empty());
}

TEST_F(DashboardTest, EachActionNeedsItsOwnPermissionAndTheUserIsRecorded) {
  serve(false);
  const auto session =
      json::parse(text(send(client_settings(false), get_of("/api/v1/session", "ann-token"))).substr(4));
  EXPECT_EQ(session.at("user").as_string(), "ann");
  EXPECT_TRUE(session.at("may").at("pause").as_bool());
  EXPECT_FALSE(session.at("may").at("move").as_bool());
  EXPECT_THAT(ask(post_of("/api/v1/pause", R"({"paused":true,"reason":"why"})", "ann-token")), StartsWith("200 "));
  EXPECT_THAT(ask(post_of("/api/v1/moves", R"({"namespace":"a","pod":"b","to":"c"})", "ann-token")),
              StartsWith("403 "));
  EXPECT_THAT(actions_.notes, testing::ElementsAre("ann pause true why"));
  EXPECT_THAT(plain_get("/api/v1/news"), HasSubstr("ann pause true why (ann)"));
}

TEST_F(DashboardTest, RequestsFromOtherSitesAndForOtherHostsAreRefused) {
  serve(true);
  const auto overview = [] { return get_of("/api/v1/overview"); };
  EXPECT_THAT(with("Host", "evil.example", overview()), StartsWith("403 "));
  EXPECT_THAT(with("Host", "127.0.0.1.evil.example:80", overview()), StartsWith("403 "));
  EXPECT_THAT(with("Host", "localhost:80", overview()), StartsWith("200 "));
  EXPECT_THAT(with("Host", "[::1]:80", overview()), StartsWith("200 "));
  EXPECT_THAT(with("Origin", "http://evil.example", overview()), StartsWith("403 "));
  EXPECT_THAT(with("Origin", "null", overview()), StartsWith("403 "));
  EXPECT_THAT(with("Sec-Fetch-Site", "cross-site", overview()), StartsWith("403 "));
  EXPECT_THAT(with("Sec-Fetch-Site", "same-site", overview()), StartsWith("403 "));
  EXPECT_THAT(with("Sec-Fetch-Site", "same-origin", overview()), StartsWith("200 "));
  const std::string own = fmt::format("http://127.0.0.1:{}", server_->port());
  EXPECT_THAT(with("Origin", own, overview()), StartsWith("200 "));
  net::HttpRequest link = get_of("/ui/");
  link.headers.set("Sec-Fetch-Site", "cross-site");
  EXPECT_THAT(with("Sec-Fetch-Mode", "navigate", link), StartsWith("200 ")) << "links to the pages work";
  EXPECT_THAT(with("Sec-Fetch-Mode", "no-cors", link), StartsWith("403 "));
}

TEST_F(DashboardTest, AnActionMustBeShortJsonWithTheActionHeader) {
  serve(true);
  const auto pause = [] { return post_of("/api/v1/pause", R"({"paused":true})"); };
  EXPECT_THAT(with("X-Rescheduler-Action", "", pause()), StartsWith("403 "));
  EXPECT_THAT(with("Content-Type", "text/plain", pause()), StartsWith("415 "));
  EXPECT_THAT(ask(post_of("/api/v1/pause", std::string(70'000, ' '))), StartsWith("413 "));
  EXPECT_THAT(ask(post_of("/api/v1/pause", "{")),
              StartsWith("400 {\"status\":400,\"message\":\"the body is not valid JSON"));
  EXPECT_THAT(ask(post_of("/api/v1/pause", "{}")), HasSubstr("paused is missing"));
  EXPECT_TRUE(actions_.notes.empty());
  EXPECT_THAT(ask(pause()), StartsWith("200 {\"message\":"));
  EXPECT_EQ(actions_.notes.size(), 1u);
}

TEST_F(DashboardTest, WrongMethodsAndPathsGetTheirStatusCodes) {
  serve(true);
  net::HttpRequest request = post_of("/api/v1/overview", "{}");
  const auto refused = send(client_settings(false), request);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 405);
  EXPECT_EQ(refused->headers.get("Allow"), "GET, HEAD");
  request = get_of("/api/v1/pause");
  const auto action = send(client_settings(false), request);
  EXPECT_EQ(action->status, 405);
  EXPECT_EQ(action->headers.get("Allow"), "POST");
  EXPECT_THAT(plain_get("/api/v1/nothing"), StartsWith("404 {\"status\":404"));
  EXPECT_THAT(plain_get("/api/v1/nodes/none"), StartsWith("404 "));
  EXPECT_THAT(plain_get("/api/v1/pods?state=odd"), StartsWith("400 "));
  EXPECT_THAT(plain_get("/api/v1/demo/choices"), StartsWith("404 "));
  EXPECT_THAT(ask(post_of("/api/v1/demo", R"({"do":"addLoad"})")), StartsWith("404 "));
}

TEST_F(DashboardTest, StoppingTheServerEndsItsStreams) {
  serve(true);
  auto client = net::make_http_client(cluster_->loop().executor(), client_settings(false));
  ASSERT_TRUE(client);
  std::promise<Result<net::HttpResponse>> ended;
  auto future = ended.get_future();
  const auto open_stream = [](net::HttpClient& by, std::promise<Result<net::HttpResponse>>& answer) -> net::Task<void> {
    net::HttpRequest request;
    request.target = "/api/v1/stream";
    constexpr std::chrono::seconds kPatience{30};
    auto response = co_await by.send(std::move(request), kPatience);
    answer.set_value(std::move(response));
  };
  net::spawn(cluster_->loop().executor(), "viewer", open_stream(**client, ended));
  bool connected = false;
  while (!connected) cluster_->on_loop([&] { connected = dashboard_->event_stream().viewers() == 1; });
  stop(std::chrono::seconds{20});
  const auto response = future.get();
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_THAT(response->body, StartsWith("event: hello\n"));
}

}  // namespace
}  // namespace rescheduler::dashboard
