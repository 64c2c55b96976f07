#include "server/serving_certificate.h"

#include <array>
#include <chrono>
#include <unistd.h>

#include "kube/config/file.h"
#include "net/tls/certificates.h"

namespace rescheduler::server {
namespace {

// No client can verify a self-signed certificate, so an early expiry protects no client; a restart creates a new one.
constexpr std::chrono::hours kSelfSignedFor{24 * 365 * 10};

Result<void> read_into(const std::string& path, std::string& into) {
  if (path.empty()) return {};
  auto text = kube::read_whole_file(path, kube::kMostCredentialFileBytes);
  if (!text) return fail(std::move(text.error()));
  into = std::move(*text);
  return {};
}

Result<net::TlsServerSettings> read_files(const ServingFiles& files) {
  net::TlsServerSettings tls;
  if (auto read = read_into(files.certificate, tls.certificate_pem); !read) return fail(std::move(read.error()));
  if (auto read = read_into(files.key, tls.key_pem); !read) return fail(std::move(read.error()));
  if (auto read = read_into(files.client_ca, tls.client_ca_pem); !read) return fail(std::move(read.error()));
  return tls;
}

std::vector<std::string> names_of_this_machine() {
  std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0 && host[0] != '\0') names.emplace_back(host.data());
  return names;
}

Result<void> sign_ourselves(net::TlsServerSettings& tls) {
  auto authority = net::CertificateAuthority::make("rescheduler", kSelfSignedFor);
  if (!authority) return fail(std::move(authority.error()));
  net::CertificateRequest request;
  request.common_name = "rescheduler";
  request.names = names_of_this_machine();
  auto issued = authority->issue(request);
  if (!issued) return fail(std::move(issued.error()));
  tls.certificate_pem = issued->certificate_pem + authority->pem();
  tls.key_pem = std::move(issued->key_pem);
  return {};
}

bool same(const net::TlsServerSettings& left, const net::TlsServerSettings& right) {
  return left.certificate_pem == right.certificate_pem && left.key_pem == right.key_pem
         && left.client_ca_pem == right.client_ca_pem;
}

}  // namespace

ServingCertificate::ServingCertificate(ServingFiles files, net::TlsServerSettings tls)
    : files_(std::move(files)), tls_(std::move(tls)) {}

Result<ServingCertificate> ServingCertificate::load(ServingFiles files) {
  if (files.certificate.empty() != files.key.empty()) {
    return fail(Errc::Invalid, "--tls-cert-file and --tls-private-key-file must be given together");
  }
  auto tls = read_files(files);
  if (!tls) return fail(std::move(tls.error()));
  if (files.certificate.empty()) {
    auto made = sign_ourselves(*tls);
    if (!made) return fail(std::move(made.error()));
  }
  return ServingCertificate(std::move(files), std::move(*tls));
}

Result<std::optional<net::TlsServerSettings>> ServingCertificate::changed() const {
  auto now = read_files(files_);
  if (!now) return fail(std::move(now.error()));
  if (files_.certificate.empty()) {
    now->certificate_pem = tls_.certificate_pem;
    now->key_pem = tls_.key_pem;
  }
  if (same(*now, tls_)) return std::optional<net::TlsServerSettings>();
  return std::optional<net::TlsServerSettings>(std::move(*now));
}

}  // namespace rescheduler::server
