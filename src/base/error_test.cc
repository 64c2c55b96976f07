#include "base/error.h"

#include <gtest/gtest.h>

namespace rescheduler {
namespace {

Result<int> half_of(int number) {
  if (number % 2 != 0) return fail(Errc::Invalid, "{} is odd: give an even number", number);
  return number / 2;
}

TEST(Error, HoldsItsMessageAndItsCode) {
  EXPECT_EQ(half_of(4).value(), 2);
  const auto refused = half_of(3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Invalid);
  EXPECT_EQ(refused.error().message, "3 is odd: give an even number");
}

TEST(Error, WithinPrependsTheContextToTheMessage) {
  const Error error = Error{Errc::Invalid, "line 3: no such key"}.within("kubeconfig a.yaml");
  EXPECT_EQ(error.message, "kubeconfig a.yaml: line 3: no such key");
}

TEST(Error, OnlyTransientErrorsAreRetriable) {
  for (const Errc code : {Errc::Throttled, Errc::Unavailable, Errc::Timeout}) {
    EXPECT_TRUE(is_retriable(Error{code, ""})) << to_string(code);
  }
  for (const Errc code : {Errc::Invalid, Errc::NotFound, Errc::AlreadyExists, Errc::Conflict, Errc::Expired,
                          Errc::Unauthenticated, Errc::Denied, Errc::Cancelled, Errc::Unsupported, Errc::Internal}) {
    EXPECT_FALSE(is_retriable(Error{code, ""})) << to_string(code);
  }
}

}  // namespace
}  // namespace rescheduler
