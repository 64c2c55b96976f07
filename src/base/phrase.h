// What operators are told, in both of their languages. Values do not stand in the sentence but behind it, by name, so
// that both languages say the same of the same things:
//
//   inline constexpr Phrase kPlanMade{"rescheduling plan made", "已生成重调度计划"};
//   log_info(kPlanMade, {{"plan", plan.id}, {"moves", plan.moves.size()}});
//
// Each component has one table of them, messages.h; tests/deploy/logs_test goes through all of them.
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
