// For what must not happen: a broken invariant ends the process with its place and its reason.
// Never used on outside input.
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

// For invariants too dear to verify in production.
#ifdef NDEBUG
#define RESCHEDULER_DCHECK(condition, ...) static_cast<void>(0)
#else
#define RESCHEDULER_DCHECK(condition, ...) RESCHEDULER_CHECK(condition, __VA_ARGS__)
#endif
