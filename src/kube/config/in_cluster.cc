#include "kube/config/in_cluster.h"

#include <charconv>

#include "kube/config/file.h"
#include "kube/value/name.h"

namespace rescheduler::kube {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

Result<net::Origin> origin_of(const Environment& environment) {
  const auto host = environment.find("KUBERNETES_SERVICE_HOST");
  const auto port = environment.find("KUBERNETES_SERVICE_PORT");
  if (!host || !port) {
    return fail(Errc::NotFound,
                "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; use a kubeconfig");
  }
  net::Origin origin;
  origin.host = *host;
  if (origin.host.starts_with('[') && origin.host.ends_with(']')) origin.host = origin.host.substr(1, host->size() - 2);
  const char* end = port->data() + port->size();
  const auto [stop, problem] = std::from_chars(port->data(), end, origin.port);
  if (problem != std::errc{} || stop != end || origin.port == 0) {
    return fail(Errc::Invalid, "in-cluster: KUBERNETES_SERVICE_PORT is not a port number");
  }
  return origin;
}

}  // namespace

Result<ClientConfig> in_cluster_config(const Environment& environment, const std::string& directory) {
  auto origin = origin_of(environment);
  if (!origin) return fail(std::move(origin.error()));
  const std::string token_path = directory + "/token";
  const auto missing = [](Error error) {
    // The process runs in a pod: from here on NotFound would wrongly mean "not in a cluster".
    if (error.code == Errc::NotFound) error.code = Errc::Invalid;
    error.message += "; is automountServiceAccountToken off?";
    return fail(std::move(error).within("in-cluster"));
  };
  const auto token = read_whole_file(token_path, kMostCredentialFileBytes);
  if (!token) return missing(token.error());
  if (trimmed(*token).empty()) return fail(Errc::Invalid, "in-cluster: {} is empty", token_path);
  auto ca = read_whole_file(directory + "/ca.crt", kMostCredentialFileBytes);
  if (!ca) return missing(ca.error());
  if (ca->find("-----BEGIN ") == std::string::npos) {
    return fail(Errc::Invalid, "in-cluster: {}/ca.crt is not a PEM file", directory);
  }

  ClientConfig config;
  config.origin = std::move(*origin);
  config.tls.ca_pem = std::move(*ca);
  config.credentials.method = TokenFile{token_path};
  const auto name_file = read_whole_file(directory + "/namespace", kMostCredentialFileBytes);
  if (name_file && is_dns_label(trimmed(*name_file))) config.default_namespace = trimmed(*name_file);
  config.description = fmt::format("in-cluster, service account of namespace {}", config.default_namespace);
  return config;
}

Result<ClientConfig> default_config(const KubeconfigSource& source, const std::string& service_account_directory) {
  const bool chosen = !source.explicit_path.empty() || source.environment.find("KUBECONFIG") || !source.context.empty();
  if (chosen) return load_kubeconfig(source);
  auto in_cluster = in_cluster_config(source.environment, service_account_directory);
  if (in_cluster || in_cluster.error().code != Errc::NotFound) return in_cluster;
  auto at_home = load_kubeconfig(source);
  if (at_home || at_home.error().code != Errc::NotFound) return at_home;
  return fail(Errc::NotFound, "no cluster to talk to: {}; {}", at_home.error().message, in_cluster.error().message);
}

}  // namespace rescheduler::kube
