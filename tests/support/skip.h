// A test that needs what this machine may lack says what, and skips itself:
//
//   if (!data) RESCHEDULER_SKIP("data") << "no recorded series in " << directory;
//
// What a run must have is named in REQUIRE (real, web, data, ...): there, such a skip is a failure. See test_main.cc.
#pragma once

#include <gtest/gtest.h>

#define RESCHEDULER_SKIP(need) GTEST_SKIP() << "[" need "] "
