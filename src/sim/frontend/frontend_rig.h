// For tests: an embedded server behind one of its frontends, and the product's Api. The same test runs with both: in
// process and in virtual time, or over HTTPS on loopback.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kube/client/client.h"
#include "kube/client/https_api.h"
#include "net/event_loop.h"
#include "net/tls/certificates.h"
#include "sim/frontend/documents.h"
#include "sim/frontend/faults.h"
#include "sim/frontend/http_frontend.h"
#include "sim/frontend/local_api.h"
#include "sim/server/server.h"
#include "sim/time/pacer.h"

namespace rescheduler::sim {

class FrontendRig {
 public:
  virtual ~FrontendRig() = default;
  virtual kube::Api& api() = 0;
  // Runs a task on the server's thread to its end.
  virtual Result<void> run(net::Task<Result<void>> task) = 0;
  // Runs a function on that thread.
  virtual void run_on_server_thread(const std::function<void()>& function) = 0;

  template <class T>
  Result<T> await(net::Task<Result<T>> task) {
    std::optional<Result<T>> answer;
    (void)run(keep(std::move(task), answer));
    return std::move(*answer);
  }

  Agenda agenda;
  Server server{agenda, Rng(7), StoreSettings{200}};
  Documents documents{server};
  WireFaults faults{server, 3};

 private:
  template <class T>
  static net::Task<Result<void>> keep(net::Task<Result<T>> task, std::optional<Result<T>>& answer) {
    auto result = co_await std::move(task);
    answer.emplace(std::move(result));
    co_return Result<void>{};
  }
};

class LocalRig final : public FrontendRig {
 public:
  kube::Api& api() override { return api_; }
  Result<void> run(net::Task<Result<void>> task) override { return loop.await_result(std::move(task)); }
  void run_on_server_thread(const std::function<void()>& function) override { function(); }

  LocalApi api_{server, documents, &faults};
  VirtualLoop loop{agenda};
};

class HttpsRig final : public FrontendRig {
 public:
  HttpsRig() {
    agenda.follow(clock_, 1000);
    HttpFrontendSettings settings;
    auto authority = net::CertificateAuthority::make("embedded cluster", std::chrono::hours{1});
    auto identity = authority->issue({"embedded", {}, {"127.0.0.1"}});
    settings.http.tls.emplace();
    settings.http.tls->certificate_pem = identity->certificate_pem;
    settings.http.tls->key_pem = identity->key_pem;
    settings.http.allow_plain = true;
    auto opened = HttpFrontend::open(loop.executor(), server, documents, &faults, std::move(settings));
    RESCHEDULER_CHECK(opened.has_value(), "{}", opened.error().message);
    frontend = std::move(*opened);
    kube::ClientConfig config;
    config.origin = {true, "127.0.0.1", frontend->port()};
    config.tls.ca_pem = authority->pem();
    kube::HttpsApiSettings unlimited;
    unlimited.requests_per_second = 0;
    auto made = kube::make_https_api(config, unlimited, {loop.executor(), &timers_, &clock_, &rng_, &metrics_});
    RESCHEDULER_CHECK(made.has_value(), "{}", made.error().message);
    api_ = std::move(*made);
    pacer_job_ = net::spawn(loop.executor(), "pacer", pacer_.run());
  }
  ~HttpsRig() override {
    (void)loop.await_result<void>(close());
    pacer_job_.cancel();
  }
  kube::Api& api() override { return *api_; }
  Result<void> run(net::Task<Result<void>> task) override { return loop.await_result(std::move(task)); }
  void run_on_server_thread(const std::function<void()>& function) override {
    (void)loop.await_result<void>(call(function));
  }

  std::unique_ptr<HttpFrontend> frontend;

 private:
  static net::Task<Result<void>> call(const std::function<void()>& function) {
    function();
    co_return Result<void>{};
  }
  net::Task<Result<void>> close() {
    api_.reset();
    co_await frontend->stop(std::chrono::nanoseconds::zero());
    frontend.reset();
    co_return Result<void>{};
  }

  SystemClock clock_;
  Rng rng_{5};
  MetricRegistry metrics_;
  net::RealTimers timers_;
  std::unique_ptr<kube::HttpsApi> api_;
  Pacer pacer_{agenda};
  net::Job pacer_job_;

 public:
  net::EventLoop loop;  // last member: the loop stops before the others are destroyed
};

}  // namespace rescheduler::sim
