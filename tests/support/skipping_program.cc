// Skips itself in each possible way; skips_test runs it.
#include <gtest/gtest.h>

#include "support/skip.h"

TEST(Skipping, SaysWhatItNeeds) { RESCHEDULER_SKIP("data") << "there is none"; }

TEST(Skipping, SaysNothing) { GTEST_SKIP(); }

TEST(Skipping, DoesNot) {}
