#include "kube/config/kubeconfig_user.h"

#include <algorithm>

#include "base/log.h"
#include "kube/config/file.h"
#include "kube/config/http_text.h"

namespace rescheduler::kube {
namespace {

constexpr std::string_view kExecV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kExecV1beta1 = "client.authentication.k8s.io/v1beta1";

std::string replacement_for(std::string_view auth_provider) {
  if (auth_provider == "gcp") return "gke-gcloud-auth-plugin";
  if (auth_provider == "azure") return "kubelogin";
  if (auth_provider == "oidc") return "kubectl oidc-login";
  return "the one your cluster's provider offers";
}

YamlReader exec_of(YamlReader at) { return at.child("exec"); }

// Reports methods that are not supported, before any other check.
void check_supported(const YamlReader& at, const KubeconfigUser& user) {
  if (user.auth_provider) {
    at.problem("auth-provider",
               fmt::format("auth providers are not supported (this one is \"{}\"); use an exec credential plugin "
                           "instead, for example {}",
                           *user.auth_provider, replacement_for(*user.auth_provider)));
  }
  if (user.exec && user.exec->interactive_mode == "Always") {
    exec_of(at).problem("interactiveMode",
                        "Always needs a terminal, which this program does not have; use a plugin that works with "
                        "Never or IfAvailable");
  }
}

void check_header(const YamlReader& at, std::string_view field, std::string_view value) {
  if (!is_header_safe(value)) at.problem(field, "contains a line break or control character");
}

Impersonation checked_impersonation(const YamlReader& at, const Impersonation& given) {
  if (given.user.empty() && (!given.uid.empty() || !given.groups.empty() || !given.extra.empty())) {
    at.problem("as", "as-uid, as-groups and as-user-extra need a user to impersonate; add \"as\"");
  }
  check_header(at, "as", given.user);
  check_header(at, "as-uid", given.uid);
  for (const std::string& group : given.groups) check_header(at, "as-groups", group);
  for (const auto& [key, values] : given.extra) {
    if (key.empty()) at.problem("as-user-extra", "has an empty key");
    for (const std::string& value : values) check_header(at, "as-user-extra", value);
  }
  return given;
}

ExecPlugin checked_exec(const YamlReader& at, const KubeconfigExec& exec) {
  const auto has_nul = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (exec.command.empty() || has_nul(exec.command)) at.problem("command", "names no command");
  if (std::ranges::any_of(exec.args, has_nul)) at.problem("args", "contains a NUL character");
  if (exec.api_version != kExecV1 && exec.api_version != kExecV1beta1) {
    at.problem("apiVersion", fmt::format("must be {} or {}", kExecV1, kExecV1beta1));
  }
  const std::string& mode = exec.interactive_mode;
  const bool may_be_absent = exec.api_version == kExecV1beta1;  // required since v1
  if (mode != "Never" && mode != "IfAvailable" && !(mode.empty() && may_be_absent)) {
    at.problem("interactiveMode", "must be Never or IfAvailable");
  }
  ExecPlugin plugin;
  plugin.command = exec.command;
  plugin.args = exec.args;
  plugin.env = exec.env;
  plugin.api_version = exec.api_version;
  plugin.install_hint = exec.install_hint;
  return plugin;
}

// Precedence as in client-go: tokenFile (with `token` until the file can be read) > token > basic > exec.
CredentialMethod choose_method(const YamlReader& at, const std::string& name, const KubeconfigUser& user) {
  const bool has_token = user.token.given();
  const bool has_basic = !user.username.empty() || !user.password.empty();
  if (has_token && has_basic) {
    at.problem(fmt::format("user \"{}\" has both a token and a username; keep one of them", name));
  }
  if (user.exec && (has_token || has_basic)) {
    log_warning("user {} of the kubeconfig has an exec plugin and a {}: the plugin is not used", name,
                has_token ? "token" : "username");
  }
  check_header(at, "token", user.token.data.reveal());
  if (!user.token.path.empty()) return TokenFile{user.token.path, user.token.data};
  if (has_token) return BearerToken{user.token.data};
  if (has_basic) {
    if (user.username.find(':') != std::string::npos) at.problem("username", "cannot contain a colon");
    return BasicAuth{user.username, user.password};
  }
  if (user.exec) return checked_exec(exec_of(at), *user.exec);
  return Anonymous{};
}

std::optional<CertificateSource> load_certificate(const YamlReader& at, const KubeconfigUser& user) {
  if (!user.certificate.given() && !user.key.given()) return std::nullopt;
  if (!user.key.given()) at.problem("client-key", "the client-certificate needs a client-key or client-key-data");
  if (!user.certificate.given()) {
    at.problem("client-certificate", "the client-key needs a client-certificate or client-certificate-data");
  }
  CertificateSource source;
  source.loaded.certificate_pem = load_pem(at, "client-certificate", user.certificate);
  source.loaded.key_pem = Secret(load_pem(at, "client-key", user.key));
  if (user.certificate.data.empty()) source.files.certificate_path = user.certificate.path;
  if (user.key.data.empty()) source.files.key_path = user.key.path;
  return source;
}

}  // namespace

std::string load_pem(const YamlReader& at, const std::string& field, const InlineOrFile& value) {
  if (!value.given()) return {};
  std::string pem = value.data.reveal();
  std::string given_in = field + "-data";
  if (value.data.empty()) {
    given_in = field;
    auto text = read_whole_file(value.path, kMostCredentialFileBytes);
    if (!text) {
      at.problem(field, text.error().message);
      return {};
    }
    pem = std::move(*text);
  } else if (!value.path.empty()) {
    log_warning("{}: {} and {}-data are both given: the data is used", at.path(), field, field);
  }
  if (pem.find("-----BEGIN ") == std::string::npos) {
    at.problem(given_in, value.data.empty() ? fmt::format("{} is not a PEM file", value.path)
                                            : std::string("not PEM text once decoded from base64"));
    return {};
  }
  return pem;
}

Result<CredentialSpec> credentials_of(const KubeconfigEntry<KubeconfigUser>& entry) {
  YamlProblems problems(entry.file);
  const YamlReader at(entry.node, problems, entry.path);
  check_supported(at, entry.value);
  if (!problems.empty()) {
    Error error = problems.error();
    error.code = Errc::Unsupported;
    return fail(std::move(error));
  }
  CredentialSpec spec;
  spec.method = choose_method(at, entry.name, entry.value);
  spec.certificate = load_certificate(at, entry.value);
  spec.impersonation = checked_impersonation(at, entry.value.impersonation);
  if (!problems.empty()) return fail(problems.error());
  return spec;
}

}  // namespace rescheduler::kube
