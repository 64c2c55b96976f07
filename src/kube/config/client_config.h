// How to reach one API server, and with which credentials: the result of reading a kubeconfig or the in-cluster files.
// Key material is loaded. Its source is stored too, so that renewed material can be read again.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kube/config/secret.h"
#include "net/http/http_client.h"
#include "net/tls/tls.h"

namespace rescheduler::kube {

struct Anonymous {};

struct BearerToken {
  Secret token;
};

struct TokenFile {
  std::string path;
  Secret fallback{};  // used until the file can be read for the first time; often empty
};

struct BasicAuth {
  std::string username;
  Secret password;
};

// A command that prints an ExecCredential (client.authentication.k8s.io).
struct ExecPlugin {
  std::string command;  // an absolute path, or a name that is searched in PATH
  std::vector<std::string> args{};
  std::vector<std::pair<std::string, Secret>> env{};  // replaces inherited_env where the names are equal
  std::vector<std::string> inherited_env{};           // "NAME=value", from the process that read the kubeconfig
  std::string api_version;                            // client.authentication.k8s.io/v1 or /v1beta1
  std::string install_hint{};
  std::string cluster_json{};  // spec.cluster for the plugin; empty unless provideClusterInfo
};

using CredentialMethod = std::variant<Anonymous, BearerToken, TokenFile, BasicAuth, ExecPlugin>;

struct CertificateFiles {
  std::string certificate_path;
  std::string key_path;
};

struct ClientCertificate {
  std::string certificate_pem;
  Secret key_pem;
  bool operator==(const ClientCertificate&) const = default;
};

// Each part is inline or from a file; an empty path means that the PEM is inline and never changes.
struct CertificateSource {
  ClientCertificate loaded;
  CertificateFiles files{};
};

struct Impersonation {
  std::string user{};  // empty: no impersonation
  std::string uid{};
  std::vector<std::string> groups{};
  std::vector<std::pair<std::string, std::vector<std::string>>> extra{};
};

struct CredentialSpec {
  CredentialMethod method{};
  std::optional<CertificateSource> certificate{};
  Impersonation impersonation{};
};

struct ClientConfig {
  net::Origin origin;
  std::string base_path{};       // "" or "/k8s/clusters/c-1": the prefix of every request path
  net::TlsClientSettings tls{};  // includes the loaded client certificate
  CredentialSpec credentials{};
  std::string default_namespace = "default";
  std::string description{};  // "kubeconfig /home/u/.kube/config, context prod"; may be logged
};

}  // namespace rescheduler::kube
