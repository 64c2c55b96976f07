#include "net/tls/tls_reason.h"

#include <arpa/inet.h>
#include <array>
#include <ctime>
#include <memory>

#include <fmt/ranges.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

namespace rescheduler::net {

namespace {

std::string date_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unreadable date";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string one_line(const X509_NAME* name) {
  std::array<char, 512> text{};
  X509_NAME_oneline(name, text.data(), static_cast<int>(text.size()));
  return text.data();
}

std::string text_of(const ASN1_STRING* value) {
  unsigned char* utf8 = nullptr;
  const int length = ASN1_STRING_to_UTF8(&utf8, value);
  if (length < 0) return {};
  std::string text(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(length));
  OPENSSL_free(utf8);
  return text;
}

std::string address_text(const ASN1_OCTET_STRING* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(address) == 4 ? AF_INET : AF_INET6;
  const char* written =
      inet_ntop(family, ASN1_STRING_get0_data(address), text.data(), static_cast<socklen_t>(text.size()));
  return written == nullptr ? std::string() : std::string(written);
}

// The name that was expected and is missing in the certificate.
std::string wanted_name(X509_STORE_CTX* store) {
  X509_VERIFY_PARAM* wanted = X509_STORE_CTX_get0_param(store);
  if (const char* host = X509_VERIFY_PARAM_get0_host(wanted, 0); host != nullptr) return host;
  char* address = X509_VERIFY_PARAM_get1_ip_asc(wanted);
  if (address == nullptr) return "this server";
  std::string text = address;
  OPENSSL_free(address);
  return text;
}

std::string describe_flaw(int code, X509_STORE_CTX* store) {
  X509* certificate = X509_STORE_CTX_get_current_cert(store);
  if (certificate == nullptr) return fmt::format("cannot be verified ({})", X509_verify_cert_error_string(code));
  const std::string issuer = one_line(X509_get_issuer_name(certificate));
  const std::string_view whose = X509_STORE_CTX_get_error_depth(store) > 0 ? "was signed by an authority that " : "";
  switch (code) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return fmt::format("{}expired on {}", whose, date_of(X509_get0_notAfter(certificate)));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return fmt::format("{}is not valid before {} (check the clock)", whose,
                         date_of(X509_get0_notBefore(certificate)));
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: return "is self-signed and not among the trusted authorities";
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_UNTRUSTED:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE: return fmt::format("was signed by an unknown authority ({})", issuer);
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fmt::format("is for {} and not for {}", fmt::join(certificate_names(certificate), ", "),
                         wanted_name(store));
    default: return fmt::format("cannot be trusted: {}", X509_verify_cert_error_string(code));
  }
}

// The alerts by which a peer rejects our certificate (RFC 8446, 6.2); empty for other alerts.
std::string_view certificate_alert(int alert) {
  switch (alert) {
    case SSL_AD_BAD_CERTIFICATE: return "bad certificate";
    case SSL_AD_UNSUPPORTED_CERTIFICATE: return "unsupported certificate";
    case SSL_AD_CERTIFICATE_REVOKED: return "certificate revoked";
    case SSL_AD_CERTIFICATE_EXPIRED: return "certificate expired";
    case SSL_AD_CERTIFICATE_UNKNOWN: return "certificate not acceptable";
    case SSL_AD_UNKNOWN_CA: return "unknown certificate authority";
    case SSL_AD_ACCESS_DENIED: return "access denied";
    case SSL_AD_DECRYPT_ERROR: return "the signature cannot be verified";
    default: return {};
  }
}

Error alert_failure(TlsRole role, int alert, bool we_sent_certificate) {
  const std::string_view peer = role == TlsRole::Client ? "server" : "client";
  const std::string_view ours = role == TlsRole::Client ? "client " : "";
  if (alert == SSL_AD_CERTIFICATE_REQUIRED) {
    return Error{Errc::Unauthenticated, "the server requires a client certificate and did not get one"};
  }
  if (const std::string_view why = certificate_alert(alert); !why.empty() && (we_sent_certificate || ours.empty())) {
    return Error{Errc::Unauthenticated, fmt::format("the {} refused the {}certificate: {}", peer, ours, why)};
  }
  return Error{Errc::Unavailable,
               fmt::format("the {} ended the TLS session: {}", peer, SSL_alert_desc_string_long(alert))};
}

}  // namespace

int note_certificate_flaw(int verified, X509_STORE_CTX* store) {
  if (verified == 1) return verified;
  auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* flaw = static_cast<CertificateFlaw*>(SSL_get_app_data(ssl));
  if (flaw != nullptr && flaw->code == X509_V_OK) {
    flaw->code = X509_STORE_CTX_get_error(store);
    flaw->text = describe_flaw(flaw->code, store);
  }
  return verified;
}

Error tls_failure(TlsRole role, bool we_sent_certificate, const CertificateFlaw& flaw) {
  const unsigned long code = ERR_peek_error();
  const int reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
  const std::string words = openssl_reason();
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    return Error{Errc::Unauthenticated,
                 fmt::format("the {}'s certificate {}", role == TlsRole::Client ? "server" : "client", flaw.text)};
  }
  if (reason >= SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256) {
    return alert_failure(role, reason - SSL_AD_REASON_OFFSET, we_sent_certificate);
  }
  return Error{Errc::Unavailable, fmt::format("TLS failed: {}", words)};
}

std::string openssl_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = ERR_reason_error_string(code);
  return reason == nullptr ? "no reason given" : reason;
}

std::vector<std::string> certificate_names(X509* certificate) {
  std::vector<std::string> names;
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> alternatives(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      &GENERAL_NAMES_free);
  const int count = alternatives ? sk_GENERAL_NAME_num(alternatives.get()) : 0;
  for (int i = 0; i < count; ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(alternatives.get(), i);
    if (name->type == GEN_DNS) names.push_back(text_of(name->d.dNSName));
    if (name->type == GEN_IPADD) names.push_back(address_text(name->d.iPAddress));
  }
  if (names.empty()) names = subject_values(certificate, NID_commonName);
  if (names.empty()) names.emplace_back("no name");
  return names;
}

std::vector<std::string> subject_values(X509* certificate, int nid) {
  std::vector<std::string> values;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  for (int at = X509_NAME_get_index_by_NID(subject, nid, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(subject, nid, at)) {
    values.push_back(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))));
  }
  return values;
}

}  // namespace rescheduler::net
