// The serving certificate of the port: from files, or self-signed.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "net/tls/tls.h"

namespace rescheduler::server {

struct ServingFiles {
  std::string certificate{};  // both this and `key` empty: self-signed, in memory
  std::string key{};
  std::string client_ca{};  // empty: client certificates are not requested
};

class ServingCertificate {
 public:
  // Reads the files, or creates a certificate for the host name and localhost.
  static Result<ServingCertificate> load(ServingFiles files);

  const net::TlsServerSettings& tls() const { return tls_; }
  // The contents of the files if they differ from tls(). The caller calls adopt() after it could use them.
  Result<std::optional<net::TlsServerSettings>> changed() const;
  void adopt(net::TlsServerSettings tls) { tls_ = std::move(tls); }

 private:
  ServingCertificate(ServingFiles files, net::TlsServerSettings tls);

  ServingFiles files_;
  net::TlsServerSettings tls_;
};

}  // namespace rescheduler::server
