// Explains why TLS failed. Only for .cc files that include OpenSSL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/error.h"

namespace rescheduler::net {

enum class TlsRole { Client, Server };

// The first problem of the peer's certificate, recorded during verification. Stored as the app data of the SSL object.
struct CertificateFlaw {
  int code = X509_V_OK;
  std::string text;  // "expired on 2024-02-29 12:00:00 UTC"
};

// The verify callback that fills CertificateFlaw. It does not change the verdict.
int note_certificate_flaw(int verified, X509_STORE_CTX* store);

// Turns OpenSSL's error queue into an Error and empties the queue. Unauthenticated when the certificate of either side
// was refused, Unavailable otherwise.
Error tls_failure(TlsRole role, bool we_sent_certificate, const CertificateFlaw& flaw);

// The first entry of OpenSSL's error queue, for key material that cannot be used. Empties the queue.
std::string openssl_reason();

// The names that a certificate is valid for: DNS names and addresses, or its common name if it has none.
std::vector<std::string> certificate_names(X509* certificate);
// Values of one part of the subject, such as NID_organizationName.
std::vector<std::string> subject_values(X509* certificate, int nid);

}  // namespace rescheduler::net
