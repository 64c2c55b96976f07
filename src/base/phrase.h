// Log messages for operators, in English and Chinese. The values are not part of the sentence: they follow it as named
// fields, so that both languages report the same values:
//
//   inline constexpr Phrase kPlanMade{"rescheduling plan made", "已生成重调度计划"};
//   log_info(kPlanMade, {{"plan", plan.id}, {"moves", plan.moves.size()}});
//
// Each component keeps its phrases in one messages.h; tests/deploy/logs_test checks all of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace rescheduler {

enum class Language : std::uint8_t { English, Chinese };

struct Phrase {
  std::string_view english;
  std::string_view chinese;

  constexpr std::string_view in(Language language) const { return language == Language::Chinese ? chinese : english; }
};

}  // namespace rescheduler
