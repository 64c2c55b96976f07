// The seed of all random numbers in a test program. A run draws a new seed and prints it; RESCHEDULER_SEED=n repeats a
// run, including property tests (rapidcheck uses the seed too).
#pragma once

#include <cstdint>

namespace rescheduler::test {

std::uint64_t run_seed();

}  // namespace rescheduler::test
