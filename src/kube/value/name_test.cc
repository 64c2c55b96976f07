#include "kube/value/name.h"

#include <string>

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

std::string times(char c, std::size_t n) { return std::string(n, c); }

TEST(Name, DnsLabelsAreLowerCaseAndAtMostSixtyThree) {
  for (const std::string& good : {std::string("a"), std::string("ab"), std::string("0"), std::string("a-1"),
                                  std::string("1-a"), std::string("a--b"), times('a', 63)}) {
    EXPECT_TRUE(is_dns_label(good)) << good;
    EXPECT_TRUE(check_dns_label(good)) << good;
  }
  for (const std::string& bad :
       {std::string(""), std::string("A"), std::string("-a"), std::string("a-"), std::string("a.b"), std::string("a_b"),
        std::string("a b"), std::string("a\0", 2), std::string("a\n"), times('a', 64)}) {
    EXPECT_FALSE(is_dns_label(bad)) << bad;
    EXPECT_FALSE(check_dns_label(bad)) << bad;
  }
  EXPECT_NE(check_dns_label("a.b").error().message.find("must not contain dots"), std::string::npos);
}

TEST(Name, DnsSubdomainsAreLabelsJoinedByDots) {
  for (const std::string& good : {std::string("a"), std::string("a.b"), std::string("0.0.0.0"), std::string("a-b.c-d"),
                                  times('a', 64), times('a', 253)}) {
    EXPECT_TRUE(is_dns_subdomain(good)) << good;
    EXPECT_TRUE(check_dns_subdomain(good)) << good;
  }
  for (const std::string& bad :
       {std::string(""), std::string("."), std::string("a."), std::string(".a"), std::string("a..b"),
        std::string("a.-b"), std::string("a-.b"), std::string("A.b"), std::string("a_b"), times('a', 254)}) {
    EXPECT_FALSE(is_dns_subdomain(bad)) << bad;
    EXPECT_FALSE(check_dns_subdomain(bad)) << bad;
  }
}

TEST(Name, LabelKeysAreQualifiedNames) {
  for (const std::string& good :
       {std::string("simple"), std::string("now-with-dashes"), std::string("1234"), std::string("simple/simple"),
        std::string("1.2.3.4/5678"), std::string("Uppercase_Is_OK_123"), std::string("example.com/Uppercase_Is_OK_123"),
        std::string("requests.storage-foo"), times('a', 63), times('a', 253) + "/" + times('b', 63)}) {
    EXPECT_TRUE(is_label_key(good)) << good;
    EXPECT_TRUE(check_label_key(good)) << good;
  }
  for (const std::string& bad :
       {std::string(""), std::string("nospecialchars%^=@"), std::string("cantendwithadash-"),
        std::string("-cantstartwithadash"), std::string("only/one/slash"), std::string("Example.com/abc"),
        std::string("example_com/abc"), std::string("example.com/"), std::string("/simple"), times('a', 64),
        times('a', 254) + "/abc", std::string("a\0b", 3)}) {
    EXPECT_FALSE(is_label_key(bad)) << bad;
    EXPECT_FALSE(check_label_key(bad)) << bad;
  }
  EXPECT_EQ(check_label_key("a/b/c").error().message, "key \"a/b/c\" has more than one '/': write [prefix/]name");
}

TEST(Name, LabelValuesMayBeEmpty) {
  for (const std::string& good : {std::string(""), std::string("simple"), std::string("1-starts-with-num"),
                                  std::string("end-with-num-1"), std::string("a..b__c"), times('a', 63)}) {
    EXPECT_TRUE(is_label_value(good)) << good;
    EXPECT_TRUE(check_label_value(good)) << good;
  }
  for (const std::string& bad :
       {std::string("nospecialchars%^=@"), std::string("Tama-nui-te-r\xC4\x81"), std::string("\\backslashes"),
        std::string("-starts-with-dash"), std::string("ends-with-dash-"), std::string(".dot"), std::string("dot."),
        std::string("a/b"), times('a', 64)}) {
    EXPECT_FALSE(is_label_value(bad)) << bad;
    EXPECT_FALSE(check_label_value(bad)) << bad;
  }
}

TEST(Name, ErrorsShowUnprintableTextEscapedAndShort) {
  EXPECT_NE(check_label_value("a\x01\"").error().message.find("\"a\\x01\\\"\""), std::string::npos);
  EXPECT_LT(check_label_key(times('x', 1'000'000)).error().message.size(), 300U);
}

}  // namespace
}  // namespace rescheduler::kube
