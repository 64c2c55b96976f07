#include "server/serving_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/config/temp_directory.h"

namespace rescheduler::server {
namespace {

using ::testing::HasSubstr;

TEST(ServingCertificateTest, WithoutFilesACertificateIsGeneratedAndDoesNotChange) {
  auto made = ServingCertificate::load({});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->tls().certificate_pem, HasSubstr("BEGIN CERTIFICATE"));
  EXPECT_THAT(made->tls().key_pem, HasSubstr("PRIVATE KEY"));
  EXPECT_FALSE(made->changed().value());
}

TEST(ServingCertificateTest, ChangedFilesAreReturnedUntilTheyAreAdopted) {
  const kube::TempDirectory files;
  const ServingFiles paths{files.write("crt", "one"), files.write("key", "k"), files.write("ca", "c")};
  auto certificate = ServingCertificate::load(paths);
  ASSERT_TRUE(certificate) << certificate.error().message;
  EXPECT_FALSE(certificate->changed().value());
  files.write("crt", "two");
  for (int look = 0; look < 2; ++look) EXPECT_EQ(certificate->changed().value()->certificate_pem, "two");
  EXPECT_EQ(certificate->tls().certificate_pem, "one");
  certificate->adopt(*certificate->changed().value());
  EXPECT_FALSE(certificate->changed().value());
  files.write("ca", "d");
  EXPECT_EQ(certificate->changed().value()->client_ca_pem, "d");
}

TEST(ServingCertificateTest, AClientCaFileCanChangeNextToAGeneratedCertificate) {
  const kube::TempDirectory files;
  auto certificate = ServingCertificate::load({"", "", files.write("ca", "c")});
  ASSERT_TRUE(certificate) << certificate.error().message;
  EXPECT_FALSE(certificate->changed().value());
  files.write("ca", "d");
  const auto changed = certificate->changed();
  ASSERT_TRUE(changed && *changed);
  EXPECT_EQ((*changed)->certificate_pem, certificate->tls().certificate_pem);
}

TEST(ServingCertificateTest, ErrorsNameTheMissingHalfOfAPairAndTheMissingFile) {
  const kube::TempDirectory files;
  auto half = ServingCertificate::load({files.write("crt", "one"), "", ""});
  ASSERT_FALSE(half);
  EXPECT_THAT(half.error().message, HasSubstr("--tls-private-key-file"));
  auto missing = ServingCertificate::load({files.at("crt"), files.at("gone"), ""});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("gone"));
}

}  // namespace
}  // namespace rescheduler::server
