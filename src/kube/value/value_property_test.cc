// Properties of all values, checked on random values.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kube/value/duration.h"
#include "kube/value/field_selector.h"
#include "kube/value/label_selector.h"
#include "kube/value/quantity.h"
#include "kube/value/time.h"

namespace rescheduler::kube {
namespace {

__extension__ typedef __int128 Wide;

// A quantity and the same number in nanos, computed in the simplest way.
struct Twin {
  std::string text;
  Quantity quantity;
  Wide nanos = 0;
};

Twin twin(std::int64_t mantissa, int exponent) {
  Twin out;
  out.text = std::to_string(mantissa) + "e" + std::to_string(exponent);
  out.quantity = Quantity::parse(out.text).value();
  out.nanos = mantissa;
  for (int i = -9; i < exponent; ++i) out.nanos *= 10;
  return out;
}

Twin any_twin() {
  const auto mantissa = *rc::gen::arbitrary<std::int64_t>();
  const auto small = *rc::gen::inRange<std::int64_t>(-2000, 2000);
  return twin(*rc::gen::element(mantissa, small), *rc::gen::inRange(-9, 10));
}

std::string any_quantity_text() {
  const std::string sign = *rc::gen::element<std::string>("", "", "-", "+");
  const std::string whole = *rc::gen::container<std::string>(rc::gen::inRange('0', ':'));
  const std::string fraction = *rc::gen::container<std::string>(rc::gen::inRange('0', ':'));
  const std::string suffix = *rc::gen::element<std::string>("", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi",
                                                            "Gi", "Ti", "Pi", "Ei", "e3", "e-7", "E12", "e40");
  return sign + "0" + whole + *rc::gen::element<std::string>("", "." + fraction) + suffix;
}

RC_GTEST_PROP(QuantityProperty, PrintingAndReadingGivesTheSameNumber, ()) {
  const std::string text = any_quantity_text();
  const auto quantity = Quantity::parse(text);
  RC_ASSERT(quantity.has_value());
  const std::string printed = quantity->to_string();
  const auto again = Quantity::parse(printed);
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == *quantity);
  // A binary number that is not a multiple of 1024 prints without a suffix, so its format becomes decimal.
  if (again->format() == quantity->format()) RC_ASSERT(again->to_string() == printed);
}

RC_GTEST_PROP(QuantityProperty, OrdersLikeIntegerNanos, ()) {
  const Twin a = any_twin();
  const Twin b = any_twin();
  RC_ASSERT((a.quantity < b.quantity) == (a.nanos < b.nanos));
  RC_ASSERT((a.quantity == b.quantity) == (a.nanos == b.nanos));
}

RC_GTEST_PROP(QuantityProperty, AddsLikeIntegerNanos, ()) {
  const Twin a = any_twin();
  const Twin b = any_twin();
  const Wide sum = a.nanos + b.nanos;
  const Quantity got = a.quantity + b.quantity;
  RC_ASSERT((got.sign() < 0) == (sum < 0));
  RC_ASSERT(got - b.quantity == a.quantity);
  RC_ASSERT(got == b.quantity + a.quantity);
  const Wide whole = sum / 1'000'000'000 + (sum % 1'000'000'000 > 0 ? 1 : 0) - (sum % 1'000'000'000 < 0 ? 1 : 0);
  if (whole > -1'000'000'000'000'000'000 && whole < 1'000'000'000'000'000'000) {
    RC_ASSERT(got.value() == static_cast<std::int64_t>(whole));
  }
}

RC_GTEST_PROP(LabelSelectorProperty, PrintingAndReadingGivesTheSameSelector, ()) {
  const auto word = rc::gen::element<std::string>("a", "b", "in", "notin", "tier", "example.com/app", "x-1", "B_2");
  const auto value = rc::gen::element<std::string>("", "a", "in", "web", "1", "42", "x.y", "Z-9");
  std::vector<Requirement> requirements;
  const int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; ++i) {
    const auto op = static_cast<SelectorOp>(*rc::gen::inRange(0, 9));
    std::vector<std::string> values;
    if (op == SelectorOp::In || op == SelectorOp::NotIn)
      values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(value));
    else if (op == SelectorOp::Gt || op == SelectorOp::Lt)
      values = {std::to_string(*rc::gen::inRange(0, 1000))};
    else if (op != SelectorOp::Exists && op != SelectorOp::DoesNotExist)
      values = {*value};
    requirements.push_back(Requirement::make(*word, op, values).value());
  }
  const LabelSelector selector = LabelSelector::all_of(requirements);
  const auto again = LabelSelector::parse(selector.to_string());
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == selector);
}

RC_GTEST_PROP(FieldSelectorProperty, PrintingAndReadingGivesTheSameSelector, ()) {
  std::vector<FieldSelector::Term> terms;
  const int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; ++i) {
    terms.push_back({*rc::gen::element<std::string>("metadata.name", "status.phase", "spec.nodeName"),
                     *rc::gen::arbitrary<bool>(),
                     *rc::gen::container<std::string>(rc::gen::element('a', '\\', ',', '=', '!', ' ', '\0'))});
  }
  const FieldSelector selector = FieldSelector::all_of(terms);
  const auto again = FieldSelector::parse(selector.to_string());
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == selector);
}

RC_GTEST_PROP(DurationProperty, PrintingAndReadingGivesTheSameDuration, ()) {
  const auto any = *rc::gen::arbitrary<std::int64_t>();
  const std::chrono::nanoseconds duration{any >> *rc::gen::inRange(0, 63)};
  const auto again = parse_duration(format_duration(duration));
  RC_ASSERT(again.has_value());
  // Fractions of hours are parsed in floating point, as in Go. format_duration() prints none, so the result is exact.
  RC_ASSERT(*again == duration);
}

RC_GTEST_PROP(TimeProperty, PrintingAndReadingGivesTheSameTime, ()) {
  const auto seconds = *rc::gen::inRange<std::int64_t>(-9'223'372'035, 9'223'372'036);
  const auto nanos = *rc::gen::inRange<std::int32_t>(0, 1'000'000'000);
  const WallTime time = time_from_unix(seconds, nanos).value();
  RC_ASSERT(parse_time(format_time(time)).value() == std::chrono::floor<std::chrono::seconds>(time));
  RC_ASSERT(parse_time(format_micro_time(time)).value() == std::chrono::floor<std::chrono::microseconds>(time));
}

}  // namespace
}  // namespace rescheduler::kube
