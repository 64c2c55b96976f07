#include "support/test_certificates.h"

#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace rescheduler::test {

namespace {

struct Free {
  void operator()(X509* p) const { X509_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(BIO* p) const { BIO_free(p); }
  void operator()(X509_EXTENSION* p) const { X509_EXTENSION_free(p); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "test certificates: cannot %s\n", what);
  std::abort();
}

Owned<EVP_PKEY> new_key() {
  Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  require(key != nullptr, "make a key");
  return key;
}

std::string text_of(BIO* bio) {
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(bio, &bytes);
  return std::string(bytes, static_cast<std::size_t>(length));
}

std::string to_pem(X509* certificate) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_X509(bio.get(), certificate) == 1, "write a certificate");
  return text_of(bio.get());
}

std::string to_pem(EVP_PKEY* key) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1, "write a key");
  return text_of(bio.get());
}

void add_subject(X509* certificate, int nid, const std::string& value) {
  require(X509_NAME_add_entry_by_NID(X509_get_subject_name(certificate), nid, MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(value.c_str()), -1, -1, 0)
              == 1,
          "name a certificate");
}

void add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  require(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1, "extend a certificate");
}

bool is_address(const std::string& name) {
  std::array<unsigned char, 16> ignored{};
  return inet_pton(AF_INET, name.c_str(), ignored.data()) == 1
         || inet_pton(AF_INET6, name.c_str(), ignored.data()) == 1;
}

Owned<X509> unsigned_certificate(const CertificateOptions& options, EVP_PKEY* key) {
  static std::atomic<long> serial = 1;
  Owned<X509> certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), static_cast<long>(options.not_before.count()));
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), static_cast<long>(options.not_after.count()));
  X509_set_pubkey(certificate.get(), key);
  for (const std::string& organization : options.organizations) {
    add_subject(certificate.get(), NID_organizationName, organization);
  }
  add_subject(certificate.get(), NID_commonName, options.common_name);
  return certificate;
}

void add_names(X509* certificate, X509* issuer, const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += ',';
    list += (is_address(name) ? "IP:" : "DNS:") + name;
  }
  if (!list.empty()) add_extension(certificate, issuer, NID_subject_alt_name, list);
}

void sign(X509* certificate, EVP_PKEY* key) {
  require(X509_sign(certificate, key, EVP_sha256()) > 0, "sign a certificate");
}

}  // namespace

struct TestAuthority::Keys {
  Owned<EVP_PKEY> key = new_key();
  Owned<X509> certificate;
};

TestAuthority::TestAuthority(const std::string& common_name) : keys_(std::make_unique<Keys>()) {
  CertificateOptions options;
  options.common_name = common_name;
  keys_->certificate = unsigned_certificate(options, keys_->key.get());
  X509* certificate = keys_->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE");
  add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(certificate, certificate, NID_subject_key_identifier, "hash");
  sign(certificate, keys_->key.get());
  pem_ = to_pem(certificate);
}

TestAuthority::~TestAuthority() = default;

TestIdentity TestAuthority::issue(const CertificateOptions& options) const {
  const Owned<EVP_PKEY> key = new_key();
  const Owned<X509> certificate = unsigned_certificate(options, key.get());
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(keys_->certificate.get()));
  add_extension(certificate.get(), keys_->certificate.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  add_names(certificate.get(), keys_->certificate.get(), options.names);
  sign(certificate.get(), keys_->key.get());
  return TestIdentity{to_pem(certificate.get()), to_pem(key.get())};
}

TestIdentity self_signed(const CertificateOptions& options) {
  const Owned<EVP_PKEY> key = new_key();
  const Owned<X509> certificate = unsigned_certificate(options, key.get());
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  add_names(certificate.get(), certificate.get(), options.names);
  sign(certificate.get(), key.get());
  return TestIdentity{to_pem(certificate.get()), to_pem(key.get())};
}

}  // namespace rescheduler::test
