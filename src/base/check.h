// Checks of invariants. A broken invariant ends the process with the source location and the reason. Do not use these
// macros on input from outside the process.
#pragma once

#include <string>
#include <string_view>

#include <fmt/core.h>

namespace rescheduler {

[[noreturn]] void check_failed(const char* file, int line, const char* condition, std::string_view why);

}  // namespace rescheduler

#define RESCHEDULER_CHECK(condition, ...) \
  ((condition) ? static_cast<void>(0)     \
               : ::rescheduler::check_failed(__FILE__, __LINE__, #condition, fmt::format(__VA_ARGS__)))

// For invariants that are too expensive to verify in production.
#ifdef NDEBUG
#define RESCHEDULER_DCHECK(condition, ...) static_cast<void>(0)
#else
#define RESCHEDULER_DCHECK(condition, ...) RESCHEDULER_CHECK(condition, __VA_ARGS__)
#endif
