#include "net/tls/certificates.h"

#include <arpa/inet.h>
#include <array>
#include <ctime>
#include <string_view>
#include <utility>

#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace rescheduler::net {
namespace {

struct Free {
  void operator()(X509* p) const { X509_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(BIO* p) const { BIO_free(p); }
  void operator()(BIGNUM* p) const { BN_free(p); }
  void operator()(X509_EXTENSION* p) const { X509_EXTENSION_free(p); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

constexpr std::chrono::seconds kBegunBefore = std::chrono::hours{1};
constexpr int kSerialBits = 127;  // at most 20 bytes, positive, and unique

Unexpected cannot(const char* what) { return fail(Errc::Internal, "OpenSSL cannot {}", what); }

std::string text_of(BIO* bio) {
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(bio, &bytes);
  return std::string(bytes, static_cast<std::size_t>(length));
}

Result<std::string> to_pem(X509* certificate) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  if (bio == nullptr || PEM_write_bio_X509(bio.get(), certificate) != 1) return cannot("write a certificate");
  return text_of(bio.get());
}

Result<std::string> to_pem(EVP_PKEY* key) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  if (bio == nullptr || PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return cannot("write a key");
  }
  return text_of(bio.get());
}

bool add_subject(X509* certificate, int nid, const std::string& value) {
  return X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate), nid, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0)
         == 1;
}

bool add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_serial(X509* certificate) {
  const Owned<BIGNUM> number(BN_new());
  return number != nullptr && BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1
         && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

// A certificate without a signature and without an issuer.
Result<Owned<X509>> blank(const CertificateRequest& request, EVP_PKEY* key, std::chrono::seconds valid_for) {
  Owned<X509> certificate(X509_new());
  bool good = certificate != nullptr && X509_set_version(certificate.get(), 2) == 1 && set_serial(certificate.get());
  good = good && X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kBegunBefore.count()) != nullptr;
  good = good && X509_gmtime_adj(X509_getm_notAfter(certificate.get()), valid_for.count()) != nullptr;
  good = good && X509_set_pubkey(certificate.get(), key) == 1;
  for (const std::string& organization : request.organizations) {
    good = good && add_subject(certificate.get(), NID_organizationName, organization);
  }
  good = good && add_subject(certificate.get(), NID_commonName, request.common_name);
  if (!good) return cannot("make a certificate");
  return certificate;
}

bool is_address(const std::string& name) {
  std::array<unsigned char, 16> ignored{};
  return inet_pton(AF_INET, name.c_str(), ignored.data()) == 1
         || inet_pton(AF_INET6, name.c_str(), ignored.data()) == 1;
}

std::string alternative_names(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += ',';
    list += (is_address(name) ? "IP:" : "DNS:") + name;
  }
  return list;
}

}  // namespace

struct CertificateAuthority::Keys {
  Owned<EVP_PKEY> key;
  Owned<X509> certificate;
  std::chrono::seconds valid_for{};
};

CertificateAuthority::CertificateAuthority(std::unique_ptr<Keys> keys, std::string pem)
    : keys_(std::move(keys)), pem_(std::move(pem)) {}
CertificateAuthority::CertificateAuthority(CertificateAuthority&&) noexcept = default;
CertificateAuthority& CertificateAuthority::operator=(CertificateAuthority&&) noexcept = default;
CertificateAuthority::~CertificateAuthority() = default;

Result<CertificateAuthority> CertificateAuthority::make(const std::string& common_name,
                                                        std::chrono::seconds valid_for) {
  auto keys = std::make_unique<Keys>();
  keys->valid_for = valid_for;
  keys->key.reset(EVP_EC_gen("P-256"));
  if (keys->key == nullptr) return cannot("make a key");
  auto made = blank({.common_name = common_name}, keys->key.get(), valid_for);
  if (!made) return fail(std::move(made.error()));
  keys->certificate = std::move(*made);
  X509* certificate = keys->certificate.get();
  const bool good = X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) == 1
                    && add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE")
                    && add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign")
                    && add_extension(certificate, certificate, NID_subject_key_identifier, "hash")
                    && X509_sign(certificate, keys->key.get(), EVP_sha256()) > 0;
  if (!good) return cannot("sign a certificate");
  auto pem = to_pem(certificate);
  if (!pem) return fail(std::move(pem.error()));
  return CertificateAuthority(std::move(keys), std::move(*pem));
}

Result<IssuedCertificate> CertificateAuthority::issue(const CertificateRequest& request) const {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  if (key == nullptr) return cannot("make a key");
  auto made = blank(request, key.get(), keys_->valid_for);
  if (!made) return fail(std::move(made.error()));
  X509* certificate = made->get();
  X509* issuer = keys_->certificate.get();
  const std::string names = alternative_names(request.names);
  const bool good = X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1
                    && add_extension(certificate, issuer, NID_ext_key_usage, "serverAuth,clientAuth")
                    && (names.empty() || add_extension(certificate, issuer, NID_subject_alt_name, names))
                    && X509_sign(certificate, keys_->key.get(), EVP_sha256()) > 0;
  if (!good) return cannot("sign a certificate");
  auto certificate_pem = to_pem(certificate);
  if (!certificate_pem) return fail(std::move(certificate_pem.error()));
  auto key_pem = to_pem(key.get());
  if (!key_pem) return fail(std::move(key_pem.error()));
  return IssuedCertificate{std::move(*certificate_pem), std::move(*key_pem)};
}

Result<std::vector<CertificateSummary>> certificates_in(const std::string& pem) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
  std::vector<CertificateSummary> all;
  for (auto at = pem.find(kBegin); at != std::string::npos; at = pem.find(kBegin, at + kBegin.size())) {
    const Owned<BIO> bio(BIO_new_mem_buf(pem.data() + at, static_cast<int>(pem.size() - at)));
    const Owned<X509> one(bio == nullptr ? nullptr : PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (one == nullptr)
      return fail(Errc::Invalid, "certificate {} cannot be read: it is no PEM of an X.509 certificate", all.size() + 1);
    std::tm end{};
    if (ASN1_TIME_to_tm(X509_get0_notAfter(one.get()), &end) != 1) {
      return fail(Errc::Invalid, "certificate {} has no valid expiry date", all.size() + 1);
    }
    std::array<char, 256> name{};
    X509_NAME_get_text_by_NID(X509_get_subject_name(one.get()), NID_commonName, name.data(), name.size());
    all.push_back({name.data(), std::chrono::sys_seconds{std::chrono::seconds{timegm(&end)}}});
  }
  if (all.empty()) return fail(Errc::Invalid, "no certificate found");
  return all;
}

}  // namespace rescheduler::net
