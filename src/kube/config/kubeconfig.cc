#include "kube/config/kubeconfig.h"

#include <algorithm>

#include "kube/config/exec_credential.h"
#include "kube/config/file.h"
#include "kube/config/kubeconfig_model.h"
#include "kube/config/kubeconfig_user.h"
#include "kube/value/name.h"
#include "net/http/url.h"

namespace rescheduler::kube {
namespace {

constexpr std::size_t kMostKubeconfigBytes = std::size_t{16} << 20;

struct Loaded {
  Kubeconfig config;
  std::string files;  // "kubeconfig /a:/b", the existing files
};

template <class T>
std::string names_of(const std::vector<KubeconfigEntry<T>>& entries) {
  std::string names;
  for (const auto& entry : entries) names += (names.empty() ? "" : ", ") + entry.name;
  return names.empty() ? "(none)" : names;
}

Result<Loaded> load_files(const KubeconfigSource& source) {
  const std::vector<std::string> paths = kubeconfig_paths(source);
  if (paths.empty()) {
    return fail(Errc::NotFound, "no kubeconfig: neither KUBECONFIG nor HOME is set; name the file explicitly");
  }
  Loaded loaded;
  std::string read;
  for (const std::string& path : paths) {
    auto text = read_whole_file(path, kMostKubeconfigBytes);
    if (!text && text.error().code == Errc::NotFound && source.explicit_path.empty()) continue;
    if (!text) return fail(std::move(text.error()).within("kubeconfig"));
    auto config = read_kubeconfig(*text, path);
    if (!config) return fail(std::move(config.error()));
    merge_kubeconfig(loaded.config, std::move(*config));
    read += (read.empty() ? "" : ":") + path;
  }
  if (read.empty()) {
    std::string tried;
    for (const std::string& path : paths) tried += (tried.empty() ? "" : ":") + path;
    return fail(Errc::NotFound, "kubeconfig {}: no such file; create it, set KUBECONFIG or name the file explicitly",
                tried);
  }
  loaded.files = fmt::format("kubeconfig {}", read);
  return loaded;
}

Result<const KubeconfigEntry<KubeconfigContext>*> choose_context(const Kubeconfig& config,
                                                                 const std::string& files,
                                                                 const std::string& asked) {
  const std::string& name = asked.empty() ? config.current_context : asked;
  if (name.empty()) {
    return fail(Errc::NotFound, "{}: current-context is not set; set it, or choose one of these contexts: {}", files,
                names_of(config.contexts));
  }
  const auto* context = find_entry(config.contexts, name);
  if (context == nullptr) {
    return fail(Errc::NotFound, "{}: {} \"{}\" does not exist; choose one of these contexts: {}", files,
                asked.empty() ? "the current-context" : "context", name, names_of(config.contexts));
  }
  return context;
}

template <class T>
Result<const KubeconfigEntry<T>*> referred(const std::string& files,
                                           const KubeconfigEntry<KubeconfigContext>& context,
                                           const std::vector<KubeconfigEntry<T>>& entries,
                                           std::string_view field,
                                           const std::string& name) {
  if (const auto* entry = find_entry(entries, name)) return entry;
  YamlProblems problems(context.file);
  const YamlReader at(context.node, problems, context.path);
  at.problem(field,
             name.empty()
                 ? fmt::format("context \"{}\" names no {}; these exist: {}", context.name, field, names_of(entries))
                 : fmt::format("there is no {} \"{}\" in {}; these exist: {}", field, name, files, names_of(entries)));
  Error error = problems.error();
  error.code = Errc::NotFound;
  return fail(std::move(error));
}

// Sets origin and base path. Returns the problem with the server, or empty.
std::string use_server(const KubeconfigEntry<KubeconfigCluster>& entry, ClientConfig& config) {
  const std::string& server = entry.value.server;
  if (server.empty()) return fmt::format("cluster \"{}\" has no server; add https://HOST:PORT", entry.name);
  // The value is not quoted: it is not a URL, and it may be a secret that belongs in another field.
  if (server.find("://") == std::string::npos) return "must begin with https:// (or http://)";
  auto url = net::parse_url(server);
  if (!url) return url.error().message;
  if (!url->query.empty()) return "must not contain a query (?)";
  config.origin = std::move(url->origin);
  config.base_path = std::move(url->base_path);
  return {};
}

// Sets origin, base path and the TLS settings of the server.
Result<void> use_cluster(const KubeconfigEntry<KubeconfigCluster>& entry, ClientConfig& config) {
  const KubeconfigCluster& cluster = entry.value;
  YamlProblems problems(entry.file);
  const YamlReader at(entry.node, problems, entry.path);
  if (!cluster.proxy_url.empty()) {
    at.problem("proxy-url", "proxies are not supported; remove it and reach the server directly");
    Error error = problems.error();
    error.code = Errc::Unsupported;
    return fail(std::move(error));
  }
  if (auto problem = use_server(entry, config); !problem.empty()) at.problem("server", problem);
  if (cluster.insecure_skip_tls_verify && cluster.certificate_authority.given()) {
    at.problem("insecure-skip-tls-verify", "cannot be combined with a certificate-authority; remove one of the two");
  } else {
    config.tls.ca_pem = load_pem(at, "certificate-authority", cluster.certificate_authority);
  }
  config.tls.insecure_skip_verify = cluster.insecure_skip_tls_verify;
  config.tls.server_name = cluster.tls_server_name;
  if (!problems.empty()) return fail(problems.error());
  return {};
}

Result<void> use_user(const KubeconfigEntry<KubeconfigUser>& entry,
                      const KubeconfigCluster& cluster,
                      const Environment& environment,
                      ClientConfig& config) {
  auto spec = credentials_of(entry);
  if (!spec) return fail(std::move(spec.error()));
  config.credentials = std::move(*spec);
  if (const auto& certificate = config.credentials.certificate) {
    config.tls.certificate_pem = certificate->loaded.certificate_pem;
    config.tls.key_pem = certificate->loaded.key_pem.reveal();
  }
  if (auto* plugin = std::get_if<ExecPlugin>(&config.credentials.method)) {
    plugin->inherited_env = environment.lines();
    if (entry.value.exec->provide_cluster_info) {
      plugin->cluster_json =
          exec_cluster_json(ExecClusterInfo{cluster.server, cluster.tls_server_name, cluster.insecure_skip_tls_verify,
                                            config.tls.ca_pem, cluster.exec_extension_json});
    }
  }
  return {};
}

Result<void> use_namespace(const KubeconfigEntry<KubeconfigContext>& context, ClientConfig& config) {
  const std::string& name = context.value.namespace_name;
  if (name.empty()) return {};
  if (!is_dns_label(name)) {
    YamlProblems problems(context.file);
    YamlReader(context.node, problems, context.path)
        .problem("namespace", "not a namespace name: use lower-case letters, digits and dashes, at most 63");
    return fail(problems.error());
  }
  config.default_namespace = name;
  return {};
}

}  // namespace

std::vector<std::string> kubeconfig_paths(const KubeconfigSource& source) {
  if (!source.explicit_path.empty()) return {source.explicit_path};
  std::vector<std::string> paths;
  if (const auto list = source.environment.find("KUBECONFIG")) {
    for (std::size_t at = 0; at <= list->size();) {
      const std::size_t end = std::min(list->find(':', at), list->size());
      std::string path = list->substr(at, end - at);
      const bool seen = std::ranges::find(paths, path) != paths.end();
      if (!path.empty() && !seen) paths.push_back(std::move(path));
      at = end + 1;
    }
    if (!paths.empty()) return paths;
  }
  if (const auto home = source.environment.find("HOME")) paths.push_back(*home + "/.kube/config");
  return paths;
}

Result<ClientConfig> choose_client_config(const Kubeconfig& entries,
                                          const std::string& files,
                                          const KubeconfigSource& source) {
  const auto context = choose_context(entries, files, source.context);
  if (!context) return fail(context.error());
  const KubeconfigContext& chosen = (*context)->value;
  const auto cluster = referred(files, **context, entries.clusters, "cluster", chosen.cluster);
  if (!cluster) return fail(cluster.error());

  ClientConfig config;
  config.description = fmt::format("{}, context {}", files, (*context)->name);
  if (auto used = use_cluster(**cluster, config); !used) return fail(std::move(used.error()));
  if (auto used = use_namespace(**context, config); !used) return fail(std::move(used.error()));
  if (!chosen.user.empty()) {  // a context without user is anonymous, as in kubectl
    const auto user = referred(files, **context, entries.users, "user", chosen.user);
    if (!user) return fail(user.error());
    auto used = use_user(**user, (*cluster)->value, source.environment, config);
    if (!used) return fail(std::move(used.error()));
  }
  return config;
}

Result<ClientConfig> load_kubeconfig(const KubeconfigSource& source) {
  const auto loaded = load_files(source);
  if (!loaded) return fail(loaded.error());
  return choose_client_config(loaded->config, loaded->files, source);
}

}  // namespace rescheduler::kube
