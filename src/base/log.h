// Logging: one line per event, to stderr. Nothing below the shell logs (pure folders return reasons).
//
//   log_info("watch of {} resumed at {}", resource, version);
//
// Never pass a credential: tokens, keys and Authorization headers have no business in a format argument.
#pragma once

#include <string>
#include <string_view>

#include <fmt/core.h>

namespace rescheduler {

enum class LogLevel { Debug, Info, Warning, Error, Off };

void set_log_level(LogLevel level) noexcept;
bool log_enabled(LogLevel level) noexcept;
void log_line(LogLevel level, std::string_view line);

// Calls back with each line instead of writing it, for tests; an empty function restores stderr.
using LogSink = void (*)(LogLevel level, std::string_view line, void* context);
void set_log_sink(LogSink sink, void* context) noexcept;

template <class... Args>
void log_debug(fmt::format_string<Args...> text, Args&&... args) {
  if (log_enabled(LogLevel::Debug)) log_line(LogLevel::Debug, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void log_info(fmt::format_string<Args...> text, Args&&... args) {
  if (log_enabled(LogLevel::Info)) log_line(LogLevel::Info, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void log_warning(fmt::format_string<Args...> text, Args&&... args) {
  if (log_enabled(LogLevel::Warning)) log_line(LogLevel::Warning, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void log_error(fmt::format_string<Args...> text, Args&&... args) {
  if (log_enabled(LogLevel::Error)) log_line(LogLevel::Error, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace rescheduler
