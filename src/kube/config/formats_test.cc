// The small formats that configuration is made of: base64, server URLs, header values, environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/config/base64.h"
#include "kube/config/environment.h"
#include "kube/config/http_text.h"
#include "kube/value/name.h"
#include "kube/config/rfc3339.h"
#include "kube/config/server_url.h"

namespace rescheduler::kube {
namespace {

TEST(Base64, AgreesWithTheRfcsExamples) {
  const std::pair<const char*, const char*> examples[] = {{"", ""},         {"f", "Zg=="},      {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},  {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : examples) {
    EXPECT_EQ(base64_encode(plain), encoded);
    EXPECT_EQ(base64_decode(encoded), plain);
  }
}

RC_GTEST_PROP(Base64, DecodesWhatItEncodes, (const std::string& bytes)) {
  RC_ASSERT(base64_decode(base64_encode(bytes)) == bytes);
}

TEST(Base64, SkipsFoldsAndRefusesTheRest) {
  EXPECT_EQ(base64_decode("Zm9v\n  YmFy\r\n"), "foobar");
  for (const char* bad : {"Z", "Zg", "Zg=", "Zg===", "Zm9v=", "Zm9v====", "Zg==Zg==", "Zm9_", "Zm9v!", "====", "="}) {
    EXPECT_FALSE(base64_decode(bad)) << bad;
  }
}

TEST(ServerUrl, TakesHostsAddressesPortsAndPaths) {
  struct Row {
    const char* text;
    const char* host;
    int port;
    bool tls;
    const char* base_path;
  };
  const Row rows[] = {{"https://10.0.0.1:6443", "10.0.0.1", 6443, true, ""},
                      {"https://api.example.com", "api.example.com", 443, true, ""},
                      {"http://localhost/", "localhost", 80, false, ""},
                      {"http://localhost:8080//", "localhost", 8080, false, ""},
                      {"https://[fd00::1]:6443/k8s/clusters/c-1/", "fd00::1", 6443, true, "/k8s/clusters/c-1"},
                      {"https://[::1]", "::1", 443, true, ""}};
  for (const Row& row : rows) {
    const auto url = parse_server_url(row.text);
    ASSERT_TRUE(url) << row.text << ": " << url.error().message;
    EXPECT_EQ(url->origin.host, row.host);
    EXPECT_EQ(url->origin.port, row.port);
    EXPECT_EQ(url->origin.tls, row.tls);
    EXPECT_EQ(url->base_path, row.base_path);
  }
}

TEST(ServerUrl, SaysWhatIsWrongWithoutQuotingIt) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "must begin with https:// (or http://)"},
      {"10.0.0.1:6443", "must begin with https:// (or http://)"},
      {"ftp://x", "must begin with https:// (or http://)"},
      {"https://", "the host is missing"},
      {"https://:6443", "the host is missing"},
      {"https://u:hunter2@h", "must not contain a user name or password; put them under the user"},
      {"https://h:0", "the port must be a number from 1 to 65535"},
      {"https://h:65536", "the port must be a number from 1 to 65535"},
      {"https://h:", "the port must be a number from 1 to 65535"},
      {"https://h:6443x", "the port must be a number from 1 to 65535"},
      {"https://fd00::1:6443", "an IPv6 address must stand in brackets, as in https://[::1]:6443"},
      {"https://[fd00::1", "the IPv6 address has no closing bracket"},
      {"https://[fd00::1]6443", "only :PORT may follow the IPv6 address"},
      {"https://[host]", "what stands in brackets is not an IPv6 address"},
      {"https://a b", "the host contains a character that no host name has"},
      {"https://h/p?q=1", "must not contain a query (?) or fragment (#)"},
      {"https://h#f", "must not contain a query (?) or fragment (#)"},
      {"https://h/a b", "the path contains a blank or a character that must be %-encoded"}};
  for (const auto& [text, sentence] : rows) {
    const auto url = parse_server_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().message, sentence) << text;
  }
}

TEST(HttpText, EscapesImpersonationKeysAndRepeatsGroups) {
  Impersonation as;
  as.user = "jane";
  as.uid = "u-1";
  as.groups = {"dev", "ops"};
  as.extra = {{"acme.com/Project%", {"one", "two"}}};
  std::string text;
  for (const auto& [name, value] : impersonation_headers(as)) text += name + ": " + value + "\n";
  EXPECT_EQ(text,
            "Impersonate-User: jane\nImpersonate-Uid: u-1\nImpersonate-Group: dev\nImpersonate-Group: ops\n"
            "Impersonate-Extra-acme.com%2FProject%25: one\nImpersonate-Extra-acme.com%2FProject%25: two\n");
  EXPECT_EQ(impersonation_headers(Impersonation{}).size(), 0u);
}

TEST(HttpText, KnowsWhatWouldSmuggleAHeader) {
  EXPECT_TRUE(is_header_safe("abc.DEF-1 \t\xC3\xBC"));
  for (const char* bad : {"a\nb", "a\rb", "a\x01", "\x7F"}) EXPECT_FALSE(is_header_safe(bad));
  EXPECT_FALSE(is_header_safe(std::string_view("a\0b", 3)));
  EXPECT_EQ(basic_header(BasicAuth{"Aladdin", Secret("open sesame")}), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST(Environment, AnEmptyVariableIsAbsent) {
  const Environment environment({"A=1", "AB=2", "EMPTY=", "EQ=a=b"});
  EXPECT_EQ(environment.find("A"), "1");
  EXPECT_EQ(environment.find("AB"), "2");
  EXPECT_EQ(environment.find("EQ"), "a=b");
  EXPECT_EQ(environment.find("EMPTY"), std::nullopt);
  EXPECT_EQ(environment.find("B"), std::nullopt);
}

}  // namespace
}  // namespace rescheduler::kube
