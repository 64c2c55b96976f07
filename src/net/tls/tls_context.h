// OpenSSL contexts made from TLS settings. Internal to net/.
#pragma once

#include <memory>

#include "base/error.h"
#include "net/tls/tls.h"

struct ssl_ctx_st;

namespace rescheduler::net {

// Shared by all connections with the same settings.
using TlsContext = std::shared_ptr<ssl_ctx_st>;

// Errc::Invalid names the PEM that cannot be used and the reason.
Result<TlsContext> make_client_context(const TlsClientSettings& settings);
Result<TlsContext> make_server_context(const TlsServerSettings& settings);

}  // namespace rescheduler::net
