// For tests: the daemon's port with an embedded cluster that knows some tokens, and a client.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "net/http/http_client.h"
#include "server/delegated_auth.h"
#include "server/server.h"
#include "sim/served_cluster.h"

namespace rescheduler::server {

class PortFixture : public testing::Test {
 protected:
  PortFixture() {
    sim::ServeSettings serve;
    serve.tls = false;
    auto started = sim::ServedCluster::start(serve);
    RESCHEDULER_CHECK(started.has_value(), "{}", started.error().message);
    cluster_ = std::move(*started);
    cluster_->on_loop([this] {
      sim::AccessTable table;
      table.tokens = {{"ann-token", {"ann"}}, {"bob-token", {"bob"}}, {"root-token", {"root", {"system:masters"}}}};
      table.rules = {{"ann", "get", "/configz"},
                     {"ann", "get", "/nowhere"},
                     {"ann", "*", "/slow"},
                     {"ann", "post", "/extender/*"}};
      cluster_->cluster().server().set_access(std::move(table));
      auth_.emplace(cluster_->api(), clock_);
    });
  }
  ~PortFixture() override {
    if (server_) stop(std::chrono::nanoseconds::zero());
    cluster_->on_loop([this] {
      server_.reset();
      auth_.reset();
    });
  }

  kube::LoopServices services() { return {cluster_->loop().executor(), &timers_, &clock_, &rng_, &metrics_}; }

  void start(ServerSettings settings = {}) {
    settings.address = "127.0.0.1";
    settings.port = 0;
    auto started = Server::start(services(), &*auth_, std::move(settings));
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }
  void stop(std::chrono::nanoseconds grace) { (void)cluster_->loop().await_result<void>(stopped(*server_, grace)); }

  net::HttpClientSettings client_settings(bool tls) const {
    net::HttpClientSettings settings;
    settings.origin = {tls, "127.0.0.1", server_->port()};
    settings.tls.insecure_skip_verify = true;
    return settings;
  }
  Result<net::HttpResponse> send(net::HttpClientSettings settings, net::HttpRequest request) {
    auto client = net::make_http_client(cluster_->loop().executor(), std::move(settings));
    if (!client) return fail(std::move(client.error()));
    return cluster_->loop().await_result((*client)->send(std::move(request), std::chrono::seconds{30}));
  }
  static net::HttpRequest get_of(std::string path, const std::string& token = {}) {
    net::HttpRequest request;
    request.target = std::move(path);
    if (!token.empty()) request.headers.set("Authorization", "Bearer " + token);
    return request;
  }
  // "200 ok"
  static std::string text(const Result<net::HttpResponse>& response) {
    return response ? fmt::format("{} {}", response->status, response->body) : response.error().message;
  }
  std::string plain_get(std::string path) { return text(send(client_settings(false), get_of(std::move(path)))); }
  std::string tls_get(std::string path, const std::string& token = {}) {
    return text(send(client_settings(true), get_of(std::move(path), token)));
  }

  SystemClock clock_;
  Rng rng_{3};
  MetricRegistry metrics_;
  net::RealTimers timers_;
  std::optional<DelegatedAuth> auth_;
  std::unique_ptr<Server> server_;
  // Last member: nothing runs on its loop any more when the others are destroyed.
  std::unique_ptr<sim::ServedCluster> cluster_;

 private:
  static net::Task<Result<void>> stopped(Server& server, std::chrono::nanoseconds grace) {
    co_await server.stop(grace);
    co_return Result<void>{};
  }
};

}  // namespace rescheduler::server
