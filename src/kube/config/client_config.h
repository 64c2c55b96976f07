// How to reach one API server and as whom: what kubeconfigs and in-cluster files are turned into.
// Key material is loaded; where it came from is remembered so that it can be re-read when it is renewed.
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
  Secret fallback{};  // used while the file has never been readable; often empty
};

struct BasicAuth {
  std::string username;
  Secret password;
};

// A command that prints an ExecCredential (client.authentication.k8s.io).
struct ExecPlugin {
  std::string command;  // an absolute path, or a name looked up in PATH
  std::vector<std::string> args{};
  std::vector<std::pair<std::string, Secret>> env{};  // added to, or instead of, what is inherited
  std::vector<std::string> inherited_env{};           // "NAME=value": of the process that read the kubeconfig
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

// Either part may come inline or from a file; an empty path means that the PEM given is final.
struct CertificateSource {
  ClientCertificate loaded;
  CertificateFiles files{};
};

struct Impersonation {
  std::string user{};  // empty: none
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
  std::string base_path{};       // "" or "/k8s/clusters/c-1": goes in front of every request's path
  net::TlsClientSettings tls{};  // includes the client certificate as loaded
  CredentialSpec credentials{};
  std::string default_namespace = "default";
  std::string description{};  // "kubeconfig /home/u/.kube/config, context prod"; fit for a log
};

}  // namespace rescheduler::kube
