#include "net/tls/tls_stream.h"

#include <algorithm>
#include <optional>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "net/tls/tls_reason.h"

namespace rescheduler::net {

namespace {

// Data is encrypted in slices of this size, which limits the memory that a large body needs while it is sent.
constexpr std::size_t kWriteSlice = 128 * 1024;
constexpr std::size_t kLeastReadBuffer = 8 * 1024;
constexpr std::size_t kMostReadBuffer = 64 * 1024;

struct SslFree {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

// OpenSSL reads and writes memory buffers. This class moves the bytes between the buffers and the stream below.
class TlsStream final : public Stream {
 public:
  TlsStream(std::unique_ptr<Stream> below, const TlsContext& context, TlsRole role)
      : below_(std::move(below)), role_(role), ssl_(SSL_new(context.get())), read_buffer_(kLeastReadBuffer) {
    arriving_ = BIO_new(BIO_s_mem());
    leaving_ = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl_.get(), arriving_, leaving_);  // takes ownership of both
    SSL_set_app_data(ssl_.get(), &flaw_);
    role_ == TlsRole::Client ? SSL_set_connect_state(ssl_.get()) : SSL_set_accept_state(ssl_.get());
  }

  Result<void> expect_name(const std::string& name);
  void push_arrived(std::string_view bytes) {
    if (first_bytes_.size() < 8) first_bytes_.append(bytes.substr(0, 8));
    BIO_write(arriving_, bytes.data(), static_cast<int>(bytes.size()));
  }
  Task<Result<void>> handshake();
  X509* peer_certificate() const { return SSL_get0_peer_certificate(ssl_.get()); }

  Task<Result<std::size_t>> read_some(std::span<char> into) override;
  Task<Result<void>> write_all(std::string_view bytes) override;
  Task<Result<void>> end_writing() override;
  void set_deadline(SteadyTime deadline) override { below_->set_deadline(deadline); }
  bool is_quiet() override { return SSL_pending(ssl_.get()) == 0 && BIO_pending(arriving_) == 0 && below_->is_quiet(); }
  void close() noexcept override { below_->close(); }

 private:
  std::size_t decrypt_into(std::span<char> into, int& last_result);
  Task<Result<void>> fetch();  // reads more bytes from below
  Task<Result<void>> flush();  // sends the bytes that OpenSSL has written
  Error failure();

  std::unique_ptr<Stream> below_;
  TlsRole role_;
  std::unique_ptr<SSL, SslFree> ssl_;
  BIO* arriving_ = nullptr;
  BIO* leaving_ = nullptr;
  std::vector<char> read_buffer_;
  std::string first_bytes_;
  CertificateFlaw flaw_;
  std::optional<Error> broken_;
};

Result<void> TlsStream::expect_name(const std::string& name) {
  X509_VERIFY_PARAM* wanted = SSL_get0_param(ssl_.get());
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, name.c_str()) == 1) return {};
  ERR_clear_error();
  if (X509_VERIFY_PARAM_set1_host(wanted, name.data(), name.size()) == 1
      && SSL_set_tlsext_host_name(ssl_.get(), name.c_str()) == 1) {
    return {};
  }
  return fail(Errc::Invalid, "'{}' cannot be used as a TLS server name: {}", name, openssl_reason());
}

Error TlsStream::failure() {
  const bool sent_certificate = SSL_get_certificate(ssl_.get()) != nullptr;
  Error error = tls_failure(role_, sent_certificate, flaw_);
  const bool handshaking = !SSL_is_init_finished(ssl_.get());
  if (handshaking && error.code == Errc::Unavailable && !first_bytes_.empty()) {
    const unsigned char first = static_cast<unsigned char>(first_bytes_.front());
    if (first_bytes_.starts_with("HTTP/")) {
      error.message = "the server speaks plain HTTP on this port, not TLS (use http:// instead of https://)";
    } else if (first < 20 || first > 24) {  // no TLS record begins with this byte
      error.message = "the server on this port does not speak TLS";
    }
  }
  return error;
}

Task<Result<void>> TlsStream::fetch() {
  auto count = co_await below_->read_some(read_buffer_);
  if (!count) co_return fail(std::move(count.error()));
  if (*count == 0) co_return fail(Errc::Unavailable, "the connection was closed in the middle of TLS");
  push_arrived(std::string_view(read_buffer_.data(), *count));
  if (*count == read_buffer_.size() && *count < kMostReadBuffer) read_buffer_.resize(2 * *count);
  co_return Result<void>{};
}

Task<Result<void>> TlsStream::flush() {
  char* bytes = nullptr;
  const long length = BIO_get_mem_data(leaving_, &bytes);
  if (length <= 0) co_return Result<void>{};
  auto written = co_await below_->write_all(std::string_view(bytes, static_cast<std::size_t>(length)));
  BIO_reset(leaving_);
  co_return written;
}

Task<Result<void>> TlsStream::handshake() {
  for (;;) {
    ERR_clear_error();
    const int done = SSL_do_handshake(ssl_.get());
    const int why = SSL_get_error(ssl_.get(), done);
    std::optional<Error> refused;
    if (done != 1 && why != SSL_ERROR_WANT_READ) refused = failure();
    auto flushed = co_await flush();  // this may be the alert with the reason of our refusal
    if (refused) co_return fail(std::move(*refused));
    if (!flushed && done == 1) co_return flushed;
    if (done == 1) co_return Result<void>{};
    auto fetched = co_await fetch();  // even if the flush failed: the peer may have sent the reason
    if (!fetched) co_return flushed ? fetched : flushed;
  }
}

std::size_t TlsStream::decrypt_into(std::span<char> into, int& last_result) {
  std::size_t total = 0;
  last_result = 1;
  while (total < into.size()) {
    const std::size_t room = std::min<std::size_t>(into.size() - total, 1 << 30);
    ERR_clear_error();
    last_result = SSL_read(ssl_.get(), into.data() + total, static_cast<int>(room));
    if (last_result <= 0) break;
    total += static_cast<std::size_t>(last_result);
  }
  return total;
}

Task<Result<std::size_t>> TlsStream::read_some(std::span<char> into) {
  if (broken_) co_return fail(*broken_);
  for (;;) {
    int result = 0;
    const std::size_t got = decrypt_into(into, result);
    const int why = result > 0 ? SSL_ERROR_NONE : SSL_get_error(ssl_.get(), result);
    if (why != SSL_ERROR_NONE && why != SSL_ERROR_WANT_READ && why != SSL_ERROR_ZERO_RETURN) broken_ = failure();
    if (got > 0) co_return got;
    if (why == SSL_ERROR_ZERO_RETURN) co_return std::size_t{0};
    if (broken_) co_return fail(*broken_);
    auto flushed = co_await flush();  // replies to key updates
    if (!flushed) co_return fail(std::move(flushed.error()));
    auto fetched = co_await fetch();
    if (!fetched) co_return fail(std::move(fetched.error()));
  }
}

Task<Result<void>> TlsStream::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view slice = bytes.substr(0, kWriteSlice);
    std::size_t taken = 0;
    while (taken < slice.size()) {
      ERR_clear_error();
      const int result = SSL_write(ssl_.get(), slice.data() + taken, static_cast<int>(slice.size() - taken));
      if (result <= 0) co_return fail(failure());
      taken += static_cast<std::size_t>(result);
    }
    auto flushed = co_await flush();
    if (!flushed) co_return flushed;
    bytes.remove_prefix(slice.size());
  }
  co_return Result<void>{};
}

Task<Result<void>> TlsStream::end_writing() {
  ERR_clear_error();
  (void)SSL_shutdown(ssl_.get());  // queues close_notify; no need to wait for the peer's
  ERR_clear_error();
  auto flushed = co_await flush();
  if (!flushed) co_return flushed;
  auto ended = co_await below_->end_writing();
  co_return ended;
}

}  // namespace

Task<Result<std::unique_ptr<Stream>>> tls_connect(std::unique_ptr<Stream> below, TlsContext context, std::string name) {
  auto stream = std::make_unique<TlsStream>(std::move(below), context, TlsRole::Client);
  auto named = stream->expect_name(name);
  if (!named) co_return fail(std::move(named.error()));
  auto shaken = co_await stream->handshake();
  if (!shaken) co_return fail(std::move(shaken.error()));
  co_return std::move(stream);
}

Task<Result<TlsAccepted>> tls_accept(std::unique_ptr<Stream> below, TlsContext context, std::string first_bytes) {
  auto stream = std::make_unique<TlsStream>(std::move(below), context, TlsRole::Server);
  stream->push_arrived(first_bytes);
  auto shaken = co_await stream->handshake();
  if (!shaken) co_return fail(std::move(shaken.error()));
  TlsAccepted accepted;
  if (X509* certificate = stream->peer_certificate(); certificate != nullptr) {
    accepted.verified = true;
    auto names = subject_values(certificate, NID_commonName);
    if (!names.empty()) accepted.common_name = std::move(names.back());
    accepted.organizations = subject_values(certificate, NID_organizationName);
  }
  accepted.stream = std::move(stream);
  co_return accepted;
}

}  // namespace rescheduler::net
