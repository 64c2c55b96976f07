// An HTTP service of a test's own, on a loop of its own as one in another process would be.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/http/http_server.h"
#include "support/cluster.h"

namespace rescheduler::test {

// A member behind everything that its answers use: it stops before that goes.
class TinyService {
 public:
  using ApiResult = std::function<net::Task<void>(const net::HttpRequest& request, net::Responder& responder)>;

  TinyService(TestCluster& cluster, ApiResult answer);
  ~TinyService();
  TinyService(const TinyService&) = delete;
  TinyService& operator=(const TinyService&) = delete;

  std::string url() const;  // http://127.0.0.1:port
  LiveApi& link() const { return *link_; }
  // Answers are made there; what they look at is changed there.
  void on_loop(const std::function<void()>& change) const { link_->on_loop(change); }

 private:
  std::unique_ptr<LiveApi> link_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace rescheduler::test
