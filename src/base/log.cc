#include "base/log.h"

#include <atomic>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace rescheduler {
namespace {

std::atomic<LogLevel> threshold{LogLevel::Info};
std::atomic<LogSink> test_sink{nullptr};
std::atomic<void*> test_context{nullptr};

spdlog::logger& stderr_logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made =
        std::make_shared<spdlog::logger>("rescheduler", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%L%$ %v", spdlog::pattern_time_type::utc);
    made->set_level(spdlog::level::trace);
    made->flush_on(spdlog::level::warn);
    return made;
  }();
  return *logger;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::Debug: return spdlog::level::debug;
    case LogLevel::Info: return spdlog::level::info;
    case LogLevel::Warning: return spdlog::level::warn;
    case LogLevel::Error: return spdlog::level::err;
    case LogLevel::Off: return spdlog::level::off;
  }
  return spdlog::level::off;
}

}  // namespace

void set_log_level(LogLevel level) noexcept { threshold.store(level, std::memory_order_relaxed); }

bool log_enabled(LogLevel level) noexcept { return level >= threshold.load(std::memory_order_relaxed); }

void log_line(LogLevel level, std::string_view line) {
  if (const LogSink sink = test_sink.load()) {
    sink(level, line, test_context.load());
    return;
  }
  stderr_logger().log(to_spdlog(level), line);
}

void set_log_sink(LogSink sink, void* context) noexcept {
  test_context.store(context);
  test_sink.store(sink);
}

}  // namespace rescheduler
