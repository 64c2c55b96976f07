#include "kube/config/credentials.h"

#include <optional>
#include <utility>
#include <variant>

#include "kube/config/file.h"
#include "kube/config/http_text.h"
#include "kube/config/reloaded.h"

namespace rescheduler::kube {
namespace {

// The Authorization header with the token of a file.
Result<Secret> load_token_header(const TokenFile& file) {
  auto text = read_whole_file(file.path, kMostCredentialFileBytes);
  if (!text) return fail(std::move(text.error()).within("token file"));
  const auto first = text->find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return fail(Errc::Unauthenticated, "token file: {} is empty", file.path);
  const Secret token(text->substr(first, text->find_last_not_of(" \t\r\n") - first + 1));
  if (!is_header_safe(token.reveal())) {
    return fail(Errc::Unauthenticated, "token file: {} contains a line break or control character within the token",
                file.path);
  }
  return Secret(bearer_header(token));
}

Result<ClientCertificate> load_certificate_files(const CertificateSource& source) {
  ClientCertificate certificate = source.loaded;
  if (!source.files.certificate_path.empty()) {
    auto text = read_whole_file(source.files.certificate_path, kMostCredentialFileBytes);
    if (!text) return fail(std::move(text.error()).within("client certificate"));
    certificate.certificate_pem = std::move(*text);
  }
  if (!source.files.key_path.empty()) {
    auto text = read_whole_file(source.files.key_path, kMostCredentialFileBytes);
    if (!text) return fail(std::move(text.error()).within("client key"));
    certificate.key_pem = Secret(std::move(*text));
  }
  // The file may be read while it is being replaced: it is then empty or incomplete.
  const auto is_whole = [](const std::string& pem) { return pem.find("-----END ") != std::string::npos; };
  if (!is_whole(certificate.certificate_pem) || !is_whole(certificate.key_pem.reveal())) {
    return fail(Errc::Unauthenticated, "client certificate: {} or its key is not a complete PEM file",
                source.files.certificate_path);
  }
  return certificate;
}

class CurrentCredentials final : public CredentialSource {
 public:
  CurrentCredentials(CredentialSpec spec, const Clock& clock, net::Executor executor, ExecLimits limits)
      : impersonation_(impersonation_headers(spec.impersonation)) {
    if (const auto* bearer = std::get_if<BearerToken>(&spec.method)) fixed_ = Secret(bearer_header(bearer->token));
    if (const auto* basic = std::get_if<BasicAuth>(&spec.method)) fixed_ = Secret(basic_header(*basic));
    if (const auto* file = std::get_if<TokenFile>(&spec.method)) {
      if (!file->fallback.empty()) fixed_ = Secret(bearer_header(file->fallback));
      token_.emplace("token file " + file->path, clock, [file = *file] { return load_token_header(file); });
    }
    if (auto* plugin = std::get_if<ExecPlugin>(&spec.method)) {
      exec_ = std::make_unique<ExecSource>(std::move(*plugin), clock, std::move(executor), limits);
    }
    if (spec.certificate) use(std::move(*spec.certificate), clock);
  }

  net::Task<Result<Credential>> current() override {
    Credential credential;
    credential.impersonation = impersonation_;
    auto certificate = current_certificate();
    if (!certificate) co_return fail(std::move(certificate.error()));
    credential.client_certificate = std::move(*certificate);
    auto header = current_header();
    if (!header) co_return fail(std::move(header.error()));
    credential.authorization = std::move(*header);
    if (!exec_) co_return credential;

    auto answer = co_await exec_->current();
    if (!answer) co_return fail(std::move(answer.error()));
    if (!answer->token.empty()) credential.authorization = bearer_header(answer->token);
    if (answer->certificate) credential.client_certificate = answer->certificate;
    co_return credential;
  }

  void rejected() override {
    if (token_) token_->expire();
    if (certificate_files_) certificate_files_->expire();
    if (exec_) exec_->rejected();
  }

 private:
  void use(CertificateSource source, const Clock& clock) {
    certificate_ = std::make_shared<const ClientCertificate>(source.loaded);
    if (source.files.certificate_path.empty() && source.files.key_path.empty()) return;
    const std::string what = "client certificate " + source.files.certificate_path;
    auto load = [source = std::move(source)] { return load_certificate_files(source); };
    certificate_files_.emplace(what, clock, std::move(load), certificate_);
  }

  Result<std::shared_ptr<const ClientCertificate>> current_certificate() {
    if (!certificate_files_) return certificate_;
    return certificate_files_->get();
  }

  Result<std::string> current_header() {
    if (!token_) return fixed_.reveal();
    const auto header = token_->get();
    if (header) return (*header)->reveal();
    if (!fixed_.empty()) return fixed_.reveal();  // the token of the kubeconfig, until its tokenFile can be read
    return fail(header.error());
  }

  net::Headers impersonation_;
  Secret fixed_;
  std::shared_ptr<const ClientCertificate> certificate_;
  std::optional<Reloaded<Secret>> token_;
  std::optional<Reloaded<ClientCertificate>> certificate_files_;
  std::unique_ptr<ExecSource> exec_;
};

}  // namespace

std::unique_ptr<CredentialSource> make_credentials(CredentialSpec spec,
                                                   const Clock& clock,
                                                   net::Executor executor,
                                                   ExecLimits limits) {
  return std::make_unique<CurrentCredentials>(std::move(spec), clock, std::move(executor), limits);
}

}  // namespace rescheduler::kube
