// Any text: rejected with a short message, or a selector that has the same meaning when printed and parsed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "kube/value/label_selector.h"

using rescheduler::kube::LabelLookup;
using rescheduler::kube::LabelSelector;
using rescheduler::kube::Requirement;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto selector = LabelSelector::parse(text);
  if (!selector) {
    RESCHEDULER_CHECK(selector.error().message.size() < 2000, "the error message is too long");
    return 0;
  }
  const std::string printed = selector->to_string();
  const auto again = LabelSelector::parse(printed);
  RESCHEDULER_CHECK(again.has_value(), "the printed form {} cannot be parsed", printed);
  RESCHEDULER_CHECK(*again == *selector, "{} is read as another selector", printed);

  // Labels that satisfy the first value of each requirement, so that most operators return both results.
  const auto ask = [&](std::string_view key) -> LabelLookup::Answer {
    for (const Requirement& requirement : selector->requirements()) {
      if (requirement.key() != key) continue;
      if (requirement.values().empty()) return "";
      return requirement.values().front();
    }
    return std::nullopt;
  };
  bool all = true;
  for (const Requirement& requirement : selector->requirements()) all = all && requirement.matches(ask);
  RESCHEDULER_CHECK(selector->matches(ask) == all, "{} is not the conjunction of its requirements", printed);
  RESCHEDULER_CHECK(again->matches(ask) == all, "{} matches differently after printing", printed);
  return 0;
}
