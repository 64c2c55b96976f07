// The one number that all chance in a test program comes from. A run draws a new one and prints it; RESCHEDULER_SEED=n
// repeats that run, property tests included (rapidcheck takes it too).
#pragma once

#include <cstdint>

namespace rescheduler::test {

std::uint64_t run_seed();

}  // namespace rescheduler::test
