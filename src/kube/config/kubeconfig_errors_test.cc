// Broken kubeconfigs and the exact error message of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/config/kubeconfig.h"
#include "kube/config/temp_directory.h"

namespace rescheduler::kube {
namespace {

struct Broken {
  const char* name;
  Errc code;
  const char* text;
  const char* message;  // FILE stands for "kubeconfig <path>", DIR for its directory
};

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size())) {
    text.replace(at, word.size(), by);
  }
  return text;
}

#define CONTEXT "current-context: m\ncontexts: [{name: m, context: {cluster: c, user: u}}]\n"
#define CLUSTER "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
#define USER(body) CONTEXT CLUSTER "users:\n- name: u\n  user:\n" body

const Broken kBroken[] = {
    {"NotYaml", Errc::Invalid, "a: [\n", "FILE: line 2, column 1: not valid YAML: end of sequence flow not found"},
    {"NotAMap", Errc::Invalid, "- a\n", "FILE: line 1, column 1: expected a map, found a list"},
    {"OtherKind", Errc::Invalid, "apiVersion: v1\nkind: Pod\n",
     "FILE: line 2, column 7: kind: must be Config; this is not a kubeconfig"},
    {"Empty", Errc::NotFound, "", "FILE: current-context is not set; set it, or choose one of these contexts: (none)"},
    {"NoCurrentContext", Errc::NotFound, "contexts: [{name: a}, {name: b}]\n",
     "FILE: current-context is not set; set it, or choose one of these contexts: a, b"},
    {"UnknownCurrentContext", Errc::NotFound, "current-context: x\ncontexts: [{name: a}]\n",
     "FILE: the current-context \"x\" does not exist; choose one of these contexts: a"},
    {"NoClusterNamed", Errc::NotFound, "current-context: m\ncontexts: [{name: m, context: {user: u}}]\n" CLUSTER,
     "FILE: line 2, column 31: contexts[0].context.cluster: context \"m\" names no cluster; these exist: c"},
    {"UnknownCluster", Errc::NotFound, CONTEXT "clusters: [{name: d}]\n",
     "FILE: line 2, column 41: contexts[0].context.cluster: there is no cluster \"c\" in FILE; these exist: d"},
    {"UnknownUser", Errc::NotFound, CONTEXT CLUSTER,
     "FILE: line 2, column 50: contexts[0].context.user: there is no user \"u\" in FILE; these exist: (none)"},
    {"NoServer", Errc::Invalid, CONTEXT "clusters: [{name: c, cluster: {}}]\nusers: [{name: u}]\n",
     "FILE: line 3, column 31: clusters[0].cluster.server: cluster \"c\" has no server; add https://HOST:PORT"},
    {"ServerWithoutScheme", Errc::Invalid,
     CONTEXT "clusters: [{name: c, cluster: {server: 'h:1'}}]\nusers: [{name: u}]\n",
     "FILE: line 3, column 40: clusters[0].cluster.server: must begin with https:// (or http://)"},
    {"ServerWithPassword", Errc::Invalid,
     CONTEXT "clusters: [{name: c, cluster: {server: 'https://jo:hunter2@h'}}]\nusers: [{name: u}]\n",
     "FILE: line 3, column 40: clusters[0].cluster.server: a URL must not carry a user name or password; configure "
     "credentials separately"},
    {"ServerWithQuery", Errc::Invalid,
     CONTEXT "clusters: [{name: c, cluster: {server: 'https://h/?token=hunter2'}}]\nusers: [{name: u}]\n",
     "FILE: line 3, column 40: clusters[0].cluster.server: must not contain a query (?)"},
    {"Proxy", Errc::Unsupported,
     CONTEXT "clusters: [{name: c, cluster: {server: 'https://h', proxy-url: 'http://p'}}]\nusers: [{name: u}]\n",
     "FILE: line 3, column 64: clusters[0].cluster.proxy-url: proxies are not supported; remove it and reach the "
     "server directly"},
    {"InsecureWithCa", Errc::Invalid,
     CONTEXT "clusters: [{name: c, cluster: {server: 'https://h', insecure-skip-tls-verify: true, "
             "certificate-authority: x}}]\nusers: [{name: u}]\n",
     "FILE: line 3, column 79: clusters[0].cluster.insecure-skip-tls-verify: cannot be combined with a "
     "certificate-authority; remove one of the two"},
    {"CaMissing", Errc::Invalid,
     CONTEXT
     "clusters: [{name: c, cluster: {server: 'https://h', certificate-authority: ca.crt}}]\nusers: [{name: u}]\n",
     "FILE: line 3, column 76: clusters[0].cluster.certificate-authority: cannot open DIR/ca.crt: No such file or "
     "directory"},
    {"CaNotBase64", Errc::Invalid, "clusters: [{name: c, cluster: {certificate-authority-data: 'a!'}}]\n",
     "FILE: line 1, column 60: clusters[0].cluster.certificate-authority-data: not valid base64"},
    {"CaNotPem", Errc::Invalid,
     CONTEXT
     "clusters: [{name: c, cluster: {server: 'https://h', certificate-authority-data: Zm9v}}]\nusers: [{name: u}]\n",
     "FILE: line 3, column 81: clusters[0].cluster.certificate-authority-data: not PEM text once decoded from base64"},
    {"WrongTypesInOtherEntries", Errc::Invalid,
     CONTEXT "clusters: [{name: c, cluster: {server: 5, insecure-skip-tls-verify: 'yes'}}]\nusers: [{name: x, user: "
             "{token: [a]}}]\n",
     "FILE: line 3, column 40: clusters[0].cluster.server: expected a string, found a number; put it in quotes; line "
     "3, column 69: clusters[0].cluster.insecure-skip-tls-verify: expected true or false, found a string; line 4, "
     "column 33: users[0].user.token: expected a string, found a list"},
    {"TwoOfOneName", Errc::Invalid, "users: [{name: u}, {name: u}]\n",
     "FILE: line 1, column 27: users[1].name: \"u\" is given twice"},
    {"NoName", Errc::Invalid, "users:\n- user: {}\n",
     "FILE: line 2, column 3: users[0].name: every entry needs a name"},
    {"BadNamespace", Errc::Invalid,
     "current-context: m\ncontexts: [{name: m, context: {cluster: c, namespace: Team/A}}]\n" CLUSTER,
     "FILE: line 2, column 55: contexts[0].context.namespace: not a namespace name: use lower-case letters, digits and "
     "dashes, at most 63"},
    {"TokenAndBasic", Errc::Invalid, USER("    token: hunter2\n    username: jo\n"),
     "FILE: line 7, column 5: users[0].user: user \"u\" has both a token and a username; keep one of them"},
    {"TokenWithLineBreak", Errc::Invalid, USER("    token: |\n      hunter2\n"),
     "FILE: line 7, column 12: users[0].user.token: contains a line break or control character"},
    {"CertificateWithoutKey", Errc::Invalid,
     USER("    client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==\n"),
     "FILE: line 7, column 5: users[0].user.client-key: the client-certificate needs a client-key or client-key-data"},
    {"KeyFileMissing", Errc::Invalid,
     USER("    client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==\n    client-key: no.key\n"),
     "FILE: line 8, column 17: users[0].user.client-key: cannot open DIR/no.key: No such file or directory"},
    {"GroupsWithoutUser", Errc::Invalid, USER("    as-groups: [a]\n"),
     "FILE: line 7, column 5: users[0].user.as: as-uid, as-groups and as-user-extra need a user to impersonate; add "
     "\"as\""},
    {"AuthProvider", Errc::Unsupported, USER("    auth-provider: {name: gcp, config: {access-token: hunter2}}\n"),
     "FILE: line 7, column 20: users[0].user.auth-provider: auth providers are not supported (this one is \"gcp\"); "
     "use "
     "an exec credential plugin instead, for example gke-gcloud-auth-plugin"},
    {"ExecAlways", Errc::Unsupported,
     USER("    exec: {apiVersion: client.authentication.k8s.io/v1, command: p, interactiveMode: Always}\n"),
     "FILE: line 7, column 86: users[0].user.exec.interactiveMode: Always needs a terminal, which this program does "
     "not have; use a plugin that works with Never or IfAvailable"},
    {"ExecIncomplete", Errc::Invalid, USER("    exec: {apiVersion: client.authentication.k8s.io/v1alpha1}\n"),
     "FILE: line 7, column 11: users[0].user.exec.command: names no command; line 7, column 24: "
     "users[0].user.exec.apiVersion: must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1; "
     "line 7, column 11: users[0].user.exec.interactiveMode: must be Never or IfAvailable"},
    {"ExecEnvWithoutName", Errc::Invalid, USER("    exec: {env: [{value: hunter2}]}\n"),
     "FILE: line 7, column 18: users[0].user.exec.env[0].name: the variable needs a name without ="},
};

void PrintTo(const Broken& row, std::ostream* out) { *out << row.name; }

class BrokenKubeconfig : public testing::TestWithParam<Broken> {};

TEST_P(BrokenKubeconfig, IsRefusedWithTheExpectedMessage) {
  const TempDirectory directory;
  const std::string path = directory.write("config", GetParam().text);
  const auto config = load_kubeconfig({.explicit_path = path});
  ASSERT_FALSE(config);
  const std::string message =
      replaced(replaced(GetParam().message, "FILE", "kubeconfig " + path), "DIR", directory.path());
  EXPECT_EQ(config.error().message, message);
  EXPECT_EQ(config.error().code, GetParam().code);
  EXPECT_THAT(config.error().message, testing::Not(testing::HasSubstr("hunter2")));
}

INSTANTIATE_TEST_SUITE_P(, BrokenKubeconfig, testing::ValuesIn(kBroken), [](const auto& row) {
  return std::string(row.param.name);
});

TEST(Kubeconfig, TheErrorForAnUnknownContextListsTheExistingContexts) {
  const TempDirectory directory;
  const std::string path = directory.write("config", CONTEXT CLUSTER);
  const auto config = load_kubeconfig({.explicit_path = path, .context = "prod"});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message,
            "kubeconfig " + path + ": context \"prod\" does not exist; choose one of these contexts: m");
}

}  // namespace
}  // namespace rescheduler::kube
