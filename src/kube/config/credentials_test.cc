#include "kube/config/credentials.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/config/log_capture.h"
#include "kube/config/temp_directory.h"
#include "net/event_loop.h"

namespace rescheduler::kube {
namespace {

using namespace std::chrono_literals;

std::string cert(const std::string& name) {
  return "-----BEGIN CERTIFICATE-----\n" + name + "\n-----END CERTIFICATE-----\n";
}
std::string key(const std::string& name) {
  return "-----BEGIN PRIVATE KEY-----\n" + name + "\n-----END PRIVATE KEY-----\n";
}

class CredentialsTest : public testing::Test {
 protected:
  std::unique_ptr<CredentialSource> make(CredentialMethod method) {
    CredentialSpec spec;
    spec.method = std::move(method);
    return make_credentials(std::move(spec), clock_, loop_.executor());
  }
  Result<Credential> current(CredentialSource& source) { return loop_.await_result(source.current()); }
  std::string header(CredentialSource& source) {
    const auto credential = current(source);
    return credential ? credential->authorization : "error: " + credential.error().message;
  }

  TempDirectory directory_;
  ManualClock clock_;
  net::EventLoop loop_;
};

TEST_F(CredentialsTest, FixedCredentialsAreSentUnchanged) {
  EXPECT_EQ(header(*make(Anonymous{})), "");
  EXPECT_EQ(header(*make(BearerToken{Secret("abc")})), "Bearer abc");
  EXPECT_EQ(header(*make(BasicAuth{"jo", Secret("pw")})), "Basic am86cHc=");
}

TEST_F(CredentialsTest, ATokenFileIsReadOnceAMinuteAndAtOnceAfterARejection) {
  const auto source = make(TokenFile{directory_.write("token", " one\n")});
  EXPECT_EQ(header(*source), "Bearer one");
  directory_.write("token", "two");
  clock_.advance(59s);
  EXPECT_EQ(header(*source), "Bearer one");
  clock_.advance(1s);
  EXPECT_EQ(header(*source), "Bearer two");
  directory_.write("token", "three");
  EXPECT_EQ(header(*source), "Bearer two");
  source->rejected();
  EXPECT_EQ(header(*source), "Bearer three");
}

TEST_F(CredentialsTest, AnUnreadableTokenFileKeepsTheOldTokenWithOneWarning) {
  const LogCapture log;
  const auto source = make(TokenFile{directory_.write("token", "one")});
  EXPECT_EQ(header(*source), "Bearer one");
  std::filesystem::remove(directory_.at("token"));
  for (int i = 0; i < 5; ++i) {
    clock_.advance(60s);
    EXPECT_EQ(header(*source), "Bearer one");
  }
  EXPECT_THAT(log.lines(), testing::ElementsAre("token file: cannot open " + directory_.at("token")
                                                + ": No such file or directory; the previous content stays in use"));
  directory_.write("token", "two");
  clock_.advance(9s);
  EXPECT_EQ(header(*source), "Bearer one") << "a failing file is not opened for every request";
  clock_.advance(1s);
  EXPECT_EQ(header(*source), "Bearer two");
  EXPECT_EQ(log.lines().back(), "token file " + directory_.at("token") + " can be read again");
}

TEST_F(CredentialsTest, ATokenFileThatWasNeverReadableIsAnErrorUnlessThereIsAFallback) {
  EXPECT_EQ(header(*make(TokenFile{directory_.at("none")})),
            "error: token file: cannot open " + directory_.at("none") + ": No such file or directory");
  EXPECT_EQ(header(*make(TokenFile{directory_.write("empty", " \n")})),
            "error: token file: " + directory_.at("empty") + " is empty");
  EXPECT_EQ(
      header(*make(TokenFile{directory_.write("two", "a\nb")})),
      "error: token file: " + directory_.at("two") + " contains a line break or control character within the token");
  const auto source = make(TokenFile{directory_.at("none"), Secret("inline")});
  EXPECT_EQ(header(*source), "Bearer inline");
  directory_.write("none", "file");
  EXPECT_EQ(header(*source), "Bearer file");
}

TEST_F(CredentialsTest, CertificateFilesAreReadAgainAndAChangeGivesANewPointer) {
  CredentialSpec spec;
  spec.certificate = CertificateSource{{cert("a"), Secret(key("a"))},
                                       {directory_.write("c.pem", cert("a")), directory_.write("k.pem", key("a"))}};
  const auto source = make_credentials(spec, clock_, loop_.executor());
  const auto first = current(*source)->client_certificate;
  ASSERT_TRUE(first);
  clock_.advance(61s);
  EXPECT_EQ(current(*source)->client_certificate, first) << "same content, same pointer";

  directory_.write("c.pem", cert("b"));
  directory_.write("k.pem", "-----BEGIN PRIVATE KEY-----\nhalf");
  clock_.advance(61s);
  const LogCapture log;
  EXPECT_EQ(current(*source)->client_certificate, first) << "the renewal of the files is not complete";
  EXPECT_EQ(log.lines().size(), 1u);
  directory_.write("k.pem", key("b"));
  source->rejected();
  const auto second = current(*source)->client_certificate;
  ASSERT_TRUE(second);
  EXPECT_EQ(second->certificate_pem, cert("b"));
  EXPECT_EQ(second->key_pem.reveal(), key("b"));
}

TEST_F(CredentialsTest, InlineCertificatesStayAfterARejection) {
  CredentialSpec spec;
  spec.certificate = CertificateSource{{cert("a"), Secret(key("a"))}};
  const auto source = make_credentials(spec, clock_, loop_.executor());
  source->rejected();
  EXPECT_EQ(current(*source)->client_certificate->certificate_pem, cert("a"));
}

TEST_F(CredentialsTest, CredentialsCarryTheImpersonationHeaders) {
  CredentialSpec spec;
  spec.method = BearerToken{Secret("abc")};
  spec.impersonation.user = "jane";
  const auto source = make_credentials(spec, clock_, loop_.executor());
  EXPECT_EQ(current(*source)->impersonation.get("Impersonate-User"), "jane");
}

TEST_F(CredentialsTest, AnExecPluginCanReturnACertificate) {
  ExecPlugin plugin;
  plugin.command = directory_.write_script(
      "plugin",
      "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":"
      "{\"clientCertificateData\":\"CERT\",\"clientKeyData\":\"KEY\"}}'\n");
  plugin.api_version = "client.authentication.k8s.io/v1";
  plugin.inherited_env = {"PATH=/usr/bin:/bin"};
  const auto source = make(plugin);
  const auto credential = current(*source);
  ASSERT_TRUE(credential) << credential.error().message;
  EXPECT_EQ(credential->authorization, "");
  ASSERT_TRUE(credential->client_certificate);
  EXPECT_EQ(credential->client_certificate->certificate_pem, "CERT");
  EXPECT_EQ(current(*source)->client_certificate, credential->client_certificate);
}

}  // namespace
}  // namespace rescheduler::kube
