// The entries of one or several kubeconfig files, typed and merged, before any of them is chosen.
//
// Reading is lenient about what it does not know, as kubectl is, and strict about types: every field of the wrong
// type is reported, with line and path, whichever entry it is in. Each entry keeps its place for later complaints.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kube/config/client_config.h"
#include "kube/config/yaml.h"
#include "kube/config/yaml_reader.h"

namespace rescheduler::kube {

// A value given inline, as a path, or not at all. Inline wins. Paths are resolved against the file's directory.
struct InlineOrFile {
  Secret data{};
  std::string path{};
  bool given() const { return !data.empty() || !path.empty(); }
};

struct KubeconfigCluster {
  std::string server{};
  std::string tls_server_name{};
  bool insecure_skip_tls_verify = false;
  InlineOrFile certificate_authority{};
  std::string proxy_url{};
  std::string exec_extension_json{};  // extension client.authentication.k8s.io/exec, for plugins that ask for it
};

struct KubeconfigExec {
  std::string command{};
  std::vector<std::string> args{};
  std::vector<std::pair<std::string, Secret>> env{};
  std::string api_version{};
  std::string interactive_mode{};
  std::string install_hint{};
  bool provide_cluster_info = false;
};

struct KubeconfigUser {
  InlineOrFile certificate{};
  InlineOrFile key{};
  InlineOrFile token{};
  std::string username{};
  Secret password{};
  Impersonation impersonation{};
  std::optional<KubeconfigExec> exec{};
  std::optional<std::string> auth_provider{};  // its name
};

struct KubeconfigContext {
  std::string cluster{};
  std::string user{};
  std::string namespace_name{};
};

// A named entry and where it stands, so that a problem found later can be pointed at.
template <class T>
struct KubeconfigEntry {
  std::string name;
  T value;
  std::string file;  // "kubeconfig /home/u/.kube/config"
  std::string path;  // "users[2].user"
  YamlNode node;
};

struct Kubeconfig {
  std::vector<KubeconfigEntry<KubeconfigCluster>> clusters;
  std::vector<KubeconfigEntry<KubeconfigUser>> users;
  std::vector<KubeconfigEntry<KubeconfigContext>> contexts;
  std::string current_context;
};

// `path` names the file in errors and is what relative paths inside start from.
Result<Kubeconfig> read_kubeconfig(std::string_view text, const std::string& path);

// Adds what `first` does not have yet: an entry that exists wins whole, as with kubectl.
void merge_kubeconfig(Kubeconfig& first, Kubeconfig later);

template <class T>
const KubeconfigEntry<T>* find_entry(const std::vector<KubeconfigEntry<T>>& entries, std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(), [name](const auto& e) { return e.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace rescheduler::kube
