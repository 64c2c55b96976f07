// What stands in the annotation on a workload while one of its pods is moved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rescheduler::migration {

struct WrittenIntent {
  std::string migration{};
  std::string pod{};
  std::string source{};
  std::string target{};
  std::string expires{};
  std::optional<std::int32_t> surged_to{};  // replicas; nothing: it was not scaled up
  std::int32_t surged_from = 0;
};

std::string to_text(const WrittenIntent& intent);  // JSON
std::optional<WrittenIntent> parse_intent(std::string_view text);

}  // namespace rescheduler::migration
