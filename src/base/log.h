// Logging to stderr, one line per event. Folders of pure code do not log: their functions return reasons.
//
//   log_info("watch of {} resumed at {}", resource, version);
//   log_info(kPodEvicted, {{"pod", key}, {"node", node}});   // in the operator's language, see base/phrase.h
//
// The formats are those of the Kubernetes components (klog text and JSON):
//   I1115 17:20:01.123456       1 file.cc:12] "pod evicted" pod="web/api-0" node="n1"
//   {"ts":1700000000123.456,"level":"info","caller":"file.cc:12","msg":"pod evicted","pod":"web/api-0","node":"n1"}
//
// Verbosity (--v):
// - 0: what an operator must know
// - 2: one line for each decision
// - 4: the reasons for each node, and internal details (log_debug)
//
// Never log a credential: do not pass tokens, keys or Authorization headers as arguments.
#pragma once

#include <concepts>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/core.h>

#include "base/phrase.h"

namespace rescheduler {

enum class LogLevel { Debug, Info, Warning, Error, Off };
enum class LogFormat { Text, Json };

inline constexpr int kDecisionVerbosity = 2;
inline constexpr int kDebugVerbosity = 4;

void set_log_level(LogLevel level) noexcept;
bool log_enabled(LogLevel level) noexcept;
void set_log_verbosity(int verbosity) noexcept;  // kDebugVerbosity or higher enables log_debug
bool log_verbose(int verbosity) noexcept;
void set_log_format(LogFormat format) noexcept;
void set_log_language(Language language) noexcept;
Language log_language() noexcept;

// A named value. Numbers and booleans are written without quotes.
struct LogField {
  LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
  LogField(std::string_view name, const std::string& text) : key(name), value(text) {}
  LogField(std::string_view name, const char* text) : key(name), value(text) {}
  LogField(std::string_view name, bool truth) : key(name), value(truth ? "true" : "false"), bare(true) {}
  template <class Number>
    requires((std::integral<Number> || std::floating_point<Number>) && !std::same_as<Number, bool>)
  LogField(std::string_view name, Number number) : key(name), value(fmt::format("{}", number)), bare(true) {}

  std::string_view key;
  std::string value;
  bool bare = false;
};
using LogFields = std::span<const LogField>;
using LogFieldList = std::initializer_list<LogField>;

// A format string and its source location.
template <class... Args>
struct LogText {
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
  // NOLINTNEXTLINE(google-explicit-constructor): callers pass a plain format string
  FMT_CONSTEVAL LogText(const Text& text, std::source_location where = std::source_location::current())
      : format(text), at(where) {}

  fmt::format_string<Args...> format;
  std::source_location at;
};
struct LogMessage {
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr LogMessage(const Phrase& what, std::source_location where = std::source_location::current())
      : phrase(what), at(where) {}

  Phrase phrase;
  std::source_location at;
};

void log_line(LogLevel level, std::string_view line, std::source_location at = std::source_location::current());
void log_message(LogLevel level, const LogMessage& what, LogFields fields);

// `"message" key="value" number=3`
std::string text_of(std::string_view message, LogFields fields);

// For tests: calls `sink` with each line instead of writing to stderr. A null sink restores stderr. A structured
// message arrives in the form of text_of().
using LogSink = void (*)(LogLevel level, std::string_view line, void* context);
void set_log_sink(LogSink sink, void* context) noexcept;

// One line of stderr before rendering. Public for tests: render() returns the line without its newline.
struct LogRecord {
  LogLevel level;
  std::string_view message;
  LogFields fields;
  bool structured;
  std::source_location at;
  std::int64_t unix_micros;
  int process;
};
std::string render(const LogRecord& record, LogFormat format);

template <class... Args>
void log_debug(LogText<std::type_identity_t<Args>...> text, Args&&... args) {
  if (log_enabled(LogLevel::Debug)) {
    log_line(LogLevel::Debug, fmt::format(text.format, std::forward<Args>(args)...), text.at);
  }
}
template <class... Args>
void log_info(LogText<std::type_identity_t<Args>...> text, Args&&... args) {
  if (log_enabled(LogLevel::Info)) {
    log_line(LogLevel::Info, fmt::format(text.format, std::forward<Args>(args)...), text.at);
  }
}
template <class... Args>
void log_warning(LogText<std::type_identity_t<Args>...> text, Args&&... args) {
  if (log_enabled(LogLevel::Warning)) {
    log_line(LogLevel::Warning, fmt::format(text.format, std::forward<Args>(args)...), text.at);
  }
}
template <class... Args>
void log_error(LogText<std::type_identity_t<Args>...> text, Args&&... args) {
  if (log_enabled(LogLevel::Error)) {
    log_line(LogLevel::Error, fmt::format(text.format, std::forward<Args>(args)...), text.at);
  }
}

inline void log_info(const LogMessage& what, LogFieldList fields = {}) {
  log_message(LogLevel::Info, what, {fields.begin(), fields.size()});
}
inline void log_warning(const LogMessage& what, LogFieldList fields = {}) {
  log_message(LogLevel::Warning, what, {fields.begin(), fields.size()});
}
inline void log_error(const LogMessage& what, LogFieldList fields = {}) {
  log_message(LogLevel::Error, what, {fields.begin(), fields.size()});
}
// Logs only at this verbosity or higher.
inline void log_verbosely(int verbosity, const LogMessage& what, LogFieldList fields = {}) {
  if (log_verbose(verbosity)) log_message(LogLevel::Info, what, {fields.begin(), fields.size()});
}

}  // namespace rescheduler
