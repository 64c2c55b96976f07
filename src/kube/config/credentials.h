// What to put on a request so that the API server knows us, kept current: tokens and certificates are re-read as
// their files are renewed, exec plugins are run when their answer expires or the server rejects it.
// All members belong to the executor's thread. A source must outlive its callers and end before the loop does.
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
  std::string authorization{};  // the whole header value; empty: send none. Never log it.
  // Null: none. The pointer changes exactly when the certificate does: time for HttpClient::set_tls().
  std::shared_ptr<const ClientCertificate> client_certificate{};
  net::Headers impersonation{};
};

class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  virtual net::Task<Result<Credential>> current() = 0;
  virtual void rejected() = 0;  // a 401 was seen: fetch again before the next use
};

// Starts nothing and reads nothing yet.
std::unique_ptr<CredentialSource> make_credentials(CredentialSpec spec,
                                                   const Clock& clock,
                                                   net::Executor executor,
                                                   ExecLimits limits = {});

}  // namespace rescheduler::kube
