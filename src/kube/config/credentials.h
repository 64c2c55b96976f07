// The current credentials for requests to the API server. Token and certificate files are read again every minute, and
// at once when the server rejects the credential. Exec plugins run again when their credential expires or is rejected.
// All members belong to the executor's thread. A source must outlive its callers and be destroyed before the loop.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "kube/config/client_config.h"
#include "kube/config/exec_source.h"
#include "net/http/http.h"
#include "net/task.h"

namespace rescheduler::kube {

struct Credential {
  std::string authorization{};  // the whole header value; empty: no header. Never log it.
  // Null: no certificate. The pointer changes only with the certificate: call HttpClient::set_tls() then.
  std::shared_ptr<const ClientCertificate> client_certificate{};
  net::Headers impersonation{};
};

class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  virtual net::Task<Result<Credential>> current() = 0;
  virtual void rejected() = 0;  // call after a 401: the next current() fetches again
};

// Does not start or read anything yet.
std::unique_ptr<CredentialSource> make_credentials(CredentialSpec spec,
                                                   const Clock& clock,
                                                   net::Executor executor,
                                                   ExecLimits limits = {});

}  // namespace rescheduler::kube
