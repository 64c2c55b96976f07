// TLS over any Stream. Internal to net/; the only .cc that runs OpenSSL sessions is the one beside it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "net/stream.h"
#include "net/tls/tls_context.h"

namespace rescheduler::net {

// Both handshakes run under the deadline of `below`.
// `name` is what the certificate must be for: a host name (also sent as SNI) or a numeric address.
Task<Result<std::unique_ptr<Stream>>> tls_connect(std::unique_ptr<Stream> below, TlsContext context, std::string name);

struct TlsAccepted {
  std::unique_ptr<Stream> stream;
  bool verified = false;                   // the client sent a certificate, and the handshake found it good
  std::string common_name;                 // of that certificate
  std::vector<std::string> organizations;  // likewise
};

// `first_bytes` were already read from `below`.
Task<Result<TlsAccepted>> tls_accept(std::unique_ptr<Stream> below, TlsContext context, std::string first_bytes);

}  // namespace rescheduler::net
