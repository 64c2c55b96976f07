// Any text: rejected with a short message, or a number that stays the same when printed, negated and added.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "kube/value/quantity.h"

namespace {

using rescheduler::kube::Quantity;

void check_alone(const Quantity& quantity) {
  const std::string printed = quantity.to_string();
  const auto again = Quantity::parse(printed);
  RESCHEDULER_CHECK(again.has_value(), "the printed form {} cannot be parsed", printed);
  RESCHEDULER_CHECK(*again == quantity, "{} is read as another number", printed);
  // A binary number that is not a multiple of 1024 prints without a suffix, so it parses as decimal.
  if (again->format() == quantity.format()) {
    RESCHEDULER_CHECK(again->to_string() == printed, "{} is not canonical: it prints as {}", printed,
                      again->to_string());
  }
  RESCHEDULER_CHECK(-(-quantity) == quantity && (-quantity).sign() == -quantity.sign(), "negation of {} is wrong",
                    printed);
  RESCHEDULER_CHECK((quantity.sign() > 0) == (quantity.value() > 0), "{} rounds to the other side of zero", printed);
  RESCHEDULER_CHECK((quantity - quantity).is_zero(), "{} minus itself is not zero", printed);
}

void check_pair(const Quantity& a, const Quantity& b) {
  RESCHEDULER_CHECK(a + b == b + a, "addition depends on the order");
  RESCHEDULER_CHECK((a < b) == (b > a) && (a == b) == (b == a), "the order contradicts itself");
  if (b.sign() > 0) RESCHEDULER_CHECK(a + b >= a, "adding a positive number made it smaller");
  if (a < b)
    RESCHEDULER_CHECK(a.value() <= b.value() && a.milli_value() <= b.milli_value(), "rounding broke the order");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t space = text.find(' ');
  const auto first = Quantity::parse(text.substr(0, space));
  if (!first) {
    RESCHEDULER_CHECK(first.error().message.size() < 600, "the error message is too long");
    return 0;
  }
  check_alone(*first);
  if (space == std::string_view::npos) return 0;
  const auto second = Quantity::parse(text.substr(space + 1));
  if (second) check_pair(*first, *second);
  return 0;
}
