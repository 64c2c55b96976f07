#include "kube/value/base64.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace rescheduler::kube {
namespace {

TEST(Base64, EncodesAndDecodesTheStandardVectors) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"},
                                                       {"\xfb\xff", "+/8="}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), bytes);
  }
  EXPECT_EQ(base64_decode("Zm9v\r\nYmFy"), "foobar");
}

TEST(Base64, RefusesTextThatIsNotBase64) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "=", "Zm9v=", "Z=g=", "Zm 9", "-_8="}) {
    EXPECT_FALSE(base64_decode(text)) << text;
  }
}

TEST(Base64, DecodingReversesEncodingOfRandomBytes) {
  Rng rng(1);
  for (std::size_t size = 0; size < 200; ++size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(rng.next());
    ASSERT_EQ(base64_decode(base64_encode(bytes)), bytes);
  }
}

}  // namespace
}  // namespace rescheduler::kube
