// A test that needs something that this machine may lack names it and skips itself:
//
//   if (!data) RESCHEDULER_SKIP("data") << "no recorded series in " << directory;
//
// REQUIRE lists what a run must have (real, web, data, ...): such a skip is then a failure. See test_main.cc.
#pragma once

#include <gtest/gtest.h>

#define RESCHEDULER_SKIP(need) GTEST_SKIP() << "[" need "] "
