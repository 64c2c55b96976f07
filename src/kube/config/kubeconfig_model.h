// The entries of one or several kubeconfig files, typed and merged, before a context is chosen.
//
// Unknown fields are ignored, as in kubectl. Types are strict: every field with a wrong type is reported with line and
// path, in any entry. Each entry keeps its position for later error messages.
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

// A value that is inline, in a file, or absent. Inline wins. Paths are relative to the directory of the kubeconfig.
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
  std::string exec_extension_json{};  // extension client.authentication.k8s.io/exec, for plugins that request it
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
  std::optional<std::string> auth_provider{};  // the name of the provider
};

struct KubeconfigContext {
  std::string cluster{};
  std::string user{};
  std::string namespace_name{};
};

// A named entry and its position, for later error messages.
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

// `path` names the file in errors. Relative paths in the file are relative to its directory.
Result<Kubeconfig> read_kubeconfig(std::string_view text, const std::string& path);

// Adds the entries that `first` does not have. An existing entry wins completely, as in kubectl.
void merge_kubeconfig(Kubeconfig& first, Kubeconfig later);

template <class T>
const KubeconfigEntry<T>* find_entry(const std::vector<KubeconfigEntry<T>>& entries, std::string_view name) {
  const auto found = std::ranges::find_if(entries, [name](const auto& e) { return e.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace rescheduler::kube
