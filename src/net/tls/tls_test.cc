// Trust: server and client certificates that are valid, expired, from another CA, or for another name.
#include <gmock/gmock.h>

#include "net/http/raw_client.h"
#include "net/http/server_fixture.h"
#include "support/test_certificates.h"

namespace rescheduler::net {
namespace {

using namespace std::chrono_literals;
using test::CertificateOptions;
using test::TestAuthority;
using test::TestIdentity;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

CertificateOptions certificate_options(std::string common_name) {
  CertificateOptions made;
  made.common_name = std::move(common_name);
  return made;
}

class TlsTest : public ServerFixture {
 protected:
  static Task<void> respond_with_identity(const HttpRequest&, const PeerIdentity& peer, Responder& responder) {
    std::string text = peer.tls ? "tls:" : "plain";
    if (peer.verified) text = "verified:" + peer.common_name;
    for (const std::string& organization : peer.organizations) text += "/" + organization;
    return respond(responder, 200, text);
  }

  static TlsServerSettings server_tls(const TestIdentity& identity, std::string client_ca = {}) {
    return TlsServerSettings{identity.certificate_pem, identity.key_pem, std::move(client_ca)};
  }

  void serve_with(const TestIdentity& identity, std::string client_ca = {}, bool allow_plain = false) {
    HttpServerSettings settings;
    settings.tls = server_tls(identity, std::move(client_ca));
    settings.allow_plain = allow_plain;
    serve(std::move(settings), respond_with_identity);
  }

  HttpClientSettings secure() {
    HttpClientSettings settings = plain(server_->port());
    settings.origin.tls = true;
    settings.tls.ca_pem = ca_.pem();
    return settings;
  }
  HttpClientSettings secure_as(const TestIdentity& identity) {
    HttpClientSettings settings = secure();
    settings.tls.certificate_pem = identity.certificate_pem;
    settings.tls.key_pem = identity.key_pem;
    return settings;
  }
  Result<HttpResponse> get_with(HttpClientSettings settings) {
    connect(std::move(settings));
    auto result = get();
    client_.reset();
    return result;
  }
  static std::string body_of(const Result<HttpResponse>& result) {
    return result ? result->body : result.error().message;
  }

  Result<void> on_loop(std::function<Result<void>()> what) { return loop_.await_result<void>(run(std::move(what))); }
  static Task<Result<void>> run(std::function<Result<void>()> what) { co_return what(); }

  TestAuthority ca_{"test ca"};
  TestAuthority other_ca_{"other ca"};
};

TEST_F(TlsTest, RepeatedCallsToATrustedServerSucceed) {
  serve_with(ca_.issue({}));
  connect(secure());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(body_of(get()), "tls:");
}

TEST_F(TlsTest, AServerOfAnUnknownAuthorityIsRefused) {
  serve_with(other_ca_.issue({}));
  auto result = get_with(secure());
  EXPECT_EQ(code_of(result), Errc::Unauthenticated);
  EXPECT_THAT(outcome_of(result), AllOf(StartsWith("https://127.0.0.1:"), HasSubstr("signed by an unknown authority"),
                                        HasSubstr("other ca")));
}

TEST_F(TlsTest, ASelfSignedServerIsRefused) {
  serve_with(test::self_signed({}));
  auto result = get_with(secure());
  EXPECT_EQ(code_of(result), Errc::Unauthenticated);
  EXPECT_THAT(outcome_of(result), HasSubstr("the server's certificate is self-signed"));
}

TEST_F(TlsTest, ASelfSignedServerIsAcceptedWhenVerificationIsSkipped) {
  serve_with(test::self_signed({}));
  HttpClientSettings settings = secure();
  settings.tls.insecure_skip_verify = true;
  EXPECT_EQ(body_of(get_with(settings)), "tls:");
}

TEST_F(TlsTest, APinnedServerCertificateIsTrustedWithoutItsAuthority) {
  const TestIdentity identity = ca_.issue({});
  serve_with(identity);
  HttpClientSettings settings = secure();
  settings.tls.ca_pem = identity.certificate_pem;
  EXPECT_EQ(body_of(get_with(settings)), "tls:");
}

TEST_F(TlsTest, AnExpiredServerCertificateIsRefusedWithItsDate) {
  CertificateOptions late = certificate_options("late");
  late.not_after = -1h;
  serve_with(ca_.issue(late));
  auto result = get_with(secure());
  EXPECT_EQ(code_of(result), Errc::Unauthenticated);
  EXPECT_THAT(outcome_of(result), ::testing::ContainsRegex("certificate expired on [0-9-]+ [0-9:]+ UTC"));
}

TEST_F(TlsTest, ACertificateThatIsNotYetValidIsRefusedWithItsDate) {
  CertificateOptions early = certificate_options("early");
  early.not_before = 1h;
  serve_with(ca_.issue(early));
  auto result = get_with(secure());
  EXPECT_EQ(code_of(result), Errc::Unauthenticated);
  EXPECT_THAT(outcome_of(result), ::testing::ContainsRegex("is not valid before [0-9-]+ [0-9:]+ UTC"));
}

TEST_F(TlsTest, ACertificateForAnotherNameIsRefusedWithBothNames) {
  CertificateOptions named = certificate_options("api");
  named.names = {"api.example.com", "10.1.2.3"};
  serve_with(ca_.issue(named));
  auto by_address = get_with(secure());
  EXPECT_EQ(code_of(by_address), Errc::Unauthenticated);
  EXPECT_THAT(outcome_of(by_address), HasSubstr("is for api.example.com, 10.1.2.3 and not for 127.0.0.1"));

  HttpClientSettings settings = secure();
  settings.origin.host = "localhost";
  EXPECT_THAT(outcome_of(get_with(settings)), HasSubstr("is for api.example.com, 10.1.2.3 and not for localhost"));

  settings.tls.server_name = "api.example.com";
  EXPECT_EQ(body_of(get_with(settings)), "tls:");
}

TEST_F(TlsTest, AClientCertificateIdentifiesTheClient) {
  serve_with(ca_.issue({}), ca_.pem());
  CertificateOptions admin = certificate_options("alice");
  admin.organizations = {"system:masters", "ops"};
  EXPECT_EQ(body_of(get_with(secure_as(ca_.issue(admin)))), "verified:alice/system:masters/ops");
  EXPECT_EQ(body_of(get_with(secure())), "tls:") << "a client certificate is requested but not required";
}

TEST_F(TlsTest, TheRefusalOfAnExpiredClientCertificateIsReported) {
  serve_with(ca_.issue({}), ca_.pem());
  CertificateOptions late = certificate_options("late");
  late.not_after = -1h;
  auto result = get_with(secure_as(ca_.issue(late)));
  EXPECT_EQ(code_of(result), Errc::Unauthenticated);
  EXPECT_THAT(outcome_of(result), HasSubstr("the server refused the client certificate: certificate expired"));
}

TEST_F(TlsTest, TheRefusalOfAClientCertificateOfAnUnknownAuthorityIsReported) {
  serve_with(ca_.issue({}), ca_.pem());
  auto result = get_with(secure_as(other_ca_.issue(certificate_options("mallory"))));
  EXPECT_EQ(code_of(result), Errc::Unauthenticated);
  EXPECT_THAT(outcome_of(result), HasSubstr("the server refused the client certificate"));
}

TEST_F(TlsTest, AfterNewTlsSettingsTheClientDoesNotReuseOldConnections) {
  serve_with(ca_.issue({}), ca_.pem());
  HttpClientSettings settings = secure_as(ca_.issue(certificate_options("old")));
  connect(settings);
  EXPECT_EQ(body_of(get()), "verified:old");
  const TestIdentity renewed = ca_.issue(certificate_options("new"));
  settings.tls.certificate_pem = renewed.certificate_pem;
  settings.tls.key_pem = renewed.key_pem;
  ASSERT_TRUE(on_loop([&] { return client_->set_tls(settings.tls); }));
  EXPECT_EQ(body_of(get()), "verified:new");
}

TEST_F(TlsTest, InvalidNewTlsSettingsAreRefusedAndTheOldSettingsStay) {
  serve_with(ca_.issue({}), ca_.pem());
  HttpClientSettings settings = secure_as(ca_.issue(certificate_options("old")));
  connect(settings);
  settings.tls.key_pem = ca_.issue({}).key_pem;
  auto refused = on_loop([&] { return client_->set_tls(settings.tls); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Invalid);
  EXPECT_THAT(refused.error().message, HasSubstr("the client key does not belong to the client certificate"));
  EXPECT_EQ(body_of(get()), "verified:old");
}

TEST_F(TlsTest, NewConnectionsGetTheRenewedServerCertificate) {
  serve_with(other_ca_.issue({}));
  EXPECT_EQ(code_of(get_with(secure())), Errc::Unauthenticated);
  ASSERT_TRUE(on_loop([&] { return server_->set_tls(server_tls(ca_.issue({}))); }));
  EXPECT_EQ(body_of(get_with(secure())), "tls:");
  EXPECT_FALSE(on_loop([&] { return server_->set_tls(TlsServerSettings{}); }));
  EXPECT_EQ(body_of(get_with(secure())), "tls:");
}

TEST_F(TlsTest, ErrorsNameTheUnusableKeyMaterial) {
  const auto refusal = [this](TlsClientSettings tls) {
    HttpClientSettings settings;
    settings.origin = Origin{true, "127.0.0.1", 1};
    settings.tls = std::move(tls);
    auto made = make_http_client(loop_.executor(), settings);
    return made ? "accepted" : made.error().message;
  };
  const TestIdentity good = ca_.issue({});
  EXPECT_THAT(refusal({.ca_pem = "rubbish"}), HasSubstr("the certificate authority contains no PEM certificate"));
  EXPECT_THAT(refusal({.ca_pem = good.key_pem}), HasSubstr("the certificate authority contains no PEM certificate"));
  EXPECT_THAT(refusal({.ca_pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}),
              HasSubstr("the certificate authority cannot be read"));
  EXPECT_THAT(refusal({.certificate_pem = good.certificate_pem}), HasSubstr("must be given together"));
  EXPECT_THAT(refusal({.certificate_pem = good.certificate_pem, .key_pem = "rubbish"}), HasSubstr("the client key"));
  EXPECT_THAT(refusal({.certificate_pem = "rubbish", .key_pem = good.key_pem}), HasSubstr("the client certificate"));
  EXPECT_EQ(refusal({.ca_pem = ca_.pem() + other_ca_.pem()}), "accepted");
}

TEST_F(TlsTest, APlainHttpClientIsToldThatThePortSpeaksTls) {
  serve_with(ca_.issue({}));
  EXPECT_THAT(outcome_of(get_with(plain(server_->port()))), HasSubstr("speaks TLS on this port, not plain HTTP"));
}

TEST_F(TlsTest, ATlsClientIsToldThatThePortSpeaksPlainHttp) {
  serve(respond_with_identity);
  EXPECT_THAT(outcome_of(get_with(secure())), HasSubstr("speaks plain HTTP on this port, not TLS"));
}

TEST_F(TlsTest, OnePortServesTlsAndPlainHttpWhenAllowed) {
  serve_with(ca_.issue({}), {}, true);
  EXPECT_EQ(body_of(get_with(secure())), "tls:");
  EXPECT_EQ(body_of(get_with(plain(server_->port()))), "plain");
}

TEST_F(TlsTest, ClientsThatStopInTheHandshakeDoNotDelayOtherClients) {
  serve_with(ca_.issue({}), {}, true);
  const RawClient silent(server_->port());
  RawClient halfway(server_->port());
  halfway.write(std::string_view("\x16\x03\x01", 3));
  EXPECT_EQ(body_of(get_with(secure())), "tls:");
  EXPECT_EQ(body_of(get_with(plain(server_->port()))), "plain");
}

TEST_F(TlsTest, LargeBodiesAreSentAndReceivedUnchanged) {
  HttpServerSettings settings;
  settings.tls = server_tls(ca_.issue({}));
  settings.most_body_bytes = 32 << 20;
  serve(settings, [](const HttpRequest& request, const PeerIdentity&, Responder& responder) {
    return respond(responder, 200, request.body);
  });
  connect(secure());
  std::string body(20 << 20, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 2654435761u >> 24);
  auto response = send(request("PUT", "/", body));
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_TRUE(response->body == body);
}

TEST_F(TlsTest, AServerThatClosesDuringTheHandshakeIsReported) {
  ScriptedPeer rude([](PeerSocket& socket) { (void)socket.read_some(); });
  HttpClientSettings settings = plain(rude.port());
  settings.origin.tls = true;
  auto result = get_with(settings);
  EXPECT_EQ(code_of(result), Errc::Unavailable);
  EXPECT_THAT(outcome_of(result), HasSubstr("closed in the middle of TLS"));
}

Task<void> stream_half(const HttpRequest&, const PeerIdentity&, Responder& responder) {
  HttpResponse head;
  head.status = 200;
  (void)co_await responder.start(head);
  (void)co_await responder.write("half of it");
}

TEST_F(TlsTest, AResponseThatTheHandlerDidNotFinishIsReportedAsCutShort) {
  HttpServerSettings settings;
  settings.tls = server_tls(ca_.issue({}));
  serve(settings, stream_half);
  auto result = get_with(secure());
  EXPECT_EQ(code_of(result), Errc::Unavailable);
  EXPECT_THAT(outcome_of(result), HasSubstr("cut short after 10 bytes"));
}

}  // namespace
}  // namespace rescheduler::net
