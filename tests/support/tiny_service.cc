#include "support/tiny_service.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rescheduler::test {
namespace {

net::Task<Result<void>> stopped(net::HttpServer& server) {
  co_await server.stop(std::chrono::milliseconds(100));
  co_return Result<void>{};
}

}  // namespace

TinyService::TinyService(TestCluster& cluster, ApiResult answer) : link_(cluster.connect()) {
  link_->on_loop([&] {
    auto served =
        net::serve_http(link_->services().executor, {},
                        [answer = std::move(answer)](const net::HttpRequest& request, const net::PeerIdentity&,
                                                     net::Responder& responder) { return answer(request, responder); });
    EXPECT_TRUE(served) << served.error().message;
    if (served) server_ = std::move(*served);
  });
}

TinyService::~TinyService() {
  (void)link_->await(stopped(*server_));
  link_->on_loop([this] { server_.reset(); });
}

std::string TinyService::url() const { return fmt::format("http://127.0.0.1:{}", server_->port()); }

}  // namespace rescheduler::test
