// Certificates made on the spot, for servers that only this machine talks to. All of it PEM text in memory.
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
  std::vector<std::string> names{};  // DNS names and addresses it is valid for; none: a client's
};

struct IssuedCertificate {
  std::string certificate_pem;
  std::string key_pem;
};

class CertificateAuthority {
 public:
  // Signs itself. Everything it issues ends when it ends; both begin an hour ago, for clocks that run behind.
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

// What a certificate says of itself.
struct CertificateSummary {
  std::string subject;  // its common name
  std::chrono::sys_seconds not_after{};
};

// Every certificate of a PEM text. Fails on none, and on one that cannot be read.
Result<std::vector<CertificateSummary>> certificates_in(const std::string& pem);

}  // namespace rescheduler::net
