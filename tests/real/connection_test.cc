// Errors of a misconfigured connection: one clear sentence each, no hang, no crash.
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core.pb.h"
#include "support/live_api.h"
#include "support/rig.h"
#include "support/skip.h"
#include "support/tcp_proxy.h"
#include "support/test_certificates.h"

namespace rescheduler::test {
namespace {

using testing::HasSubstr;

class RealConnection : public testing::Test {
 protected:
  void SetUp() override {
    auto rig = Rig::shared();
    if (!rig) RESCHEDULER_SKIP("real") << rig.error().message;
    rig_.emplace(std::move(*rig));
    config_ = config_of(rig_->kubeconfig());
  }
  // The error of a call with this configuration. The deadline is short enough to detect a hang.
  static Error refused(const kube::ClientConfig& config, std::chrono::seconds timeout = std::chrono::seconds{10}) {
    LiveApi live(config);
    kube::ApiCall call;
    call.verb = kube::Verb::Get;
    call.resource = &kube::resource_of<api::Namespace>();
    call.name = "default";
    call.timeout = timeout;
    call.repeat = kube::Repeat::Never;
    auto answer = live.await(live.api().call(call, nullptr));
    EXPECT_FALSE(answer) << "this connection must not work";
    return answer ? Error{} : answer.error();
  }

  std::optional<Rig> rig_;
  kube::ClientConfig config_;
};

TEST_F(RealConnection, AServerCertificateOfAnotherAuthorityIsNotTrusted) {
  config_.tls.ca_pem = TestAuthority("another authority").pem();
  const Error error = refused(config_);
  EXPECT_EQ(error.code, Errc::Unauthenticated) << error.message;
  EXPECT_THAT(error.message, HasSubstr("get namespaces default: https://127.0.0.1:"));
  EXPECT_THAT(error.message, HasSubstr("authority"));
}

TEST_F(RealConnection, AnExpiredClientCertificateIsNamedAsThePossibleCause) {
  const std::string out = testing::TempDir() + "/expired-client";
  ASSERT_TRUE(rig_->command("mint", {"--user", "late", "--group", "system:masters", "--expired", "--out", out}));
  const Error error = refused(config_of(out + "/kubeconfig"));
  EXPECT_EQ(error.code, Errc::Unauthenticated) << error.message;
  EXPECT_THAT(error.message, HasSubstr("expired"));
}

TEST_F(RealConnection, AnInvalidTokenIsRejectedAndNotShownInTheError) {
  config_.tls.certificate_pem.clear();
  config_.tls.key_pem.clear();
  config_.credentials = {};
  config_.credentials.method = kube::BearerToken{kube::Secret("sesame-open-up")};
  const Error error = refused(config_);
  EXPECT_EQ(error.code, Errc::Unauthenticated) << error.message;
  EXPECT_THAT(error.message, HasSubstr("does not accept the credentials"));
  EXPECT_THAT(error.message, testing::Not(HasSubstr("sesame")));
}

TEST_F(RealConnection, ARefusedConnectionIsReportedAsRefused) {
  {
    const TcpProxy gone(1);
    config_.origin.port = gone.port();
  }
  const Error error = refused(config_);
  EXPECT_EQ(error.code, Errc::Unavailable) << error.message;
  EXPECT_THAT(error.message, HasSubstr("refused"));
}

TEST_F(RealConnection, AHalfOpenConnectionEndsAtTheDeadline) {
  TcpProxy proxy(config_.origin.port);
  proxy.set(TcpProxy::Wire::Frozen);
  config_.origin.port = proxy.port();
  const Error error = refused(config_, std::chrono::seconds{1});
  EXPECT_EQ(error.code, Errc::Timeout) << error.message;
}

TEST_F(RealConnection, AServerThatDoesNotSpeakHttpGivesAnErrorBeforeTheTimeout) {
  for (const char* garbage : {"SSH-2.0-OpenSSH_9.2p1\r\n", "\x15\x03\x01", "HTTP/1.1 200 OK\r\n\r\nhello", ""}) {
    const ByteServer server(garbage);
    for (const bool tls : {true, false}) {
      config_.origin.port = server.port();
      config_.origin.tls = tls;
      const Error error = refused(config_);
      EXPECT_FALSE(error.message.empty());
      EXPECT_NE(error.code, Errc::Timeout) << error.message;
      EXPECT_THAT(error.message, HasSubstr("get namespaces default: "));
    }
  }
}

}  // namespace
}  // namespace rescheduler::test
