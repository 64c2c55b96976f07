#include "server/webhook_call.h"

#include <fmt/format.h>

#include "net/http/http_client.h"
#include "net/http/url.h"

namespace rescheduler::server {
namespace {

constexpr std::chrono::seconds kPatience{5};
constexpr std::string_view kHeader = "Rescheduler-Check";
constexpr std::string_view kUid = "rescheduler-check";

}  // namespace

std::string webhook_url(const std::string& configured, std::uint16_t port) {
  constexpr std::string_view kScheme = "://";
  const auto scheme = configured.find(kScheme);
  const auto end = configured.find('/', scheme == std::string::npos ? 0 : scheme + kScheme.size());
  std::string origin = configured.substr(0, end);
  std::string path = end == std::string::npos ? std::string() : configured.substr(end);
  if (origin.ends_with(":0")) origin.replace(origin.size() - 1, 1, std::to_string(port));
  if (path.empty() || path == "/") path = kWebhookPath;
  return origin + path;
}

net::Task<Result<void>> call_webhook(WebhookAddress address, std::string ca_bundle, kube::LoopServices services) {
  auto parsed = net::parse_url(address.url);
  if (!parsed) co_return fail(std::move(parsed.error()));
  net::HttpClientSettings settings;
  settings.origin = parsed->origin;
  if (!address.dialled.empty()) {
    settings.tls.server_name = parsed->origin.host;
    settings.origin.host = address.dialled;
  }
  settings.tls.ca_pem = std::move(ca_bundle);
  settings.connect_timeout = kPatience;
  auto client = net::make_http_client(services.executor, std::move(settings));
  if (!client) co_return fail(std::move(client.error()));
  net::HttpRequest request;
  request.method = "POST";
  request.target = parsed->base_path;
  request.headers.set("Content-Type", "application/json");
  request.headers.set(kHeader, "true");
  request.body = fmt::format(
      R"({{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{{"uid":"{}","operation":"CONNECT"}}}})",
      kUid);
  auto answer = co_await (*client)->send(std::move(request), kPatience);
  if (!answer) co_return fail(std::move(answer.error()));
  if (answer->status != 200) {
    co_return fail(Errc::Unavailable, "{} answers with status {}; the path of the webhook is {}", address.url,
                   answer->status, kWebhookPath);
  }
  if (answer->body.find(kUid) == std::string::npos) {
    co_return fail(Errc::Unavailable, "{} is not the webhook of rescheduler", address.url);
  }
  co_return Result<void>{};
}

bool is_webhook_check(const net::HttpRequest& request) { return !request.headers.get(kHeader).empty(); }

}  // namespace rescheduler::server
