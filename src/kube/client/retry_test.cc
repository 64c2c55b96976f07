#include "kube/client/retry.h"

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

Error refusal(Errc code, int http_status, bool retry_after = false) {
  Error error{code, "no"};
  error.http_status = http_status;
  if (retry_after) error.retry_after = std::chrono::seconds{1};
  return error;
}

TEST(Retry, ACreateOrPatchIsRepeatedOnlyWhenTheServerDidNotProcessTheRequest) {
  EXPECT_TRUE(may_repeat(Verb::Create, Repeat::WhenSafe, refusal(Errc::Throttled, 429)));
  EXPECT_TRUE(may_repeat(Verb::Create, Repeat::WhenSafe, refusal(Errc::Unavailable, 503, true)));
  EXPECT_FALSE(may_repeat(Verb::Create, Repeat::WhenSafe, refusal(Errc::Unavailable, 503)));
  EXPECT_FALSE(may_repeat(Verb::Create, Repeat::WhenSafe, refusal(Errc::Unavailable, 0))) << "the response was lost";
  EXPECT_FALSE(may_repeat(Verb::Patch, Repeat::WhenSafe, refusal(Errc::Timeout, 504)));
}

TEST(Retry, ReadsUpdatesAndDeletesMayBeRepeated) {
  for (const Verb verb : {Verb::Get, Verb::List, Verb::Watch, Verb::Update, Verb::Delete, Verb::DeleteCollection}) {
    EXPECT_TRUE(may_repeat(verb, Repeat::WhenSafe, refusal(Errc::Unavailable, 0))) << to_string(verb);
    EXPECT_TRUE(may_repeat(verb, Repeat::WhenSafe, refusal(Errc::Unavailable, 500))) << to_string(verb);
  }
}

TEST(Retry, FinalErrorsAndCallsWithRepeatNeverAreNotRepeated) {
  EXPECT_FALSE(may_repeat(Verb::Get, Repeat::WhenSafe, refusal(Errc::NotFound, 404)));
  EXPECT_FALSE(may_repeat(Verb::Update, Repeat::WhenSafe, refusal(Errc::Conflict, 409)));
  EXPECT_FALSE(may_repeat(Verb::Watch, Repeat::WhenSafe, refusal(Errc::Expired, 410)));
  EXPECT_FALSE(may_repeat(Verb::Get, Repeat::WhenSafe, refusal(Errc::Cancelled, 0)));
  EXPECT_FALSE(may_repeat(Verb::Create, Repeat::Never, refusal(Errc::Throttled, 429)))
      << "an eviction that a PodDisruptionBudget refuses";
}

}  // namespace
}  // namespace rescheduler::kube
