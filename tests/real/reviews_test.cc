// The daemon's port with a real API server: which tokens it accepts, and what RBAC allows each user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/http/http_client.h"
#include "server/delegated_auth.h"
#include "server/server.h"
#include "support/live_api.h"
#include "support/rig.h"
#include "support/skip.h"

namespace rescheduler::test {
namespace {

net::Task<net::HttpResponse> empty_configuration() { co_return server::json_response(200, "{}"); }

class RealReviews : public testing::Test {
 protected:
  void SetUp() override {
    auto rig = Rig::shared();
    if (!rig) RESCHEDULER_SKIP("real") << rig.error().message;
    rig_.emplace(std::move(*rig));
    live_ = std::make_unique<LiveApi>(rig_->kubeconfig());
    ns_.emplace(*live_);
    live_->on_loop([this] { auth_.emplace(live_->api(), clock_); });
    server::ServerSettings settings;
    settings.address = "127.0.0.1";
    settings.port = 0;
    auto started = server::Server::start(live_->services(), &*auth_, settings);
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
    live_->on_loop([this] {
      server::Route route;
      route.path = "/configz";
      route.handle = [](const net::HttpRequest&, const server::RequestTarget&) { return empty_configuration(); };
      server_->add_route(std::move(route));
    });
  }
  void TearDown() override {
    if (server_) {
      (void)live_->await(stopped(*server_));
      live_->on_loop([this] {
        server_.reset();
        auth_.reset();
      });
    }
    if (ns_) (void)rig_->command("kubectl", {"delete", "clusterrole,clusterrolebinding", role(), "--wait=false"});
    ns_.reset();
  }

  static net::Task<Result<void>> stopped(server::Server& server) {
    co_await server.stop(std::chrono::seconds(1));
    co_return Result<void>{};
  }
  std::string role() const { return "configz-reader-" + ns_->name(); }
  void kubectl(std::vector<std::string> arguments) {
    auto done = rig_->command("kubectl", std::move(arguments));
    ASSERT_TRUE(done) << done.error().message;
  }
  std::string token_of(const std::string& account) {
    auto token = rig_->command("kubectl", {"create", "token", account, "-n", ns_->name()});
    EXPECT_TRUE(token) << token.error().message;
    return token ? token->substr(0, token->find('\n')) : "";
  }
  int status(const std::string& token, const std::string& method = "GET") {
    net::HttpClientSettings settings;
    settings.origin = {true, "127.0.0.1", server_->port()};
    settings.tls.insecure_skip_verify = true;
    auto client = net::make_http_client(live_->loop().executor(), settings);
    net::HttpRequest request;
    request.method = method;
    request.target = "/configz";
    if (!token.empty()) request.headers.set("Authorization", "Bearer " + token);
    auto response = live_->await((*client)->send(std::move(request), std::chrono::seconds{30}));
    return response ? response->status : 0;
  }

  SystemClock clock_;
  std::optional<Rig> rig_;
  std::unique_ptr<LiveApi> live_;
  std::optional<TestNamespace> ns_;
  std::optional<server::DelegatedAuth> auth_;
  std::unique_ptr<server::Server> server_;
};

TEST_F(RealReviews, AServiceAccountIsAllowedWhatItsClusterRoleGrants) {
  for (const char* account : {"reader", "unprivileged"})
    kubectl({"create", "serviceaccount", account, "-n", ns_->name()});
  kubectl({"create", "clusterrole", role(), "--verb=get", "--non-resource-url=/configz"});
  kubectl({"create", "clusterrolebinding", role(), "--clusterrole=" + role(),
           "--serviceaccount=" + ns_->name() + ":reader"});
  const std::string reader = token_of("reader");
  const std::string unprivileged = token_of("unprivileged");
  // RBAC sees a new binding a moment later, and the server caches a refusal for ten seconds.
  EXPECT_TRUE(eventually([&] { return status(reader) == 200; }));
  EXPECT_EQ(status(unprivileged), 403);
  EXPECT_EQ(status(reader, "DELETE"), 403);
  EXPECT_EQ(status(reader + "x"), 401);
  EXPECT_EQ(status("made-up"), 401);
  EXPECT_EQ(status(""), 401);
}

}  // namespace
}  // namespace rescheduler::test
