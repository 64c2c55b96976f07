#include "net/tls/certificates.h"

#include <gmock/gmock.h>

#include "net/http/server_fixture.h"

namespace rescheduler::net {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class CertificatesTest : public ServerFixture {
 protected:
  static CertificateAuthority authority() {
    auto made = CertificateAuthority::make("on the spot", 1h);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
  static Task<void> respond_with_identity(const HttpRequest&, const PeerIdentity& peer, Responder& responder) {
    return respond(responder, 200, peer.common_name + "/" + (peer.organizations.empty() ? "" : peer.organizations[0]));
  }
  void serve_as(const CertificateAuthority& by, std::vector<std::string> names) {
    auto identity = by.issue({.common_name = "server", .names = std::move(names)});
    ASSERT_TRUE(identity) << identity.error().message;
    HttpServerSettings settings;
    settings.tls = TlsServerSettings{identity->certificate_pem, identity->key_pem, by.pem()};
    serve(std::move(settings), respond_with_identity);
  }
  HttpClientSettings trusting(const CertificateAuthority& trusted) {
    HttpClientSettings settings = plain(server_->port());
    settings.origin.tls = true;
    settings.tls.ca_pem = trusted.pem();
    return settings;
  }
};

TEST_F(CertificatesTest, AClientOfTheSameAuthorityTrustsTheServerAndIsIdentifiedByItsCertificate) {
  const CertificateAuthority ca = authority();
  serve_as(ca, {"localhost", "127.0.0.1"});
  HttpClientSettings settings = trusting(ca);
  const auto client = ca.issue({.common_name = "admin", .organizations = {"system:masters"}});
  settings.tls.certificate_pem = client->certificate_pem;
  settings.tls.key_pem = client->key_pem;
  connect(settings);
  const auto response = get();
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "admin/system:masters");
}

TEST_F(CertificatesTest, AServerOfAnotherAuthorityWithTheSameNameIsNotTrusted) {
  serve_as(authority(), {"127.0.0.1"});
  connect(trusting(authority()));
  EXPECT_FALSE(get());
}

TEST_F(CertificatesTest, ACertificateIsValidOnlyForItsNames) {
  const CertificateAuthority ca = authority();
  serve_as(ca, {"elsewhere.example"});
  connect(trusting(ca));
  EXPECT_FALSE(get());
}

TEST_F(CertificatesTest, CertificatesInABundleAreListedWithSubjectAndExpiry) {
  const auto now = std::chrono::system_clock::now();
  const auto both = certificates_in(authority().pem() + CertificateAuthority::make("another", 48h)->pem());
  ASSERT_TRUE(both) << both.error().message;
  ASSERT_EQ(both->size(), 2U);
  EXPECT_EQ(both->at(0).subject, "on the spot");
  EXPECT_EQ(both->at(1).subject, "another");
  EXPECT_LT(both->at(0).not_after, now + 2h);
  EXPECT_GT(both->at(1).not_after, now + 47h);
}

TEST_F(CertificatesTest, AnInvalidBundleIsRefused) {
  EXPECT_FALSE(certificates_in(""));
  EXPECT_FALSE(certificates_in("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
}

}  // namespace
}  // namespace rescheduler::net
