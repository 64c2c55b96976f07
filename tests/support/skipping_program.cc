// Skips itself in each possible way; skips_test runs it.
#include <gtest/gtest.h>

#include "support/skip.h"

TEST(Skipping, SkipsWithANeed) { RESCHEDULER_SKIP("data") << "there is none"; }

TEST(Skipping, SkipsWithoutANeed) { GTEST_SKIP(); }

TEST(Skipping, DoesNotSkip) {}
