#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace rescheduler {

void check_failed(const char* file, int line, const char* condition, std::string_view why) {
  fmt::print(stderr, "{}:{}: check failed: {}: {}\n", file, line, condition, why);
  std::fflush(stderr);
  std::abort();
}

}  // namespace rescheduler
