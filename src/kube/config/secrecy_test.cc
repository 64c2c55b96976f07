// No error path puts a secret into an error message or the log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/config/credentials.h"
#include "kube/config/kubeconfig.h"
#include "kube/config/kubeconfig_model.h"
#include "kube/config/log_capture.h"
#include "kube/config/temp_directory.h"
#include "kube/value/base64.h"
#include "net/event_loop.h"

namespace rescheduler::kube {
namespace {

using namespace std::chrono_literals;

static_assert(!fmt::is_formattable<Secret>::value, "a secret must not be a format argument");

constexpr const char* kSecret = "Hunter2Hunter2";  // used for every token, password and key below

template <class T>
concept Streamable = requires(std::ostream& out, const T& value) { out << value; };
static_assert(!Streamable<Secret>);

TEST(Secrecy, ASecretIsPrintedAsAPlaceholder) {
  EXPECT_EQ(testing::PrintToString(Secret(kSecret)), "[secret]");
  EXPECT_EQ(testing::PrintToString(std::optional(Secret(kSecret))), "([secret])");
}

Result<ClientConfig> config_from(const std::string& text) {
  const auto entries = read_kubeconfig(text, "config");
  if (!entries) return fail(entries.error());
  return choose_client_config(*entries, "kubeconfig config", {});
}

// Damages a kubeconfig with many secrets in all ways that editing errors can.
TEST(Secrecy, ErrorsOfADamagedKubeconfigContainNoSecret) {
  const std::string encoded = base64_encode(kSecret);
  const std::string user_fields[] = {
      fmt::format("token: {}", kSecret),
      fmt::format("token: |\n      {}", kSecret),
      fmt::format("token: [{}]", kSecret),
      fmt::format("token: {{{}: {}}}", kSecret, kSecret),
      fmt::format("token: \"{}\\q\"", kSecret),
      fmt::format("token: !{} x", kSecret),
      fmt::format("token: *{}", kSecret),
      fmt::format("{{username: jo, password: {0}, token: {0}}}", kSecret),
      fmt::format("{{username: 'jo:x', password: {0}}}", kSecret),
      fmt::format("client-key-data: {}", encoded),
      fmt::format("client-key-data: {}!", kSecret),
      fmt::format("{{client-key-data: {0}, client-certificate-data: {0}}}", encoded),
      fmt::format("auth-provider: {{name: oidc, config: {{id-token: {}}}}}", kSecret),
      fmt::format("exec: {{command: 5, env: [{{name: A, value: {}}}]}}", kSecret),
      fmt::format("exec: {{command: x, args: [{0}, 1], env: [{{value: {0}}}]}}", kSecret),
      fmt::format("exec: {{command: x, args: {}}}", kSecret),
      fmt::format("{{token: \"{}\\n\", as-groups: [a]}}", kSecret),
      fmt::format("{{token: {0}, token: {0}}}", kSecret),
  };
  const std::string servers[] = {"https://h", fmt::format("https://jo:{}@h", kSecret), kSecret};
  const LogCapture log;
  int failures = 0;
  for (const std::string& fields : user_fields) {
    for (const std::string& server : servers) {
      const std::string text = fmt::format(
          "current-context: m\ncontexts: [{{name: m, context: {{cluster: c, user: u}}}}]\n"
          "clusters: [{{name: c, cluster: {{server: '{}'}}}}]\nusers:\n- name: u\n  user:\n    {}\n",
          server, fields);
      for (std::size_t length = text.size(); length > text.size() - 40; --length) {
        const auto config = config_from(text.substr(0, length));
        if (config) {
          EXPECT_THAT(config->description, testing::Not(testing::HasSubstr(kSecret)));
          continue;
        }
        ++failures;
        EXPECT_THAT(config.error().message, testing::Not(testing::HasSubstr(kSecret))) << text;
        EXPECT_THAT(config.error().message, testing::Not(testing::HasSubstr(encoded))) << text;
      }
    }
  }
  EXPECT_GT(failures, 500);
  EXPECT_THAT(log.lines(), testing::Each(testing::Not(testing::HasSubstr(kSecret))));
}

TEST(Secrecy, ErrorsOfAFailingCredentialContainNoSecret) {
  const TempDirectory directory;
  const LogCapture log;
  const ManualClock clock;
  net::EventLoop loop;
  const auto error_of = [&](CredentialMethod method) {
    CredentialSpec spec;
    spec.method = std::move(method);
    const auto source = make_credentials(std::move(spec), clock, loop.executor(), ExecLimits{60s, 2000});
    const auto credential = loop.await_result(source->current());
    return credential ? std::string("no error") : credential.error().message;
  };
  const std::string secret = kSecret;
  std::vector<std::string> errors = {
      error_of(TokenFile{directory.write("two-lines", secret + "\n" + secret)}),
      error_of(TokenFile{directory.write("huge", secret + std::string(2 << 20, 'x'))}),
  };
  const std::string head =
      "{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{";
  for (const std::string& body : {
           "echo " + secret,
           "echo '" + secret + "' >&1; exit 1",
           std::string("echo \"login with $PASSWORD failed\" >&2; exit 1"),
           "echo '" + head + "\"token\":\"" + secret + "\\n\"}}'",
           "echo '" + head + "\"token\":\"" + secret + "\",\"expirationTimestamp\":\"soon\"}}'",
           "echo '" + head + "\"clientKeyData\":\"" + secret + "\"}}'",
           "echo '" + head + "\"token\":\"" + secret + "\"'",
           "echo '{\"kind\":\"" + secret + "\"}'",
           "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" + secret + "\"}'",
           "while :; do echo " + secret + "; done",
       }) {
    ExecPlugin plugin;
    plugin.command = directory.write_script("plugin", body + "\n");
    plugin.args = {secret};
    plugin.env.emplace_back("PASSWORD", Secret(secret));
    plugin.inherited_env = {"PATH=/usr/bin:/bin", "OTHER=" + secret};
    plugin.api_version = "client.authentication.k8s.io/v1";
    errors.push_back(error_of(plugin));
  }
  EXPECT_EQ(errors.size(), 12u);
  EXPECT_THAT(errors, testing::Each(testing::Not(testing::HasSubstr(kSecret))));
  EXPECT_THAT(errors, testing::Each(testing::Ne("no error")));
  EXPECT_THAT(errors, testing::Contains(testing::EndsWith("exit code 1: login with [secret] failed")));
  EXPECT_THAT(log.lines(), testing::Each(testing::Not(testing::HasSubstr(kSecret))));
}

// A value that is part of its own replacement.
TEST(Secrecy, ASecretThatIsPartOfItsPlaceholderIsReplacedOnce) {
  const TempDirectory directory;
  const ManualClock clock;
  net::EventLoop loop;
  ExecPlugin plugin;
  plugin.command = directory.write_script("plugin", "echo \"no $WORD here\" >&2; exit 1\n");
  plugin.env.emplace_back("WORD", Secret("secret"));
  plugin.inherited_env = {"PATH=/usr/bin:/bin"};
  plugin.api_version = "client.authentication.k8s.io/v1";
  CredentialSpec spec;
  spec.method = std::move(plugin);
  const auto source = make_credentials(std::move(spec), clock, loop.executor(), ExecLimits{60s, 2000});
  const auto credential = loop.await_result(source->current());
  ASSERT_FALSE(credential);
  EXPECT_THAT(credential.error().message, testing::EndsWith("no [secret] here"));
}

}  // namespace
}  // namespace rescheduler::kube
