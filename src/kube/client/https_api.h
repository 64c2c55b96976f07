// Api over HTTPS: a real API server.
//
// Adds to each request: credentials (renewed once when the server rejects them), the client-side rate limit, repeats
// with jittered backoff where a repeat is safe, and request metrics with client-go's names. Credentials never appear in
// logs or errors.
#pragma once

#include <memory>
#include <string>

#include "base/backoff.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/client/rate_limiter.h"
#include "kube/client/request_metrics.h"
#include "kube/config/client_config.h"
#include "kube/config/credentials.h"
#include "net/http/http_client.h"

namespace rescheduler::kube {

struct HttpsApiSettings {
  double requests_per_second = 50;  // the defaults of kube-scheduler; <= 0: no limit
  double burst = 100;
  BackoffPolicy backoff{std::chrono::milliseconds{200}, std::chrono::milliseconds{10'000}, 2.0, 0.5};
  std::size_t most_connections = 64;
  std::string user_agent{};  // empty: "rescheduler/<version>"
};

class HttpsApi final : public Api {
 public:
  HttpsApi(std::unique_ptr<net::HttpClient> http,
           std::unique_ptr<CredentialSource> credentials,
           const ClientConfig& config,
           HttpsApiSettings settings,
           LoopServices services);

  net::Task<Result<void>> call(ApiCall call, Message* answer) override;
  net::Task<Result<ListPage>> list(ApiCall call, ItemSink sink) override;
  net::Task<Result<std::unique_ptr<WatchStream>>> watch(ApiCall call) override;
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override;

 private:
  struct Attempt {
    std::string where;
    Verb verb = Verb::Get;
    Repeat repeat = Repeat::WhenSafe;
    SteadyTime deadline{};
  };
  Attempt attempt_for(const ApiCall& call) const;
  std::chrono::nanoseconds time_left(const Attempt& attempt) const;

  net::Task<Result<net::HttpResponse>> exchange(net::HttpRequest request, Attempt attempt);
  net::Task<Result<net::HttpResponse>> exchange_once(net::HttpRequest request, const Attempt& attempt);
  net::Task<Result<void>> prepare(net::HttpRequest& request, const Attempt& attempt);
  net::Task<Result<void>> wait_for_own_limit(const Attempt& attempt);
  Result<void> present(const std::shared_ptr<const ClientCertificate>& certificate);
  net::Task<Result<void>> pause_before_repeat(Error error, const Attempt& attempt, Backoff& backoff, bool& renewed);
  net::Task<Result<std::unique_ptr<net::BodyStream>>> open(net::HttpRequest request,
                                                           Attempt attempt,
                                                           std::chrono::nanoseconds idle_limit);
  net::Task<Result<std::unique_ptr<net::BodyStream>>> open_once(net::HttpRequest request,
                                                                const Attempt& attempt,
                                                                std::chrono::nanoseconds idle_limit);

  std::unique_ptr<net::HttpClient> http_;
  std::unique_ptr<CredentialSource> credentials_;
  std::string base_path_;
  net::TlsClientSettings tls_;
  std::shared_ptr<const ClientCertificate> certificate_;  // the last one that credentials_ returned
  HttpsApiSettings settings_;
  LoopServices services_;
  RateLimiter limiter_;
  RequestMetrics metrics_;
};

// Does not connect yet. Fails when the key material of the configuration cannot be used.
Result<std::unique_ptr<HttpsApi>> make_https_api(const ClientConfig& config,
                                                 HttpsApiSettings settings,
                                                 LoopServices services);

}  // namespace rescheduler::kube
