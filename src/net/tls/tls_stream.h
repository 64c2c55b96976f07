// TLS over any Stream. Internal to net/; OpenSSL sessions run only in tls_stream.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "net/stream.h"
#include "net/tls/tls_context.h"

namespace rescheduler::net {

// Both handshakes use the deadline of `below`.
// `name` is the name that the certificate must be valid for: a host name (also sent as SNI) or a numeric address.
Task<Result<std::unique_ptr<Stream>>> tls_connect(std::unique_ptr<Stream> below, TlsContext context, std::string name);

struct TlsAccepted {
  std::unique_ptr<Stream> stream;
  bool verified = false;                   // the client sent a certificate and the handshake verified it
  std::string common_name;                 // of the client certificate
  std::vector<std::string> organizations;  // of the client certificate
};

// `first_bytes` were already read from `below`.
Task<Result<TlsAccepted>> tls_accept(std::unique_ptr<Stream> below, TlsContext context, std::string first_bytes);

}  // namespace rescheduler::net
