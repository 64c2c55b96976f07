#include "server/request_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::server {
namespace {

using ::testing::ElementsAre;

TEST(RequestTargetTest, PathAndQueryAreDecoded) {
  const auto target = parse_target("/readyz/a%20b?verbose&exclude=ping&exclude=a%26b&=x&");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/readyz/a b");
  EXPECT_TRUE(target->has("verbose"));
  EXPECT_FALSE(target->has("ping"));
  EXPECT_THAT(target->all("exclude"), ElementsAre("ping", "a&b"));
  EXPECT_EQ(target->query.size(), 3u);
}

TEST(RequestTargetTest, AnEscapedSlashIsASlash) { EXPECT_EQ(parse_target("/extender%2Fbind")->path, "/extender/bind"); }

TEST(RequestTargetTest, InvalidTargetsAreRefused) {
  for (const char* text : {"", "*", "http://h/", "/%", "/%zz", "/a%00", "/a%0d%0ab", "/?a=%", "/?%g=1"}) {
    EXPECT_FALSE(parse_target(text)) << text;
  }
}

}  // namespace
}  // namespace rescheduler::server
