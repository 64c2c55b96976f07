// What a TLS connection is made with. All key material is PEM text in memory; nothing here is ever logged.
// TLS 1.2 is the least we speak; the peer's certificate and name are always verified unless the settings say
// otherwise in so many words.
#pragma once

#include <string>

namespace rescheduler::net {

struct TlsClientSettings {
  std::string ca_pem{};           // empty: the system's roots
  std::string certificate_pem{};  // client certificate chain; empty: none
  std::string key_pem{};
  std::string server_name{};  // name to verify (and SNI) instead of the host that is dialled
  bool insecure_skip_verify = false;
};

struct TlsServerSettings {
  std::string certificate_pem{};
  std::string key_pem{};
  std::string client_ca_pem{};  // not empty: client certificates are asked for and, if given, verified
};

}  // namespace rescheduler::net
