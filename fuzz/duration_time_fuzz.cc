// Any text as a duration and as a time: rejected, or printed in a form that parses to the same value.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "kube/value/duration.h"
#include "kube/value/time.h"

using namespace rescheduler::kube;

namespace {

void check_duration(std::string_view text) {
  const auto duration = parse_duration(text);
  if (!duration) {
    RESCHEDULER_CHECK(duration.error().message.size() < 1000, "the error message is too long");
    return;
  }
  const std::string printed = format_duration(*duration);
  const auto again = parse_duration(printed);
  RESCHEDULER_CHECK(again && *again == *duration, "{} does not parse to the same value", printed);
}

void check_time(std::string_view text) {
  const auto time = parse_time(text);
  if (!time) {
    RESCHEDULER_CHECK(time.error().message.size() < 1000, "the error message is too long");
    return;
  }
  const std::string printed = format_micro_time(*time);
  const auto again = parse_time(printed);
  RESCHEDULER_CHECK(again && *again == std::chrono::floor<std::chrono::microseconds>(*time),
                    "{} does not parse to the same value", printed);
  RESCHEDULER_CHECK(printed.substr(0, 19) + "Z" == format_time(*time), "{} and {} disagree", printed,
                    format_time(*time));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_duration(text);
  check_time(text);
  return 0;
}
