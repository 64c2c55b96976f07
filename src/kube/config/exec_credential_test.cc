#include "kube/config/exec_credential.h"

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

ExecPlugin v1_plugin() {
  ExecPlugin plugin;
  plugin.command = "plugin";
  plugin.api_version = "client.authentication.k8s.io/v1";
  return plugin;
}

std::string answer(const std::string& status) {
  return R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)" + status + "}";
}

std::string problem_with(const std::string& text) {
  const auto parsed = parse_exec_answer(text, v1_plugin());
  return parsed ? "accepted" : parsed.error().message;
}

TEST(ExecCredential, TellsThePluginThatTheCallIsNotInteractive) {
  EXPECT_EQ(exec_info_json(v1_plugin()),
            R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":false}})");
  ExecPlugin plugin = v1_plugin();
  plugin.cluster_json = exec_cluster_json(ExecClusterInfo{"https://h", "", true, "", R"({"a":1})"});
  EXPECT_EQ(exec_info_json(plugin),
            R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":false,)"
            R"("cluster":{"server":"https://h","insecure-skip-tls-verify":true,"config":{"a":1}}}})");
}

TEST(ExecCredential, ReadsTokenCertificateAndExpiry) {
  const auto parsed = parse_exec_answer(
      answer(
          R"({"token":"t","clientCertificateData":"C","clientKeyData":"K","expirationTimestamp":"2024-01-01T00:00:00Z"})"),
      v1_plugin());
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->token.reveal(), "t");
  ASSERT_TRUE(parsed->certificate);
  EXPECT_EQ(parsed->certificate->certificate_pem, "C");
  EXPECT_EQ(parsed->certificate->key_pem.reveal(), "K");
  EXPECT_EQ(parsed->expires, WallTime{std::chrono::seconds{1'704'067'200}});
}

TEST(ExecCredential, AFarExpiryIsReadAsNeverAndNullAsNoExpiry) {
  EXPECT_EQ(
      parse_exec_answer(answer(R"({"token":"t","expirationTimestamp":"9999-12-31T23:59:59Z"})"), v1_plugin())->expires,
      WallTime::max());
  EXPECT_EQ(parse_exec_answer(answer(R"({"token":"t","expirationTimestamp":null})"), v1_plugin())->expires,
            std::nullopt);
}

TEST(ExecCredential, SaysWhatIsWrongWithTheOutputOfThePlugin) {
  EXPECT_EQ(problem_with(""), "its output is not a JSON object");
  EXPECT_EQ(problem_with("[]"), "its output is not a JSON object");
  EXPECT_EQ(problem_with("token"), "its output is not a JSON object");
  EXPECT_EQ(problem_with(R"({"kind":"Status"})"), "its output is not an ExecCredential");
  EXPECT_EQ(problem_with(R"({"kind":5})"), "its output is not an ExecCredential");
  EXPECT_EQ(problem_with(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})"),
            "its output has another apiVersion than the client.authentication.k8s.io/v1 of the kubeconfig; change the "
            "apiVersion there, or update the plugin");
  EXPECT_EQ(problem_with(answer("null")), "its output has no status");
  EXPECT_EQ(problem_with(answer("{}")), "status has neither a token nor a client certificate");
  EXPECT_EQ(problem_with(answer(R"({"token":7})")), "token is not a string");
  EXPECT_EQ(problem_with(answer(R"({"token":"a\nb"})")), "the token contains a line break or control character");
  EXPECT_EQ(problem_with(answer(R"({"clientKeyData":"K"})")),
            "clientCertificateData and clientKeyData must be given together");
  for (const char* bad : {"soon", "9", "99999", "9999-99-99T00:00:00Z"}) {
    EXPECT_EQ(problem_with(answer(fmt::format(R"({{"token":"t","expirationTimestamp":"{}"}})", bad))),
              "expirationTimestamp is not an RFC 3339 time")
        << bad;
  }
}

}  // namespace
}  // namespace rescheduler::kube
