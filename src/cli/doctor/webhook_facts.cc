#include "cli/doctor/webhook_facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "cluster/objects/pods.h"
#include "kube/client/client.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "net/tls/certificates.h"
#include "server/proto/webhook_configuration.pb.h"
#include "server/webhook_call.h"

namespace rescheduler::cli::doctor {
namespace {

void read_bundle(const std::string& bundle, WebhookFacts& facts) {
  const auto certificates = net::certificates_in(bundle);
  if (!certificates) {
    facts.bundle_failure = certificates.error().message;
    return;
  }
  for (const net::CertificateSummary& one : *certificates) {
    facts.authorities.push_back({one.subject, WallTime{one.not_after}});
  }
}

// Counts the ready pods that the Service selects: the endpoints that the API server can reach.
net::Task<Result<void>> read_service(kube::Api& api, std::string ns, std::string name, WebhookFacts& facts) {
  kube::Client client(api);
  auto service = co_await client.get<api::Service>(ns, name);
  if (!service && service.error().code == Errc::NotFound) {
    facts.service_there = false;
    co_return Result<void>{};
  }
  if (!service) co_return fail(std::move(service.error()));
  kube::ListSettings behind;
  for (const auto& [key, value] : service->spec().selector()) {
    behind.label_selector += fmt::format("{}{}={}", behind.label_selector.empty() ? "" : ",", key, value);
  }
  auto pods = co_await client.list<api::Pod>(ns, behind);
  if (!pods) co_return fail(std::move(pods.error()));
  for (const auto& pod : *pods) facts.endpoints += cluster::is_ready(*pod) ? 1 : 0;
  co_return Result<void>{};
}

// Services are usually unreachable from outside the cluster, so the API server proxies the request.
net::Task<Result<void>> ask_through_server(kube::Api& api, std::string ns, std::string name, int port) {
  std::string path = fmt::format("/api/v1/namespaces/{}/services/https:{}:{}/proxy/healthz", ns, name, port);
  auto answer = co_await api.get_text(std::move(path), "text/plain");
  if (!answer) co_return fail(std::move(answer.error()));
  co_return Result<void>{};
}

}  // namespace

net::Task<Result<WebhookFacts>> read_webhook(kube::Api& api, std::string name, kube::LoopServices services) {
  kube::Client client(api);
  auto found = co_await client.get<server::MutatingWebhookConfiguration>("", name);
  if (!found) co_return fail(std::move(found.error()));
  WebhookFacts facts{std::move(name)};
  facts.configured = found->webhooks_size() > 0;
  if (!facts.configured) co_return facts;
  const server::WebhookClientConfig reach = found->webhooks(0).client_config();
  read_bundle(reach.ca_bundle(), facts);
  if (!reach.has_service()) {
    server::WebhookAddress address{.url = reach.url()};
    auto answered = co_await server::call_webhook(std::move(address), reach.ca_bundle(), services);
    if (!answered) facts.answer_trouble = answered.error().message;
    co_return facts;
  }
  const std::string ns = reach.service().namespace_();
  facts.service = fmt::format("{}/{}", ns, reach.service().name());
  auto behind = co_await read_service(api, ns, reach.service().name(), facts);
  if (!behind) co_return fail(std::move(behind.error()));
  if (facts.endpoints == 0) co_return facts;
  const int port = reach.service().has_port() ? reach.service().port() : 443;
  auto answered = co_await ask_through_server(api, ns, reach.service().name(), port);
  if (!answered) facts.answer_trouble = answered.error().message;
  co_return facts;
}

}  // namespace rescheduler::cli::doctor
