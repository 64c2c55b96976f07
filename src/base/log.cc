#include "base/log.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <unistd.h>

#include <fmt/format.h>

namespace rescheduler {
namespace {

std::atomic<LogLevel> threshold{LogLevel::Info};
std::atomic<int> verbosity_now{0};
std::atomic<LogFormat> format_now{LogFormat::Text};
std::atomic<Language> language_now{Language::English};
std::atomic<LogSink> test_sink{nullptr};
std::atomic<void*> test_context{nullptr};

char letter_of(LogLevel level) {
  switch (level) {
    case LogLevel::Warning: return 'W';
    case LogLevel::Error: return 'E';
    default: return 'I';  // like klog: a higher verbosity is still severity I
  }
}

std::string_view word_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug: return "debug";
    case LogLevel::Warning: return "warning";
    case LogLevel::Error: return "error";
    default: return "info";
  }
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Quotes the text and escapes it to one line. Characters outside ASCII stay unchanged.
void append_quoted(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text) {
    switch (c) {
      case '"': to += "\\\""; break;
      case '\\': to += "\\\\"; break;
      case '\n': to += "\\n"; break;
      case '\r': to += "\\r"; break;
      case '\t': to += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          to += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          to += c;
        }
    }
  }
  to += '"';
}

std::string klog_line(const LogRecord& record) {
  const std::time_t seconds = record.unix_micros / 1'000'000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::string line =
      fmt::format("{}{:02}{:02} {:02}:{:02}:{:02}.{:06} {:7} {}:{}] ", letter_of(record.level), utc.tm_mon + 1,
                  utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, record.unix_micros % 1'000'000, record.process,
                  base_name(record.at.file_name()), record.at.line());
  return line += record.structured ? text_of(record.message, record.fields) : std::string(record.message);
}

std::string json_line(const LogRecord& record) {
  std::string line =
      fmt::format(R"({{"ts":{}.{:03},"level":"{}","caller":"{}:{}","msg":)", record.unix_micros / 1000,
                  record.unix_micros % 1000, word_of(record.level), base_name(record.at.file_name()), record.at.line());
  append_quoted(line, record.message);
  for (const LogField& field : record.fields) {
    line += ',';
    append_quoted(line, field.key);
    line += ':';
    if (field.bare && field.value.find("nan") == std::string::npos && field.value.find("inf") == std::string::npos) {
      line += field.value;
    } else {
      append_quoted(line, field.value);
    }
  }
  return line += '}';
}

// A single write, so that lines of several threads do not mix. A failed write is ignored: there is no other place to
// report it.
void write_out(LogRecord record) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  record.unix_micros = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  static const int process = ::getpid();
  record.process = process;
  const std::string line = render(record, format_now.load(std::memory_order_relaxed)) + '\n';
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void set_log_level(LogLevel level) noexcept { threshold.store(level, std::memory_order_relaxed); }
bool log_enabled(LogLevel level) noexcept { return level >= threshold.load(std::memory_order_relaxed); }

void set_log_verbosity(int verbosity) noexcept {
  verbosity_now.store(verbosity, std::memory_order_relaxed);
  set_log_level(verbosity >= kDebugVerbosity ? LogLevel::Debug : LogLevel::Info);
}
bool log_verbose(int verbosity) noexcept { return verbosity <= verbosity_now.load(std::memory_order_relaxed); }

void set_log_format(LogFormat format) noexcept { format_now.store(format, std::memory_order_relaxed); }
void set_log_language(Language language) noexcept { language_now.store(language, std::memory_order_relaxed); }
Language log_language() noexcept { return language_now.load(std::memory_order_relaxed); }

std::string text_of(std::string_view message, LogFields fields) {
  std::string text;
  append_quoted(text, message);
  for (const LogField& field : fields) {
    text += fmt::format(" {}=", field.key);
    if (field.bare) {
      text += field.value;
    } else {
      append_quoted(text, field.value);
    }
  }
  return text;
}

std::string render(const LogRecord& record, LogFormat format) {
  return format == LogFormat::Json ? json_line(record) : klog_line(record);
}

void log_line(LogLevel level, std::string_view line, std::source_location at) {
  if (const LogSink sink = test_sink.load()) {
    sink(level, line, test_context.load());
    return;
  }
  write_out({level, line, {}, false, at, 0, 0});
}

void log_message(LogLevel level, const LogMessage& what, LogFields fields) {
  if (!log_enabled(level)) return;
  const std::string_view message = what.phrase.in(log_language());
  if (const LogSink sink = test_sink.load()) {
    sink(level, text_of(message, fields), test_context.load());
    return;
  }
  write_out({level, message, fields, true, what.at, 0, 0});
}

void set_log_sink(LogSink sink, void* context) noexcept {
  test_context.store(context);
  test_sink.store(sink);
}

}  // namespace rescheduler
