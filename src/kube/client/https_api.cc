#include "kube/client/https_api.h"

#include <algorithm>

#include <google/protobuf/message.h>

#include "base/version.h"
#include "kube/client/request.h"
#include "kube/client/response.h"
#include "kube/client/retry.h"
#include "kube/client/watch_reader.h"
#include "kube/codec/codec.h"
#include "kube/codec/list_reader.h"

namespace rescheduler::kube {
namespace {

// Timeout for the head of a watch answer: for a streaming list the server may first have to update its cache.
constexpr std::chrono::seconds kWatchHeadTimeout{30};

// Prefixes the error with `where` unless a lower layer has already done so.
Error placed(Error error, std::string_view where) {
  if (error.message.starts_with(where)) return error;
  return std::move(error).within(where);
}

Result<ListPage> read_page(const ResourceType& resource, const net::HttpResponse& response, const ItemSink& sink) {
  auto encoding = encoding_of(response.headers.get("Content-Type"));
  if (!encoding) return fail(std::move(encoding.error()));
  const ListItem hand_over = [&sink](std::unique_ptr<Message> item) -> Result<void> {
    sink(std::move(item));
    return {};
  };
  auto answer = read_list(*encoding, response.body, resource, UnknownFields::Drop, hand_over);
  if (!answer) return fail(std::move(answer.error()));
  return ListPage{std::move(answer->resource_version), std::move(answer->continue_token)};
}

}  // namespace

HttpsApi::HttpsApi(std::unique_ptr<net::HttpClient> http,
                   std::unique_ptr<CredentialSource> credentials,
                   const ClientConfig& config,
                   HttpsApiSettings settings,
                   LoopServices services)
    : http_(std::move(http)),
      credentials_(std::move(credentials)),
      base_path_(config.base_path),
      tls_(config.tls),
      settings_(std::move(settings)),
      services_(services),
      limiter_(settings_.requests_per_second, settings_.burst),
      metrics_(*services.metrics) {
  if (settings_.user_agent.empty()) settings_.user_agent = fmt::format("rescheduler/{}", kVersion);
}

HttpsApi::Attempt HttpsApi::attempt_for(const ApiCall& call) const {
  Attempt attempt;
  attempt.where = describe(call);
  attempt.verb = call.verb;
  attempt.repeat = call.repeat;
  attempt.deadline = services_.clock->steady_now() + (call.verb == Verb::Watch ? kWatchHeadTimeout : call.timeout);
  return attempt;
}

std::chrono::nanoseconds HttpsApi::time_left(const Attempt& attempt) const {
  return std::max(std::chrono::nanoseconds{0}, attempt.deadline - services_.clock->steady_now());
}

net::Task<Result<void>> HttpsApi::call(ApiCall call, Message* answer) {
  auto request = http_request_for(call, base_path_);
  if (!request) co_return fail(std::move(request.error()));
  const Attempt attempt = attempt_for(call);
  auto response = co_await exchange(std::move(*request), attempt);
  if (!response) co_return fail(std::move(response.error()));
  if (answer == nullptr) {
    // Check that Kubernetes answered: the HTML page of a proxy does not mean that a pod is bound.
    auto encoding = encoding_of(response->headers.get("Content-Type"));
    if (!encoding) co_return fail(placed(std::move(encoding.error()), attempt.where));
    co_return Result<void>{};
  }
  // Keeps fields that the wire types do not have, because callers may change the object and write it back.
  auto decoded = decode_object(response->headers.get("Content-Type"), response->body, *answer, UnknownFields::Keep);
  if (!decoded) co_return fail(placed(std::move(decoded.error()), attempt.where));
  co_return Result<void>{};
}

net::Task<Result<ListPage>> HttpsApi::list(ApiCall call, ItemSink sink) {
  auto request = http_request_for(call, base_path_);
  if (!request) co_return fail(std::move(request.error()));
  const Attempt attempt = attempt_for(call);
  auto response = co_await exchange(std::move(*request), attempt);
  if (!response) co_return fail(std::move(response.error()));
  auto page = read_page(*call.resource, *response, sink);
  if (!page) co_return fail(placed(std::move(page.error()), attempt.where));
  co_return page;
}

net::Task<Result<std::unique_ptr<WatchStream>>> HttpsApi::watch(ApiCall call) {
  auto request = http_request_for(call, base_path_);
  if (!request) co_return fail(std::move(request.error()));
  const Attempt attempt = attempt_for(call);
  auto body = co_await open(std::move(*request), attempt, call.idle_limit);
  if (!body) co_return fail(std::move(body.error()));
  co_return make_watch_reader(std::move(*body), *call.resource, attempt.where);
}

net::Task<Result<std::string>> HttpsApi::get_text(std::string path, std::string accept) {
  net::HttpRequest request;
  request.target = base_path_ + path;
  request.headers.set("Accept", accept);
  ApiCall plain;
  Attempt attempt;
  attempt.where = fmt::format("get {}", path);
  attempt.deadline = services_.clock->steady_now() + plain.timeout;
  auto response = co_await exchange(std::move(request), attempt);
  if (!response) co_return fail(std::move(response.error()));
  co_return std::move(response->body);
}

// Repeats until there is an answer, an error that must not be repeated, or the deadline.
net::Task<Result<net::HttpResponse>> HttpsApi::exchange(net::HttpRequest request, Attempt attempt) {
  Backoff backoff(settings_.backoff, *services_.rng);
  bool renewed = false;
  for (;;) {
    auto response = co_await exchange_once(request, attempt);
    if (response) co_return response;
    auto again = co_await pause_before_repeat(std::move(response.error()), attempt, backoff, renewed);
    if (!again) co_return fail(std::move(again.error()));
  }
}

net::Task<Result<net::HttpResponse>> HttpsApi::exchange_once(net::HttpRequest request, const Attempt& attempt) {
  auto ready = co_await prepare(request, attempt);
  if (!ready) co_return fail(std::move(ready.error()));
  const std::string method = request.method;
  const SteadyTime begun = services_.clock->steady_now();
  auto response = co_await http_->send(std::move(request), time_left(attempt));
  metrics_.finished(attempt.verb, method, response ? response->status : 0, services_.clock->steady_now() - begun);
  if (!response) co_return fail(placed(std::move(response.error()), attempt.where));
  if (response->status >= 300) {
    co_return fail(error_from_response(response->status, response->headers, response->body, attempt.where));
  }
  co_return response;
}

net::Task<Result<void>> HttpsApi::wait_for_own_limit(const Attempt& attempt) {
  const auto wait = limiter_.reserve(services_.clock->steady_now());
  if (wait.count() == 0) co_return Result<void>{};
  if (wait > time_left(attempt)) {
    co_return fail(Errc::Timeout,
                   "{}: the deadline would pass while the request waits for the client rate limit of {} requests/s",
                   attempt.where, settings_.requests_per_second);
  }
  auto waited = co_await services_.timers->sleep_for(wait);
  metrics_.waited_for_own_limit(wait);
  co_return waited;
}

// Waits for the client-side rate limit and adds the credentials.
net::Task<Result<void>> HttpsApi::prepare(net::HttpRequest& request, const Attempt& attempt) {
  auto admitted = co_await wait_for_own_limit(attempt);
  if (!admitted) co_return admitted;
  auto credential = co_await credentials_->current();
  if (!credential) co_return fail(placed(std::move(credential.error()), attempt.where));
  auto presented = present(credential->client_certificate);
  if (!presented) co_return fail(placed(std::move(presented.error()), attempt.where));
  request.headers.set("User-Agent", settings_.user_agent);
  if (!credential->authorization.empty()) request.headers.set("Authorization", credential->authorization);
  for (const auto& [name, value] : credential->impersonation) request.headers.add(name, value);
  co_return Result<void>{};
}

// Makes new connections use the renewed certificate.
Result<void> HttpsApi::present(const std::shared_ptr<const ClientCertificate>& certificate) {
  if (certificate == certificate_ || !certificate) return {};
  certificate_ = certificate;
  if (tls_.certificate_pem == certificate->certificate_pem && tls_.key_pem == certificate->key_pem.reveal()) return {};
  tls_.certificate_pem = certificate->certificate_pem;
  tls_.key_pem = certificate->key_pem.reveal();
  return http_->set_tls(tls_);
}

// Waits and succeeds if the call is to be repeated; otherwise returns the final error.
net::Task<Result<void>> HttpsApi::pause_before_repeat(Error error,
                                                      const Attempt& attempt,
                                                      Backoff& backoff,
                                                      bool& renewed) {
  if (error.http_status == 401 && !renewed) {
    renewed = true;
    credentials_->rejected();
    co_return Result<void>{};
  }
  if (!may_repeat(attempt.verb, attempt.repeat, error)) co_return fail(std::move(error));
  const auto wait = backoff.next(error.retry_after);
  if (wait >= time_left(attempt)) {
    error.message +=
        fmt::format(" (given up after {} {})", backoff.failures(), backoff.failures() == 1 ? "try" : "tries");
    co_return fail(std::move(error));
  }
  auto slept = co_await services_.timers->sleep_for(wait);
  co_return slept;
}

net::Task<Result<std::unique_ptr<net::BodyStream>>> HttpsApi::open(net::HttpRequest request,
                                                                   Attempt attempt,
                                                                   std::chrono::nanoseconds idle_limit) {
  Backoff backoff(settings_.backoff, *services_.rng);
  bool renewed = false;
  for (;;) {
    auto body = co_await open_once(request, attempt, idle_limit);
    if (body) co_return body;
    auto again = co_await pause_before_repeat(std::move(body.error()), attempt, backoff, renewed);
    if (!again) co_return fail(std::move(again.error()));
  }
}

net::Task<Result<std::unique_ptr<net::BodyStream>>> HttpsApi::open_once(net::HttpRequest request,
                                                                        const Attempt& attempt,
                                                                        std::chrono::nanoseconds idle_limit) {
  auto ready = co_await prepare(request, attempt);
  if (!ready) co_return fail(std::move(ready.error()));
  const SteadyTime begun = services_.clock->steady_now();
  auto body = co_await http_->open(std::move(request), time_left(attempt), idle_limit);
  metrics_.finished(attempt.verb, "GET", body ? (*body)->status() : 0, services_.clock->steady_now() - begun);
  if (!body) co_return fail(placed(std::move(body.error()), attempt.where));
  if ((*body)->status() < 300) co_return body;

  // Errors of Kubernetes are short; a longer body comes from something else.
  constexpr std::size_t kEnough = 64 << 10;
  std::string text;
  while (text.size() < kEnough) {
    auto got = co_await (*body)->read(text);
    if (!got || *got == 0) break;
  }
  co_return fail(error_from_response((*body)->status(), (*body)->headers(), text, attempt.where));
}

Result<std::unique_ptr<HttpsApi>> make_https_api(const ClientConfig& config,
                                                 HttpsApiSettings settings,
                                                 LoopServices services) {
  net::HttpClientSettings http_settings;
  http_settings.origin = config.origin;
  http_settings.tls = config.tls;
  http_settings.most_connections = settings.most_connections;
  auto http = net::make_http_client(services.executor, std::move(http_settings));
  if (!http) return fail(std::move(http.error()).within(config.description));
  auto credentials = make_credentials(config.credentials, *services.clock, services.executor);
  return std::make_unique<HttpsApi>(std::move(*http), std::move(credentials), config, std::move(settings), services);
}

}  // namespace rescheduler::kube
