#include "server/server.h"

#include <future>

#include <gmock/gmock.h>

#include "kube/config/temp_directory.h"
#include "support/port_fixture.h"
#include "support/test_certificates.h"

namespace rescheduler::server {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

net::Task<net::HttpResponse> text_reply(std::string text) { co_return text_response(200, std::move(text)); }

Route page(std::string path, std::string text) {
  Route route;
  route.path = std::move(path);
  route.handle = [text](const net::HttpRequest&, const RequestTarget&) { return text_reply(text); };
  return route;
}

class ServerTest : public PortFixture {};

TEST_F(ServerTest, HealthAndMetricsAreServedOverTlsAndPlainHttpOnOnePort) {
  metrics_.counter("things_total", "Things.").add(3);
  start();
  cluster_->on_loop(
      [this] { server_->readyz().add("informers", [] { return Result<void>(fail(Errc::Unavailable, "not yet")); }); });
  for (const bool tls : {false, true}) {
    const auto ask = [&](const char* path) { return text(send(client_settings(tls), get_of(path))); };
    EXPECT_THAT(ask("/metrics"), HasSubstr("things_total 3"));
    EXPECT_EQ(ask("/healthz"), "200 ok");
    EXPECT_EQ(ask("/livez?verbose"), "200 [+]ping ok\nlivez check passed\n");
    EXPECT_THAT(ask("/readyz"), StartsWith("500 "));
    EXPECT_EQ(ask("/readyz/ping"), "200 ok");
  }
}

TEST_F(ServerTest, OtherRoutesNeedAnAuthenticatedAndAuthorizedUser) {
  start();
  cluster_->on_loop([this] { server_->add_route(page("/configz", "{}")); });
  EXPECT_THAT(plain_get("/configz"), StartsWith("400 Only health and metrics"));
  EXPECT_THAT(tls_get("/configz"), StartsWith("401 "));
  EXPECT_THAT(tls_get("/configz", "stranger"), StartsWith("401 "));
  EXPECT_THAT(tls_get("/configz", "bob-token"), StartsWith("403 User \"bob\""));
  EXPECT_EQ(tls_get("/configz", "ann-token"), "200 {}");
  EXPECT_EQ(tls_get("/configz", "root-token"), "200 {}");
}

TEST_F(ServerTest, OnlyAuthorizedUsersGet404ForAnUnknownPath) {
  start();
  EXPECT_THAT(tls_get("/nowhere"), StartsWith("401 "));
  EXPECT_THAT(tls_get("/nowhere", "bob-token"), StartsWith("403 "));
  EXPECT_THAT(tls_get("/nowhere", "ann-token"), StartsWith("404 "));
}

TEST_F(ServerTest, AnUnsupportedMethodIsRefusedWithTheAllowedMethods) {
  start();
  net::HttpRequest request = get_of("/metrics");
  request.method = "DELETE";
  const auto response = send(client_settings(false), request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 405);
  EXPECT_EQ(response->headers.get("Allow"), "GET, HEAD");
}

TEST_F(ServerTest, RenewedCertificateFilesAreUsedAndInvalidFilesKeepTheOldCertificate) {
  const test::TestAuthority first("first"), second("second");
  const auto identity = first.issue({});
  const kube::TempDirectory files;
  ServerSettings settings;
  settings.files = {files.write("crt", identity.certificate_pem), files.write("key", identity.key_pem), ""};
  start(settings);
  const auto trusted_by = [this](const test::TestAuthority& authority) {
    net::HttpClientSettings client = client_settings(true);
    client.tls.insecure_skip_verify = false;
    client.tls.ca_pem = authority.pem();
    return text(send(client, get_of("/healthz")));
  };
  EXPECT_EQ(trusted_by(first), "200 ok");
  const auto renewed = second.issue({});
  files.write("crt", renewed.certificate_pem);
  Result<void> reloaded;
  cluster_->on_loop([&] { reloaded = server_->reload(); });
  ASSERT_FALSE(reloaded) << "certificate and key do not belong together yet";
  EXPECT_EQ(trusted_by(first), "200 ok");
  files.write("key", renewed.key_pem);
  cluster_->on_loop([&] { reloaded = server_->reload(); });
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(trusted_by(second), "200 ok");
  EXPECT_NE(trusted_by(first), "200 ok");
}

TEST_F(ServerTest, CertificateFilesAreReloadedPeriodically) {
  const test::TestAuthority authority("ca");
  const auto identity = authority.issue({});
  const kube::TempDirectory files;
  ServerSettings settings;
  settings.files = {files.write("crt", identity.certificate_pem), files.write("key", identity.key_pem), ""};
  settings.look_at_files_every = 0s;  // in every iteration of the loop
  start(settings);
  const test::TestAuthority later("later");
  const auto renewed = later.issue({});
  files.write("crt", renewed.certificate_pem);
  files.write("key", renewed.key_pem);
  net::HttpClientSettings client = client_settings(true);
  client.tls.insecure_skip_verify = false;
  client.tls.ca_pem = later.pem();
  std::string answer;
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (answer != "200 ok" && std::chrono::steady_clock::now() < deadline) {
    answer = text(send(client, get_of("/healthz")));
  }
  EXPECT_EQ(answer, "200 ok");
}

TEST_F(ServerTest, StoppingLetsARunningRequestFinish) {
  start();
  std::promise<void> entered;
  net::Gate gate(cluster_->loop().executor());
  const auto wait = [](net::Gate& until, std::promise<void>& inside) -> net::Task<net::HttpResponse> {
    inside.set_value();
    (void)co_await until.wait();
    co_return text_response(200, "done");
  };
  cluster_->on_loop([&] {
    Route slow;
    slow.path = "/slow";
    slow.handle = [&](const net::HttpRequest&, const RequestTarget&) { return wait(gate, entered); };
    server_->add_route(std::move(slow));
  });
  auto asked = std::async(std::launch::async, [&] { return tls_get("/slow", "ann-token"); });
  entered.get_future().wait();
  auto stopping = std::async(std::launch::async, [&] { stop(30s); });
  // Connections are refused as soon as the port is closed.
  while (plain_get("/healthz") == "200 ok") {
  }
  cluster_->on_loop([&] { gate.open(); });
  EXPECT_EQ(asked.get(), "200 done");
  stopping.get();
}

TEST_F(ServerTest, TheErrorNamesThePortThatIsInUse) {
  start();
  ServerSettings settings;
  settings.address = "127.0.0.1";
  settings.port = server_->port();
  const auto second = Server::start(services(), nullptr, settings);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr(std::to_string(settings.port)));
}

}  // namespace
}  // namespace rescheduler::server
