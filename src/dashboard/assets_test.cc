#include "dashboard/assets.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::dashboard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::array<Asset, 2> kPages = {{{"index.html", "text/html; charset=utf-8", "<p>", "packed", "\"1\"", false},
                                          {"app-1a2b3c4d.js", "text/javascript", "alert", "", "\"2\"", true}}};

net::HttpRequest request(std::string_view header = {}, std::string_view value = {}) {
  net::HttpRequest made;
  if (!header.empty()) made.headers.set(header, value);
  return made;
}

TEST(Assets, EveryResponseForbidsContentFromOtherSites) {
  for (const char* path : {"index.html", "app-1a2b3c4d.js", "missing.js"}) {
    const auto page = page_for(kPages, path, request());
    const std::string policy(page.headers.get("Content-Security-Policy"));
    EXPECT_THAT(policy, HasSubstr("default-src 'none'")) << path;
    EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_EQ(page.headers.get("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(page.headers.get("Referrer-Policy"), "no-referrer");
  }
}

TEST(Assets, FilesWithAHashAreCachedAndTheFirstPageIsRevalidated) {
  EXPECT_THAT(std::string(page_for(kPages, "app-1a2b3c4d.js", request()).headers.get("Cache-Control")),
              HasSubstr("immutable"));
  EXPECT_EQ(page_for(kPages, "index.html", request()).headers.get("Cache-Control"), "no-cache");
  EXPECT_EQ(page_for(kPages, "index.html", request("If-None-Match", "\"1\"")).status, 304);
  EXPECT_EQ(page_for(kPages, "index.html", request("If-None-Match", "\"0\"")).status, 200);
}

TEST(Assets, AClientThatAcceptsGzipGetsTheCompressedFile) {
  const auto packed = page_for(kPages, "index.html", request("Accept-Encoding", "br, gzip"));
  EXPECT_EQ(packed.body, "packed");
  EXPECT_EQ(packed.headers.get("Content-Encoding"), "gzip");
  EXPECT_EQ(page_for(kPages, "index.html", request()).body, "<p>");
  EXPECT_EQ(page_for(kPages, "app-1a2b3c4d.js", request("Accept-Encoding", "gzip")).body, "alert");
}

TEST(Assets, ARouteOfTheApplicationReturnsTheFirstPageAndAMissingFileReturns404) {
  EXPECT_EQ(page_for(kPages, "nodes/worker-1", request()).body, "<p>");
  EXPECT_EQ(page_for(kPages, "old-0f0f0f0f.js", request()).status, 404);
  EXPECT_EQ(page_for(kPages, "../../etc/passwd.txt", request()).status, 404);
}

TEST(Assets, TheBinaryContainsTheFirstPage) { EXPECT_EQ(page_for(assets(), "index.html", request()).status, 200); }

}  // namespace
}  // namespace rescheduler::dashboard
