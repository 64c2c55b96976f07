// An HTTP service for a test, on its own event loop as if it were another process.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/http/http_server.h"
#include "support/cluster.h"

namespace rescheduler::test {

// Declare it after the members that its handler uses: it stops before they are destroyed.
class TinyService {
 public:
  using ApiResult = std::function<net::Task<void>(const net::HttpRequest& request, net::Responder& responder)>;

  TinyService(TestCluster& cluster, ApiResult answer);
  ~TinyService();
  TinyService(const TinyService&) = delete;
  TinyService& operator=(const TinyService&) = delete;

  std::string url() const;  // http://127.0.0.1:port
  LiveApi& link() const { return *link_; }
  // Handlers run on this loop; change the data that they read there.
  void on_loop(const std::function<void()>& change) const { link_->on_loop(change); }

 private:
  std::unique_ptr<LiveApi> link_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace rescheduler::test
