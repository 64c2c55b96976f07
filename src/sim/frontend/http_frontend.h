// The HTTP(S) door: the embedded server as kubectl and every other Kubernetes client knows one.
//
// Lives on the loop of the server's thread. Left out: exec, attach and port-forward, tokens of service accounts,
// answers in YAML, CBOR or compressed, managed fields in protobuf answers, warnings about unknown fields
// (fieldValidation=Warn ignores them), and every check of who may do what.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "net/http/http_server.h"
#include "sim/frontend/documents.h"
#include "sim/frontend/faults.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

struct HttpFrontendSettings {
  net::HttpServerSettings http{};
  std::string user = "embedded-admin";  // of clients without a certificate
};

class HttpFrontend {
 public:
  // Listens at once. Server, documents and faults (may be null) outlive the loop's jobs.
  static Result<std::unique_ptr<HttpFrontend>> open(net::Executor executor,
                                                    Server& server,
                                                    Documents& documents,
                                                    WireFaults* faults = nullptr,
                                                    HttpFrontendSettings settings = {});
  ~HttpFrontend();

  std::uint16_t port() const { return http_->port(); }
  net::Task<void> stop(std::chrono::nanoseconds grace) { return http_->stop(grace); }
  void add_path(std::string prefix, Documents::Page page) { documents_.add_path(std::move(prefix), std::move(page)); }

 private:
  HttpFrontend(Documents& documents, std::unique_ptr<net::HttpServer> http);

  Documents& documents_;
  std::unique_ptr<net::HttpServer> http_;
};

}  // namespace rescheduler::sim
