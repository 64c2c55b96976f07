#include "scheduler/extender/settings.h"

#include "kube/config/file.h"
#include "net/http/url.h"

namespace rescheduler::scheduler {
namespace {

Result<std::string> content(const std::string& data, const std::string& file) {
  if (!data.empty() || file.empty()) return data;
  return kube::read_whole_file(file, kube::kMostCredentialFileBytes);
}

Result<net::TlsClientSettings> read_tls(const config::ExtenderTls& tls) {
  net::TlsClientSettings read;
  auto ca = content(tls.ca_data, tls.ca_file);
  if (!ca) return fail(std::move(ca.error()));
  auto certificate = content(tls.cert_data, tls.cert_file);
  if (!certificate) return fail(std::move(certificate.error()));
  auto key = content(tls.key_data.reveal(), tls.key_file);
  if (!key) return fail(std::move(key.error()));
  read.ca_pem = std::move(*ca);
  read.certificate_pem = std::move(*certificate);
  read.key_pem = std::move(*key);
  read.server_name = tls.server_name;
  read.insecure_skip_verify = tls.insecure;
  return read;
}

}  // namespace

Result<ExtenderEndpoint> endpoint_of(const ExtenderSettings& settings) {
  std::string_view prefix = settings.url_prefix;
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  const std::string where = fmt::format("extender {}", settings.url_prefix);
  auto url = net::parse_url(prefix);
  if (!url) return fail(std::move(url.error()).within(where));
  if (!url->query.empty()) return fail(Errc::Invalid, "{}: urlPrefix must not contain a query (?)", where);
  auto tls = read_tls(settings.tls.value_or(config::ExtenderTls{}));
  if (!tls) return fail(std::move(tls.error()).within(where));
  if (tls->insecure_skip_verify && !tls->ca_pem.empty()) {
    return fail(Errc::Invalid, "{}: tlsConfig.insecure must not be set together with a certificate authority", where);
  }
  if (settings.enable_https && tls->ca_pem.empty()) tls->insecure_skip_verify = true;
  ExtenderEndpoint endpoint;
  endpoint.client.origin = url->origin;
  endpoint.client.tls = std::move(*tls);
  endpoint.base_path = std::move(url->base_path);
  return endpoint;
}

}  // namespace rescheduler::scheduler
