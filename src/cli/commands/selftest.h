// `rescheduler self-test`: does this binary work on this machine? Needs no cluster and no network beyond loopback.
#pragma once

namespace rescheduler::cli {

int run_self_test();  // the process's exit code

}  // namespace rescheduler::cli
