#include "kube/config/kubeconfig_model.h"

#include "kube/config/file.h"
#include "kube/config/yaml_json.h"
#include "kube/value/base64.h"

namespace rescheduler::kube {
namespace {

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

Secret read_secret(YamlReader& from, std::string_view field) {
  std::string text;
  from.read(field, text);
  return Secret(std::move(text));
}

std::string read_path(YamlReader& from, std::string_view field, const std::string& directory) {
  std::string path;
  from.read(field, path);
  return resolve_against(directory, path);
}

// Reads pairs such as certificate-authority and certificate-authority-data.
InlineOrFile read_inline_or_file(YamlReader& from, const std::string& field, const std::string& directory) {
  InlineOrFile value;
  value.path = read_path(from, field, directory);
  const std::string data_field = field + "-data";
  const Secret encoded = read_secret(from, data_field);
  auto decoded = base64_decode(encoded.reveal());
  if (!decoded) {
    from.problem(data_field, "not valid base64");
  } else {
    value.data = Secret(std::move(*decoded));
  }
  return value;
}

KubeconfigCluster read_entry(YamlReader from, const std::string& directory, KubeconfigCluster cluster) {
  from.read("server", cluster.server);
  from.read("tls-server-name", cluster.tls_server_name);
  from.read("insecure-skip-tls-verify", cluster.insecure_skip_tls_verify);
  from.read("proxy-url", cluster.proxy_url);
  cluster.certificate_authority = read_inline_or_file(from, "certificate-authority", directory);
  for (YamlReader& item : from.items("extensions")) {
    std::string name;
    item.read("name", name);
    if (name == kExecExtension && item.has("extension")) {
      cluster.exec_extension_json = yaml_to_json(item.child("extension").node());
    }
  }
  return cluster;
}

KubeconfigExec read_exec(YamlReader from, const std::string& directory) {
  KubeconfigExec exec;
  from.read("command", exec.command);
  // A name without a slash is searched in PATH; other values are paths.
  if (exec.command.find('/') != std::string::npos) exec.command = resolve_against(directory, exec.command);
  from.read("args", exec.args);
  from.read("apiVersion", exec.api_version);
  from.read("interactiveMode", exec.interactive_mode);
  from.read("installHint", exec.install_hint);
  from.read("provideClusterInfo", exec.provide_cluster_info);
  for (YamlReader& item : from.items("env")) {
    std::string name;
    item.read("name", name);
    if (name.empty() || name.find('=') != std::string::npos)
      item.problem("name", "the variable needs a name without =");
    exec.env.emplace_back(std::move(name), read_secret(item, "value"));
  }
  return exec;
}

KubeconfigUser read_entry(YamlReader from, const std::string& directory, KubeconfigUser user) {
  user.certificate = read_inline_or_file(from, "client-certificate", directory);
  user.key = read_inline_or_file(from, "client-key", directory);
  user.token.data = read_secret(from, "token");
  user.token.path = read_path(from, "tokenFile", directory);
  from.read("username", user.username);
  user.password = read_secret(from, "password");
  from.read("as", user.impersonation.user);
  from.read("as-uid", user.impersonation.uid);
  from.read("as-groups", user.impersonation.groups);
  if (from.has("as-user-extra")) {
    YamlReader extra = from.child("as-user-extra");
    for (const auto& [key, values] : extra.members()) user.impersonation.extra.emplace_back(key, values.as_strings());
  }
  if (from.has("exec")) user.exec = read_exec(from.child("exec"), directory);
  if (from.has("auth-provider")) {
    user.auth_provider.emplace();
    from.child("auth-provider").read("name", *user.auth_provider);
  }
  return user;
}

KubeconfigContext read_entry(YamlReader from, const std::string&, KubeconfigContext context) {
  from.read("cluster", context.cluster);
  from.read("user", context.user);
  from.read("namespace", context.namespace_name);
  return context;
}

template <class T>
std::vector<KubeconfigEntry<T>> read_list(YamlReader& top,
                                          std::string_view list,
                                          std::string_view field,
                                          const std::string& path) {
  const std::string directory = directory_of(path);
  std::vector<KubeconfigEntry<T>> entries;
  for (YamlReader& item : top.items(list)) {
    std::string name;
    item.read("name", name);
    if (name.empty()) item.problem("name", "every entry needs a name");
    if (!name.empty() && find_entry(entries, name) != nullptr) {
      item.problem("name", fmt::format("\"{}\" is given twice", name));
    }
    const YamlReader content = item.child(field);
    entries.push_back(KubeconfigEntry<T>{std::move(name), read_entry(content, directory, T{}),
                                         fmt::format("kubeconfig {}", path), content.path(), content.node()});
  }
  return entries;
}

template <class T>
void add_missing(std::vector<KubeconfigEntry<T>>& first, std::vector<KubeconfigEntry<T>> later) {
  for (auto& entry : later) {
    if (find_entry(first, entry.name) == nullptr) first.push_back(std::move(entry));
  }
}

}  // namespace

Result<Kubeconfig> read_kubeconfig(std::string_view text, const std::string& path) {
  const std::string file_name = fmt::format("kubeconfig {}", path);
  const auto document = parse_yaml(text, file_name);
  if (!document) return fail(document.error());
  YamlProblems problems(file_name);
  YamlReader top(*document, problems);

  std::string api_version = "v1";
  std::string kind = "Config";
  top.read("apiVersion", api_version);
  top.read("kind", kind);
  if (api_version != "v1") top.problem("apiVersion", "must be v1; this is not a kubeconfig");
  if (kind != "Config") top.problem("kind", "must be Config; this is not a kubeconfig");

  Kubeconfig config;
  top.read("current-context", config.current_context);
  config.clusters = read_list<KubeconfigCluster>(top, "clusters", "cluster", path);
  config.users = read_list<KubeconfigUser>(top, "users", "user", path);
  config.contexts = read_list<KubeconfigContext>(top, "contexts", "context", path);
  if (!problems.empty()) return fail(problems.error());
  return config;
}

void merge_kubeconfig(Kubeconfig& first, Kubeconfig later) {
  add_missing(first.clusters, std::move(later.clusters));
  add_missing(first.users, std::move(later.users));
  add_missing(first.contexts, std::move(later.contexts));
  if (first.current_context.empty()) first.current_context = std::move(later.current_context);
}

}  // namespace rescheduler::kube
