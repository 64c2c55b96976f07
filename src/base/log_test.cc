#include "base/log.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rescheduler {
namespace {

TEST(Log, LinesBelowTheLevelAreNotEvenFormatted) {
  std::vector<std::string> lines;
  set_log_sink([](LogLevel, std::string_view line,
                  void* context) { static_cast<std::vector<std::string>*>(context)->emplace_back(line); },
               &lines);
  set_log_level(LogLevel::Warning);
  log_info("quiet {}", 1);
  log_warning("heard {}", 2);
  log_error("heard {}", 3);
  set_log_level(LogLevel::Info);
  set_log_sink(nullptr, nullptr);

  EXPECT_EQ(lines, (std::vector<std::string>{"heard 2", "heard 3"}));
}

}  // namespace
}  // namespace rescheduler
