// `rescheduler self-test`: checks whether this binary works on this machine. Needs no cluster and no network except
// loopback.
#pragma once

namespace rescheduler::cli {

int run_self_test();  // returns the exit code

}  // namespace rescheduler::cli
