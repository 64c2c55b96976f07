#include "server/webhook_certificate.h"

#include "kube/proto/core.pb.h"
#include "kube/value/time.h"
#include "net/tls/certificates.h"

namespace rescheduler::server {
namespace {

constexpr const char* kRenewAfter = "renew-after";
constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";

// The first of several certificates.
std::string first_of(const std::string& bundle) {
  const auto second = bundle.find(kBegin, kBegin.size());
  return bundle.substr(0, second);
}

}  // namespace

Result<WebhookCertificate> make_webhook_certificate(const std::vector<std::string>& names,
                                                    std::chrono::hours valid_for,
                                                    WallTime renew_after,
                                                    const WebhookCertificate* before) {
  auto authority = net::CertificateAuthority::make("rescheduler webhook", valid_for);
  if (!authority) return fail(std::move(authority.error()));
  net::CertificateRequest request;
  request.common_name = names.empty() ? "rescheduler-webhook" : names.front().substr(0, 64);
  request.names = names;
  auto issued = authority->issue(request);
  if (!issued) return fail(std::move(issued.error()));
  WebhookCertificate made;
  made.certificate_pem = issued->certificate_pem;
  made.key_pem = std::move(issued->key_pem);
  made.ca_bundle = authority->pem();
  if (before != nullptr) made.ca_bundle += first_of(before->ca_bundle);
  made.renew_after = renew_after;
  return made;
}

void put_certificate(const WebhookCertificate& certificate, api::Secret& secret) {
  auto& data = *secret.mutable_data();
  data["tls.crt"] = certificate.certificate_pem;
  data["tls.key"] = certificate.key_pem;
  data["ca.crt"] = certificate.ca_bundle;
  data[kRenewAfter] = kube::format_time(certificate.renew_after);
}

Result<WebhookCertificate> certificate_in(const api::Secret& secret) {
  const auto& data = secret.data();
  WebhookCertificate found;
  for (const auto& [key, into] : {std::pair{"tls.crt", &found.certificate_pem}, std::pair{"tls.key", &found.key_pem},
                                  std::pair{"ca.crt", &found.ca_bundle}}) {
    const auto value = data.find(key);
    if (value == data.end()) return fail(Errc::NotFound, "the secret has no {}", key);
    *into = value->second;
  }
  const auto renew = data.find(kRenewAfter);
  const auto at = renew == data.end() ? Result<WallTime>(WallTime{}) : kube::parse_time(renew->second);
  found.renew_after = at.value_or(WallTime{});
  return found;
}

}  // namespace rescheduler::server
