// Generates certificates for servers that only local clients use. All certificates and keys are PEM text in memory.
//
//   auto authority = CertificateAuthority::make("embedded cluster", std::chrono::hours{24 * 365});
//   auto server = authority->issue({.common_name = "api", .names = {"localhost", "127.0.0.1"}});
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace rescheduler::net {

struct CertificateRequest {
  std::string common_name;
  std::vector<std::string> organizations{};
  std::vector<std::string> names{};  // DNS names and addresses of a server; empty: a client certificate
};

struct IssuedCertificate {
  std::string certificate_pem;
  std::string key_pem;
};

class CertificateAuthority {
 public:
  // A self-signed CA. Each issued certificate expires `valid_for` after its issue; clients reject it earlier if the CA
  // has expired. All certificates are valid from one hour before their issue, for clients with slow clocks.
  static Result<CertificateAuthority> make(const std::string& common_name, std::chrono::seconds valid_for);
  CertificateAuthority(CertificateAuthority&&) noexcept;
  CertificateAuthority& operator=(CertificateAuthority&&) noexcept;
  ~CertificateAuthority();

  const std::string& pem() const { return pem_; }
  Result<IssuedCertificate> issue(const CertificateRequest& request) const;

 private:
  struct Keys;
  CertificateAuthority(std::unique_ptr<Keys> keys, std::string pem);
  std::unique_ptr<Keys> keys_;
  std::string pem_;
};

// The part of a certificate that is shown to users.
struct CertificateSummary {
  std::string subject;  // the common name
  std::chrono::sys_seconds not_after{};
};

// All certificates of a PEM text. Fails if there is none, or if one cannot be read.
Result<std::vector<CertificateSummary>> certificates_in(const std::string& pem);

}  // namespace rescheduler::net
