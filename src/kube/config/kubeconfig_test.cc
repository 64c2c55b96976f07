#include "kube/config/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/config/kubeconfig_model.h"
#include "kube/config/log_capture.h"
#include "kube/config/temp_directory.h"
#include "kube/value/base64.h"

namespace rescheduler::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kCa = "-----BEGIN CERTIFICATE-----\nca\n-----END CERTIFICATE-----\n";
constexpr const char* kCert = "-----BEGIN CERTIFICATE-----\ncert\n-----END CERTIFICATE-----\n";
constexpr const char* kKey = "-----BEGIN PRIVATE KEY-----\nkey\n-----END PRIVATE KEY-----\n";

// One cluster and one context "main"; `user` is the body of the user, indented by four spaces.
std::string config_with_user(const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: main\n"
         "clusters:\n- name: c\n  cluster:\n    server: https://example.com:6443\n"
         "contexts:\n- name: main\n  context:\n    cluster: c\n    user: u\n"
         "users:\n- name: u\n  user:\n"
         + user;
}

ClientConfig loaded(const KubeconfigSource& source) {
  auto config = load_kubeconfig(source);
  EXPECT_TRUE(config) << config.error().message;
  return config.value_or(ClientConfig{});
}

ClientConfig loaded_user(const std::string& user) {
  const TempDirectory directory;
  return loaded({.explicit_path = directory.write("config", config_with_user(user))});
}

TEST(Kubeconfig, ReadsClusterContextAndClientCertificateData) {
  const TempDirectory directory;
  const std::string path =
      directory.write("config", fmt::format(R"(
apiVersion: v1
kind: Config
preferences: {{colors: true}}
future-field: [1, 2]
current-context: other
clusters:
- name: c
  cluster:
    server: https://[fd00::1]:6443/k8s/clusters/c-1/
    certificate-authority-data: {}
    tls-server-name: kubernetes.default
    extensions:
    - {{name: whatever, extension: {{a: 1}}}}
contexts:
- {{name: other, context: {{cluster: missing, user: missing}}}}
- {{name: main, context: {{cluster: c, user: u, namespace: team-a, extensions: []}}}}
users:
- name: u
  user:
    client-certificate-data: {}
    client-key-data: {}
)",
                                            base64_encode(kCa), base64_encode(kCert), base64_encode(kKey)));
  const ClientConfig config = loaded({.explicit_path = path, .context = "main"});
  EXPECT_EQ(config.origin.host, "fd00::1");
  EXPECT_EQ(config.origin.port, 6443);
  EXPECT_TRUE(config.origin.tls);
  EXPECT_EQ(config.base_path, "/k8s/clusters/c-1");
  EXPECT_EQ(config.tls.ca_pem, kCa);
  EXPECT_EQ(config.tls.server_name, "kubernetes.default");
  EXPECT_FALSE(config.tls.insecure_skip_verify);
  EXPECT_EQ(config.tls.certificate_pem, kCert);
  EXPECT_EQ(config.tls.key_pem, kKey);
  EXPECT_EQ(config.default_namespace, "team-a");
  EXPECT_EQ(config.description, "kubeconfig " + path + ", context main");
  EXPECT_TRUE(std::holds_alternative<Anonymous>(config.credentials.method));
  ASSERT_TRUE(config.credentials.certificate);
  EXPECT_EQ(config.credentials.certificate->files.certificate_path, "");
}

TEST(Kubeconfig, ResolvesRelativePathsAgainstItsOwnDirectory) {
  const TempDirectory directory;
  directory.write("pki/ca.crt", kCa);
  directory.write("pki/u.crt", kCert);
  directory.write("u.key", kKey);
  const std::string path = directory.write("sub/config", R"(
current-context: main
clusters: [{name: c, cluster: {server: "https://h", certificate-authority: ../pki/ca.crt}}]
contexts: [{name: main, context: {cluster: c, user: u}}]
users:
- name: u
  user: {client-certificate: ../pki/u.crt, client-key: )" + directory.at("u.key")
                                                             + R"(, tokenFile: tokens/t}
)");
  const ClientConfig config = loaded({.explicit_path = path});
  EXPECT_EQ(config.tls.ca_pem, kCa);
  EXPECT_EQ(config.tls.certificate_pem, kCert);
  ASSERT_TRUE(config.credentials.certificate);
  EXPECT_EQ(config.credentials.certificate->files.certificate_path, directory.at("pki/u.crt"));
  EXPECT_EQ(config.credentials.certificate->files.key_path, directory.at("u.key"));
  ASSERT_TRUE(std::holds_alternative<TokenFile>(config.credentials.method));
  EXPECT_EQ(std::get<TokenFile>(config.credentials.method).path, directory.at("sub/tokens/t"));
}

TEST(Kubeconfig, InlineDataTakesPrecedenceOverTheFileAndIsLogged) {
  const TempDirectory directory;
  const LogCapture log;
  const std::string path = directory.write("config", fmt::format(R"(
current-context: main
clusters: [{{name: c, cluster: {{server: "https://h", certificate-authority: missing.crt, certificate-authority-data: {}}}}}]
contexts: [{{name: main, context: {{cluster: c}}}}]
)",
                                                                 base64_encode(kCa)));
  EXPECT_EQ(loaded({.explicit_path = path}).tls.ca_pem, kCa);
  EXPECT_THAT(log.lines(), ElementsAre("clusters[0].cluster: certificate-authority and certificate-authority-data are "
                                       "both given: the data is used"));
}

TEST(Kubeconfig, ReadsEveryKindOfCredential) {
  EXPECT_EQ(std::get<BearerToken>(loaded_user("    token: abc\n").credentials.method).token.reveal(), "abc");
  const auto basic = std::get<BasicAuth>(loaded_user("    username: jo\n    password: 'pw:1'\n").credentials.method);
  EXPECT_EQ(basic.username, "jo");
  EXPECT_EQ(basic.password.reveal(), "pw:1");
  const auto file = std::get<TokenFile>(loaded_user("    token: abc\n    tokenFile: /t\n").credentials.method);
  EXPECT_EQ(file.path, "/t");
  EXPECT_EQ(file.fallback.reveal(), "abc");
  EXPECT_TRUE(std::holds_alternative<Anonymous>(loaded_user("    {}\n").credentials.method));
}

TEST(Kubeconfig, ReadsImpersonation) {
  const auto as =
      loaded_user("    as: jane\n    as-uid: u1\n    as-groups: [a, b]\n    as-user-extra: {scopes: [x, y], z: []}\n")
          .credentials.impersonation;
  EXPECT_EQ(as.user, "jane");
  EXPECT_EQ(as.uid, "u1");
  EXPECT_THAT(as.groups, ElementsAre("a", "b"));
  ASSERT_EQ(as.extra.size(), 2u);
  EXPECT_EQ(as.extra[0].first, "scopes");
  EXPECT_THAT(as.extra[0].second, ElementsAre("x", "y"));
}

TEST(Kubeconfig, ReadsAnExecPluginWithClusterInformation) {
  const TempDirectory directory;
  const std::string path = directory.write("sub/config", fmt::format(R"(
current-context: main
clusters:
- name: c
  cluster:
    server: https://h:1
    tls-server-name: t
    certificate-authority-data: {}
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {{audience: '42', depth: 7, on: true, list: [1.5, null]}}
contexts: [{{name: main, context: {{cluster: c, user: u}}}}]
users:
- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/plugin
      args: [get-token, --quiet]
      env: [{{name: PROFILE, value: prod}}]
      interactiveMode: IfAvailable
      provideClusterInfo: true
      installHint: install it
)",
                                                                     base64_encode(kCa)));
  const ClientConfig config = loaded({.explicit_path = path, .environment = Environment({"PATH=/bin"})});
  const auto& plugin = std::get<ExecPlugin>(config.credentials.method);
  EXPECT_EQ(plugin.command, directory.at("sub/bin/plugin"));
  EXPECT_THAT(plugin.args, ElementsAre("get-token", "--quiet"));
  ASSERT_EQ(plugin.env.size(), 1u);
  EXPECT_EQ(plugin.env[0].second.reveal(), "prod");
  EXPECT_THAT(plugin.inherited_env, ElementsAre("PATH=/bin"));
  EXPECT_EQ(plugin.install_hint, "install it");
  EXPECT_EQ(plugin.cluster_json, R"({"server":"https://h:1","tls-server-name":"t","certificate-authority-data":")"
                                     + base64_encode(kCa)
                                     + R"(","config":{"audience":"42","depth":7,"on":true,"list":[1.5E0,null]}})");
}

TEST(Kubeconfig, ABareCommandNameIsNotResolvedToAPath) {
  const auto config = loaded_user("    exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: plugin}\n");
  const auto& plugin = std::get<ExecPlugin>(config.credentials.method);
  EXPECT_EQ(plugin.command, "plugin");
  EXPECT_EQ(plugin.cluster_json, "");
}

TEST(Kubeconfig, AStaticTokenTakesPrecedenceOverTheExecPlugin) {
  const LogCapture log;
  const auto config =
      loaded_user("    token: abc\n    exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: plugin}\n");
  EXPECT_TRUE(std::holds_alternative<BearerToken>(config.credentials.method));
  EXPECT_THAT(log.lines(),
              ElementsAre("user u of the kubeconfig has an exec plugin and a token: the plugin is not used"));
}

TEST(Kubeconfig, ReadsAKubeconfigInJson) {
  const TempDirectory directory;
  const std::string path =
      directory.write("config",
                      "{\"kind\":\"Config\",\"apiVersion\":\"v1\",\"current-context\":\"m\",\n\t\"clusters\":[{"
                      "\"name\":\"c\",\"cluster\":"
                      "{\"server\":\"http://"
                      "h:8001\",\"insecure-skip-tls-verify\":true}}],\n\t\"contexts\":[{\"name\":\"m\",\"context\":"
                      "{\"cluster\":\"c\",\"user\":\"\"}}],\"users\":null}");
  const ClientConfig config = loaded({.explicit_path = path});
  EXPECT_FALSE(config.origin.tls);
  EXPECT_EQ(config.origin.port, 8001);
  EXPECT_TRUE(config.tls.insecure_skip_verify);
  EXPECT_EQ(config.default_namespace, "default");
}

// The values "from-a", "from-b" and "from-c" show which file wins.
TEST(Kubeconfig, TheFirstFileOfKubeconfigWinsForEachEntry) {
  const TempDirectory directory;
  const std::string a = directory.write("a/config", R"(
contexts: [{name: one, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://from-a", certificate-authority: ca.crt}}]
)");
  directory.write("a/ca.crt", kCa);
  const std::string b = directory.write("b", R"(
current-context: one
contexts: [{name: one, context: {cluster: c, user: u, namespace: from-b}}, {name: two, context: {cluster: d, user: u}}]
clusters:
- {name: c, cluster: {server: "https://from-b", tls-server-name: from-b}}
- {name: d, cluster: {server: "https://only-b"}}
users: [{name: u, user: {token: from-b}}]
)");
  const std::string c = directory.write("c", "current-context: two\nusers: [{name: u, user: {token: from-c}}]\n");
  KubeconfigSource source;
  source.environment = Environment(
      {"HOME=/nonexistent", "KUBECONFIG=" + directory.at("missing") + "::" + a + ":" + b + ":" + c + ":" + a});

  const ClientConfig config = loaded(source);
  EXPECT_EQ(config.origin.host, "from-a");
  EXPECT_EQ(config.tls.server_name, "") << "entries are not merged field by field";
  EXPECT_EQ(config.tls.ca_pem, kCa) << "the path is relative to the file of the entry";
  EXPECT_EQ(config.default_namespace, "default");
  EXPECT_EQ(std::get<BearerToken>(config.credentials.method).token.reveal(), "from-b");
  EXPECT_EQ(config.description, "kubeconfig " + a + ":" + b + ":" + c + ", context one");

  source.context = "two";
  EXPECT_EQ(loaded(source).origin.host, "only-b");
}

TEST(Kubeconfig, FallsBackToHomeAndNamesTheMissingFile) {
  const TempDirectory directory;
  KubeconfigSource source;
  source.environment = Environment({"HOME=" + directory.path(), "KUBECONFIG="});
  const auto missing = load_kubeconfig(source);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::NotFound);
  EXPECT_EQ(missing.error().message, "kubeconfig " + directory.at(".kube/config")
                                         + ": no such file; create it, set KUBECONFIG or name the file explicitly");
  directory.write(".kube/config", config_with_user("    token: abc\n"));
  EXPECT_EQ(loaded(source).origin.host, "example.com");

  const auto explicit_missing = load_kubeconfig({.explicit_path = directory.at("nope")});
  ASSERT_FALSE(explicit_missing);
  EXPECT_EQ(explicit_missing.error().message,
            "kubeconfig: cannot open " + directory.at("nope") + ": No such file or directory");
  EXPECT_THAT(load_kubeconfig({}).error().message, HasSubstr("neither KUBECONFIG nor HOME is set"));
}

TEST(Kubeconfig, EveryPrefixOfAValidFileGivesAConfigOrAnError) {
  const std::string text = config_with_user(
      "    token: abc\n    as: x\n    as-groups: [a, \"b\"]\n"
      "    exec: {apiVersion: client.authentication.k8s.io/v1, command: p, interactiveMode: Never}\n"
      "    client-certificate-data: "
      + base64_encode(kCert) + "\n    client-key-data: " + base64_encode(kKey) + "\n");
  const LogCapture quiet;
  int good = 0;
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const auto entries = read_kubeconfig(text.substr(0, length), "config");
    if (entries && choose_client_config(*entries, "kubeconfig config", {})) ++good;
  }
  EXPECT_GT(good, 0);
  EXPECT_LT(good, static_cast<int>(text.size()) / 2);
}

}  // namespace
}  // namespace rescheduler::kube
