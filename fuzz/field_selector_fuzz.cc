// Any text: rejected, or a selector that stays the same when printed and parsed. Its own values satisfy its "=" terms.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "kube/value/field_selector.h"

using rescheduler::kube::FieldSelector;
using rescheduler::kube::LabelLookup;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto selector = FieldSelector::parse(text);
  if (!selector) {
    RESCHEDULER_CHECK(selector.error().message.size() < 2000, "the error message is too long");
    return 0;
  }
  const std::string printed = selector->to_string();
  const auto again = FieldSelector::parse(printed);
  RESCHEDULER_CHECK(again.has_value(), "the printed form {} cannot be parsed", printed);
  RESCHEDULER_CHECK(*again == *selector, "{} is read as another selector", printed);
  for (const FieldSelector::Term& term : selector->terms()) {
    const auto ask = [&](std::string_view field) -> LabelLookup::Answer {
      if (field == term.field) return term.value;
      return std::nullopt;
    };
    RESCHEDULER_CHECK(FieldSelector::all_of({term}).matches(ask) == term.equals, "a term of {} contradicts its value",
                      printed);
  }
  return 0;
}
