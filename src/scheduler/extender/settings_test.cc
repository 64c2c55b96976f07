#include "scheduler/extender/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/config/temp_directory.h"

namespace rescheduler::scheduler {
namespace {

using ::testing::HasSubstr;

ExtenderSettings at(std::string url) {
  ExtenderSettings settings;
  settings.url_prefix = std::move(url);
  settings.tls.emplace();
  return settings;
}

TEST(ExtenderSettingsTest, SlashesAtTheEndOfThePrefixAreIgnored) {
  for (const char* url : {"http://h:80/base", "http://h:80/base/", "http://h:80/base//"}) {
    const auto endpoint = endpoint_of(at(url));
    ASSERT_TRUE(endpoint) << endpoint.error().message;
    EXPECT_EQ(endpoint->base_path, "/base") << url;
  }
  EXPECT_EQ(endpoint_of(at("http://h/"))->base_path, "");
}

TEST(ExtenderSettingsTest, TheServerCertificateIsNotVerifiedWithEnableHttpsAndWithoutACa) {
  ExtenderSettings settings = at("https://h:1");
  EXPECT_FALSE(endpoint_of(settings)->client.tls.insecure_skip_verify)
      << "without enableHTTPS the root certificates of the system apply";
  settings.enable_https = true;
  EXPECT_TRUE(endpoint_of(settings)->client.tls.insecure_skip_verify);
  settings.tls->ca_data = "PEM";
  EXPECT_FALSE(endpoint_of(settings)->client.tls.insecure_skip_verify);
}

TEST(ExtenderSettingsTest, InlineDataTakesPrecedenceOverFiles) {
  const kube::TempDirectory files;
  ExtenderSettings settings = at("https://h:1");
  settings.tls->cert_file = files.write("cert", "from file");
  settings.tls->key_file = files.at("missing");
  settings.tls->key_data = kube::Secret("given");
  auto endpoint = endpoint_of(settings);
  ASSERT_TRUE(endpoint) << endpoint.error().message;
  EXPECT_EQ(endpoint->client.tls.certificate_pem, "from file");
  EXPECT_EQ(endpoint->client.tls.key_pem, "given");
  settings.tls->key_data = {};
  endpoint = endpoint_of(settings);
  ASSERT_FALSE(endpoint);
  EXPECT_THAT(endpoint.error().message, HasSubstr("extender https://h:1: "));
  EXPECT_THAT(endpoint.error().message, HasSubstr("missing"));
}

TEST(ExtenderSettingsTest, ContradictingTlsSettingsAndInvalidUrlsAreRejected) {
  ExtenderSettings settings = at("https://h:1");
  settings.tls->insecure = true;
  settings.tls->ca_data = "PEM";
  ASSERT_FALSE(endpoint_of(settings));
  EXPECT_EQ(endpoint_of(settings).error().code, Errc::Invalid);
  EXPECT_FALSE(endpoint_of(at("http://h/?a=b")));
  EXPECT_FALSE(endpoint_of(at("h:80")));
}

}  // namespace
}  // namespace rescheduler::scheduler
