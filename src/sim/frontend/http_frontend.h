// The HTTP(S) frontend: serves the embedded cluster to kubectl and every other Kubernetes client.
//
// Runs on the loop of the server's thread. Not supported: exec, attach and port-forward; service account tokens;
// answers in YAML, CBOR or compressed; managed fields in protobuf answers; warnings about unknown fields
// (fieldValidation=Warn ignores them); and authorization.
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
  std::string user = "embedded-admin";  // user of clients without a certificate
};

class HttpFrontend {
 public:
  // Starts to listen at once. `faults` can be null. Server, documents and faults must outlive the loop's jobs.
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
