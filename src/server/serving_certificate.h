// What the port shows to TLS clients: a certificate from files, or one made on the spot.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "net/tls/tls.h"

namespace rescheduler::server {

struct ServingFiles {
  std::string certificate{};  // with the key; both empty: signed by ourselves, in memory
  std::string key{};
  std::string client_ca{};  // empty: client certificates are not asked for
};

class ServingCertificate {
 public:
  // Reads the files, or makes a certificate for this machine's name and localhost.
  static Result<ServingCertificate> load(ServingFiles files);

  const net::TlsServerSettings& tls() const { return tls_; }
  // What the files hold now, if it is not what tls() says. Whoever could use it says so with adopt().
  Result<std::optional<net::TlsServerSettings>> changed() const;
  void adopt(net::TlsServerSettings tls) { tls_ = std::move(tls); }

 private:
  ServingCertificate(ServingFiles files, net::TlsServerSettings tls);

  ServingFiles files_;
  net::TlsServerSettings tls_;
};

}  // namespace rescheduler::server
