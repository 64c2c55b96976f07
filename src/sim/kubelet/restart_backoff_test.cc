#include "sim/kubelet/restart_backoff.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::sim {
namespace {

using std::chrono::seconds;

const KubeletSettings kSettings;
constexpr SteadyTime kStart{std::chrono::hours{5}};

TEST(RestartBackoffTest, TheFirstRestartIsImmediateAndEachNextRestartDoublesTheBackoff) {
  RestartBackoff backoff;
  SteadyTime now = kStart;
  for (const int expected : {0, 10, 20, 40, 80, 160, 300, 300}) {
    const SteadyTime ended = now + seconds{1};
    ASSERT_EQ(backoff.wait(ended, kSettings), seconds{expected});
    now = ended + seconds{expected};
    backoff.restarted(ended, now, kSettings);
  }
}

TEST(RestartBackoffTest, TenMinutesOfRunningResetTheBackoff) {
  RestartBackoff backoff;
  backoff.restarted(kStart, kStart, kSettings);
  backoff.restarted(kStart + seconds{1}, kStart + seconds{11}, kSettings);
  EXPECT_EQ(backoff.wait(kStart + seconds{11 + 600}, kSettings), seconds{20});
  EXPECT_EQ(backoff.wait(kStart + seconds{11 + 601}, kSettings), seconds{0});
  backoff.restarted(kStart + seconds{11 + 601}, kStart + seconds{11 + 601}, kSettings);
  EXPECT_EQ(backoff.wait(kStart + seconds{11 + 602}, kSettings), seconds{10});
}

RC_GTEST_PROP(RestartBackoffTest, TheBackoffNeverExceedsTheMaximumAndNeverDecreasesUnlessItIsReset, ()) {
  RestartBackoff backoff;
  SteadyTime now = kStart;
  seconds before{0};
  for (const auto ran : *rc::gen::container<std::vector<int>>(30, rc::gen::inRange(0, 900))) {
    const SteadyTime ended = now + seconds{ran};
    const auto wait = std::chrono::duration_cast<seconds>(backoff.wait(ended, kSettings));
    RC_ASSERT(wait <= seconds{300});
    RC_ASSERT((ran > 600 ? wait == seconds{0} : wait >= before));
    backoff.restarted(ended, ended + wait, kSettings);
    now = ended + wait;
    before = wait;
  }
}

}  // namespace
}  // namespace rescheduler::sim
