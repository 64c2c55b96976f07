#include "net/tls/tls_context.h"

#include <array>
#include <string_view>
#include <vector>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "net/tls/tls_reason.h"

namespace rescheduler::net {

namespace {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

constexpr std::array<unsigned char, 9> kAlpn = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

// Without this callback OpenSSL would ask for the passphrase on the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

Bio reader_of(std::string_view pem) { return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

Result<std::vector<Certificate>> read_certificates(std::string_view pem, std::string_view what) {
  std::vector<Certificate> found;
  const Bio reader = reader_of(pem);
  while (X509* one = PEM_read_bio_X509(reader.get(), nullptr, no_passphrase, nullptr)) found.emplace_back(one);
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = openssl_reason();
  if (!at_end) return fail(Errc::Invalid, "{} cannot be read: {}", what, reason);
  if (found.empty()) return fail(Errc::Invalid, "{} contains no PEM certificate", what);
  return found;
}

Result<void> use_key_pair(SSL_CTX* context,
                          std::string_view certificate_pem,
                          std::string_view key_pem,
                          std::string_view whose) {
  auto chain = read_certificates(certificate_pem, fmt::format("the {} certificate", whose));
  if (!chain) return fail(std::move(chain.error()));
  const Bio reader = reader_of(key_pem);
  const Key key(PEM_read_bio_PrivateKey(reader.get(), nullptr, no_passphrase, nullptr));
  if (!key) {
    return fail(Errc::Invalid, "the {} key is not a usable PEM private key without passphrase: {}", whose,
                openssl_reason());
  }
  if (SSL_CTX_use_certificate(context, chain->front().get()) != 1) {
    return fail(Errc::Invalid, "the {} certificate cannot be used: {}", whose, openssl_reason());
  }
  for (std::size_t i = 1; i < chain->size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, (*chain)[i].get()) != 1) {
      return fail(Errc::Invalid, "certificate {} of the {} chain cannot be used: {}", i + 1, whose, openssl_reason());
    }
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return fail(Errc::Invalid, "the {} key does not belong to the {} certificate: {}", whose, whose, openssl_reason());
  }
  return {};
}

Result<void> trust(SSL_CTX* context, std::string_view ca_pem, std::string_view what) {
  auto authorities = read_certificates(ca_pem, what);
  if (!authorities) return fail(std::move(authorities.error()));
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  for (const Certificate& authority : *authorities) {
    if (X509_STORE_add_cert(store, authority.get()) != 1) {
      return fail(Errc::Invalid, "{} contains a certificate that cannot be used: {}", what, openssl_reason());
    }
  }
  // Every certificate of the bundle is trusted, root or not: other Kubernetes components read such bundles the same
  // way.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return {};
}

Result<TlsContext> new_context(const SSL_METHOD* method) {
  ERR_clear_error();
  TlsContext context(SSL_CTX_new(method), [](SSL_CTX* owned) { SSL_CTX_free(owned); });
  if (!context) return fail(Errc::Internal, "OpenSSL could not create a TLS context: {}", openssl_reason());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE);
  // No session resumption: every connection authenticates again, so a renewed or revoked certificate takes effect at
  // once.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  return context;
}

int choose_protocol(SSL*,
                    const unsigned char** out,
                    unsigned char* out_length,
                    const unsigned char* offered,
                    unsigned int offered_length,
                    void*) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_length, kAlpn.data(), static_cast<unsigned>(kAlpn.size()), offered,
                            offered_length)
      != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

Result<TlsContext> make_client_context(const TlsClientSettings& settings) {
  auto made = new_context(TLS_client_method());
  if (!made) return made;
  SSL_CTX* context = made->get();
  SSL_CTX_set_alpn_protos(context, kAlpn.data(), static_cast<unsigned>(kAlpn.size()));
  if (settings.insecure_skip_verify) {
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
  } else {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, note_certificate_flaw);
  }
  if (settings.ca_pem.empty()) {
    SSL_CTX_set_default_verify_paths(context);
  } else if (auto trusted = trust(context, settings.ca_pem, "the certificate authority"); !trusted) {
    return fail(std::move(trusted.error()));
  }
  if (settings.certificate_pem.empty() != settings.key_pem.empty()) {
    return fail(Errc::Invalid, "a client certificate and its key must be given together");
  }
  if (!settings.certificate_pem.empty()) {
    auto used = use_key_pair(context, settings.certificate_pem, settings.key_pem, "client");
    if (!used) return fail(std::move(used.error()));
  }
  return made;
}

Result<TlsContext> make_server_context(const TlsServerSettings& settings) {
  auto made = new_context(TLS_server_method());
  if (!made) return made;
  SSL_CTX* context = made->get();
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  auto used = use_key_pair(context, settings.certificate_pem, settings.key_pem, "server");
  if (!used) return fail(std::move(used.error()));
  if (!settings.client_ca_pem.empty()) {
    auto trusted = trust(context, settings.client_ca_pem, "the certificate authority for clients");
    if (!trusted) return fail(std::move(trusted.error()));
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, note_certificate_flaw);
    auto authorities = read_certificates(settings.client_ca_pem, "the certificate authority for clients");
    if (!authorities) return fail(std::move(authorities.error()));
    for (const Certificate& authority : *authorities) SSL_CTX_add_client_CA(context, authority.get());
  }
  return made;
}

}  // namespace rescheduler::net
