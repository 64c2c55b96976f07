#include "server/health.h"

#include <gtest/gtest.h>

#include "base/log.h"

namespace rescheduler::server {
namespace {

class HealthChecksTest : public testing::Test {
 protected:
  HealthChecksTest() {
    set_log_level(LogLevel::Off);
    checks_.add("informers", [this]() -> Result<void> {
      if (synced_) return {};
      return fail(Errc::Unavailable, "pods are not listed yet");
    });
  }
  ~HealthChecksTest() override { set_log_level(LogLevel::Info); }

  std::string ask(const char* target) const {
    const net::HttpResponse answer = checks_.answer(*parse_target(target));
    return fmt::format("{} {}", answer.status, answer.body);
  }

  HealthChecks checks_{"readyz"};
  bool synced_ = true;
};

TEST_F(HealthChecksTest, PassingChecksAnswerOkAndAreListedWhenVerbose) {
  EXPECT_EQ(ask("/readyz"), "200 ok");
  EXPECT_EQ(ask("/readyz/"), "200 ok");
  EXPECT_EQ(ask("/readyz?verbose"), "200 [+]ping ok\n[+]informers ok\nreadyz check passed\n");
}

TEST_F(HealthChecksTest, OneFailedCheckFailsTheEndpointWithoutShowingTheReason) {
  synced_ = false;
  EXPECT_EQ(ask("/readyz"), "500 [+]ping ok\n[-]informers failed: reason withheld\nreadyz check failed\n");
}

TEST_F(HealthChecksTest, ACheckCanBeRequestedAlone) {
  EXPECT_EQ(ask("/readyz/ping"), "200 ok");
  EXPECT_EQ(ask("/readyz/informers"), "200 ok");
  synced_ = false;
  EXPECT_EQ(ask("/readyz/informers"), "500 internal server error: pods are not listed yet\n");
  EXPECT_EQ(ask("/readyz/nonsense"), "404 There is no check 'nonsense' under /readyz.\n");
}

TEST_F(HealthChecksTest, AnExcludedCheckDoesNotCount) {
  synced_ = false;
  EXPECT_EQ(ask("/readyz?exclude=informers"), "200 ok");
  EXPECT_EQ(ask("/readyz?verbose&exclude=informers&exclude=nonsense"),
            "200 [+]ping ok\n[+]informers excluded: ok\n"
            "warn: some health checks cannot be excluded: no matches for \"nonsense\"\nreadyz check passed\n");
}

}  // namespace
}  // namespace rescheduler::server
