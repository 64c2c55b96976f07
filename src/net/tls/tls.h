// Settings of a TLS connection. All key material is PEM text in memory and is never logged. The minimum version is TLS
// 1.2. The peer's certificate and name are always verified unless insecure_skip_verify is set.
#pragma once

#include <string>

namespace rescheduler::net {

struct TlsClientSettings {
  std::string ca_pem{};           // empty: the CA certificates of the system
  std::string certificate_pem{};  // client certificate chain; empty: none
  std::string key_pem{};
  std::string server_name{};  // name to verify (and for SNI) instead of the dialled host
  bool insecure_skip_verify = false;
};

struct TlsServerSettings {
  std::string certificate_pem{};
  std::string key_pem{};
  std::string client_ca_pem{};  // not empty: clients are asked for a certificate; if they send one, it is verified
};

}  // namespace rescheduler::net
