// For tests: collects the log lines of its lifetime.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/log.h"

namespace rescheduler::kube {

class LogCapture {
 public:
  LogCapture() {
    set_log_sink(
        [](LogLevel, std::string_view line, void* self) {
          auto* capture = static_cast<LogCapture*>(self);
          const std::lock_guard lock(capture->mutex_);
          capture->lines_.emplace_back(line);
        },
        this);
  }
  ~LogCapture() { set_log_sink(nullptr, nullptr); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace rescheduler::kube
