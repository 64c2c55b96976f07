#include "net/http/http.h"

#include <gmock/gmock.h>

#include "net/http/http_text.h"
#include "net/http/url.h"

namespace rescheduler::net {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Headers, NamesAreCaseInsensitive) {
  Headers headers;
  headers.set("Content-Type", "a");
  headers.set("content-type", "b");
  EXPECT_EQ(headers.size(), 1u);
  EXPECT_EQ(headers.get("CONTENT-TYPE"), "b");
  EXPECT_EQ(headers.get("accept", "none"), "none");
  EXPECT_FALSE(headers.find("accept"));
}

TEST(Headers, SetReplacesAllAddedValues) {
  Headers headers;
  headers.add("A", "1");
  headers.add("B", "2");
  headers.add("a", "3");
  EXPECT_EQ(headers.size(), 3u);
  EXPECT_EQ(headers.get("a"), "1");
  headers.set("A", "4");
  EXPECT_EQ(headers.size(), 2u);
  EXPECT_EQ(headers.get("a"), "4");
  EXPECT_EQ(headers.get("b"), "2");
}

TEST(PercentCoding, EncodesEverythingExceptUnreservedCharacters) {
  EXPECT_EQ(percent_encode("AZaz09-._~"), "AZaz09-._~");
  EXPECT_EQ(percent_encode("a=b,c in (d)&/?#%"), "a%3Db%2Cc%20in%20%28d%29%26%2F%3F%23%25");
  EXPECT_EQ(percent_encode("\xC3\xA9"), "%C3%A9");
}

TEST(PercentCoding, DecodingReversesEncodingForEveryByte) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(percent_decode(percent_encode(all)), all);
  EXPECT_EQ(percent_decode("%2f%2F+"), "//+");
}

TEST(PercentCoding, RefusesTruncatedAndInvalidEscapes) {
  for (const char* bad : {"%", "%2", "a%", "%zz", "%2g", "%%20"}) EXPECT_FALSE(percent_decode(bad)) << bad;
}

struct GoodUrl {
  std::string text;
  std::string origin;
  std::string base_path;
};

TEST(Url, IsParsedIntoOriginPathAndQuery) {
  for (const GoodUrl& url : std::vector<GoodUrl>{
           {"https://example.com", "https://example.com:443", ""},
           {"http://example.com/", "http://example.com:80", ""},
           {"HTTPS://Example.COM:6443/k8s/cluster-1/", "https://example.com:6443", "/k8s/cluster-1"},
           {"http://10.0.0.1:8080/x", "http://10.0.0.1:8080", "/x"},
           {"https://[::1]", "https://[::1]:443", ""},
           {"https://[FD00::12]:6443/a", "https://[fd00::12]:6443", "/a"},
           {"https://host:", "https://host:443", ""},
       }) {
    auto parsed = parse_url(url.text);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(parsed->origin.text(), url.origin);
    EXPECT_EQ(parsed->base_path, url.base_path);
  }
  EXPECT_EQ(parse_url("https://[::1]:1")->origin.host, "::1");
  EXPECT_EQ(parse_url("http://h/p?a=b&c")->query, "a=b&c");
  EXPECT_EQ(parse_url("http://h?a")->query, "a");
}

TEST(Url, InvalidUrlsAreRefusedWithAReason) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "must begin with http"},
      {"example.com:6443", "must begin with http"},
      {"ftp://example.com", "must begin with http"},
      {"https://", "has no host"},
      {"https:///path", "has no host"},
      {"https://h:0", "not a number from 1 to 65535"},
      {"https://h:65536", "not a number from 1 to 65535"},
      {"https://h:12x", "not a number from 1 to 65535"},
      {"https://h#top", "fragment"},
      {"https://fd00::1:6443", "brackets"},
      {"https://[fd00::1", "closing bracket"},
      {"https://[host]", "no IPv6 address"},
      {"https://[::1]6443", "after its address"},
      {"https://a b/", "space"},
      {"https://h/a\r\nb", "space"},
      {"https://h!st", "a host name with invalid characters"},
  };
  for (const auto& [text, reason] : bad) {
    auto parsed = parse_url(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::Invalid);
    EXPECT_THAT(parsed.error().message, HasSubstr(reason)) << text;
  }
}

TEST(Url, ErrorsDoNotContainThePassword) {
  for (const char* text : {"https://user:hunter2@host/", "ftp://user:hunter2@host", "https://user:hunter2@h#x"}) {
    auto parsed = parse_url(text);
    ASSERT_FALSE(parsed);
    EXPECT_THAT(parsed.error().message, HasSubstr("user name or password"));
    EXPECT_THAT(parsed.error().message, Not(HasSubstr("hunter2")));
  }
}

TEST(HttpText, TheHostHeaderOmitsTheDefaultPortOfTheScheme) {
  EXPECT_EQ(host_header(Origin{true, "h", 443}), "h");
  EXPECT_EQ(host_header(Origin{false, "h", 443}), "h:443");
  EXPECT_EQ(host_header(Origin{true, "::1", 6443}), "[::1]:6443");
}

TEST(HttpText, AResponseWithALineBreakInAHeaderOrAnInvalidStatusIsRefused) {
  HttpResponse response;
  response.status = 200;
  response.headers.set("Location", "/a\r\nSet-Cookie: x");
  EXPECT_FALSE(response_head(response, BodyFraming::Length, true));
  response.headers.set("Location", "/a");
  response.status = 42;
  EXPECT_FALSE(response_head(response, BodyFraming::Length, true));
}

TEST(HttpText, FindsATokenInAList) {
  EXPECT_TRUE(has_token("keep-alive, Close", "close"));
  EXPECT_FALSE(has_token("closed", "close"));
  EXPECT_FALSE(has_token("", "close"));
}

}  // namespace
}  // namespace rescheduler::net
