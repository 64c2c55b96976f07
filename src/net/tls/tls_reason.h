// Why TLS failed, in plain words. Only for .cc files that see OpenSSL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/error.h"

namespace rescheduler::net {

enum class TlsRole { Client, Server };

// The first thing wrong with the peer's certificate, noted while it is verified. Set as the SSL's app data.
struct CertificateFlaw {
  int code = X509_V_OK;
  std::string text;  // "expired on 2024-02-29 12:00:00 UTC"
};

// The verify callback that fills it in; it changes no verdict.
int note_certificate_flaw(int verified, X509_STORE_CTX* store);

// Turns OpenSSL's error queue (which it empties) into an Error: Unauthenticated when either side's certificate was
// refused, Unavailable otherwise.
Error tls_failure(TlsRole role, bool we_sent_certificate, const CertificateFlaw& flaw);

// The queue's first entry, for key material that cannot be used. Empties the queue.
std::string openssl_reason();

// Names a certificate is valid for: DNS names and addresses, or its common name if it has none.
std::vector<std::string> certificate_names(X509* certificate);
// Values of one part of the subject, such as NID_organizationName.
std::vector<std::string> subject_values(X509* certificate, int nid);

}  // namespace rescheduler::net
