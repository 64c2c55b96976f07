// Small formats used in configuration: base64, header values, environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/config/environment.h"
#include "kube/config/http_text.h"
#include "kube/value/base64.h"
#include "kube/value/name.h"

namespace rescheduler::kube {
namespace {

TEST(Base64, EncodesAndDecodesTheExamplesOfTheRfc) {
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : examples) {
    EXPECT_EQ(base64_encode(plain), encoded);
    EXPECT_EQ(base64_decode(encoded), plain);
  }
}

RC_GTEST_PROP(Base64, DecodingReversesEncoding, (const std::string& bytes)) {
  RC_ASSERT(base64_decode(base64_encode(bytes)) == bytes);
}

TEST(Base64, IgnoresLineBreaksAndRefusesInvalidText) {
  EXPECT_EQ(base64_decode("Zm9v\n  YmFy\r\n"), "foobar");
  for (const char* bad : {"Z", "Zg", "Zg=", "Zg===", "Zm9v=", "Zm9v====", "Zg==Zg==", "Zm9_", "Zm9v!", "====", "="}) {
    EXPECT_FALSE(base64_decode(bad)) << bad;
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

TEST(HttpText, ControlCharactersAreNotHeaderSafeAndBasicAuthIsEncoded) {
  EXPECT_TRUE(is_header_safe("abc.DEF-1 \t\xC3\xBC"));
  for (const char* bad : {"a\nb", "a\rb", "a\x01", "\x7F"}) EXPECT_FALSE(is_header_safe(bad));
  EXPECT_FALSE(is_header_safe(std::string_view("a\0b", 3)));
  EXPECT_EQ(basic_header(BasicAuth{"Aladdin", Secret("open sesame")}), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST(Environment, AnEmptyVariableCountsAsAbsent) {
  const Environment environment({"A=1", "AB=2", "EMPTY=", "EQ=a=b"});
  EXPECT_EQ(environment.find("A"), "1");
  EXPECT_EQ(environment.find("AB"), "2");
  EXPECT_EQ(environment.find("EQ"), "a=b");
  EXPECT_EQ(environment.find("EMPTY"), std::nullopt);
  EXPECT_EQ(environment.find("B"), std::nullopt);
}

}  // namespace
}  // namespace rescheduler::kube
