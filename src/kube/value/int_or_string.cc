#include "kube/value/int_or_string.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/value/integer.h"
#include "kube/value/quote.h"

namespace rescheduler::kube {

IntOrString IntOrString::parse(std::string_view text) {
  const auto number = parse_int64(text);
  constexpr std::int64_t kLow = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int32_t>::max();
  if (!number || *number < kLow || *number > kHigh) return from_string(std::string(text));
  return from_int(static_cast<std::int32_t>(*number));
}

std::string IntOrString::to_string() const { return kind == Kind::Int ? std::to_string(number) : text; }

Result<std::int64_t> IntOrString::scaled(std::int64_t total, Rounding rounding) const {
  if (kind == Kind::Int) return number;
  const std::string_view whole = text;
  if (!whole.ends_with('%')) {
    return fail(Errc::Invalid, "{} is neither a number nor a percentage: write 3 or \"25%\"", kube::quoted(whole));
  }
  const auto percent = parse_int64(whole.substr(0, whole.size() - 1));
  if (!percent) return fail(Errc::Invalid, "{} is not a whole percentage: write such as \"25%\"", kube::quoted(whole));

  __extension__ typedef __int128 Wide;
  const Wide hundredths = static_cast<Wide>(*percent) * total;
  Wide share = hundredths / 100;  // rounded towards zero
  const Wide rest = hundredths % 100;
  if (rest > 0 && rounding == Rounding::Up) ++share;
  if (rest < 0 && rounding == Rounding::Down) --share;
  constexpr Wide kLow = std::numeric_limits<std::int64_t>::min();
  constexpr Wide kHigh = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(share, kLow, kHigh));
}

}  // namespace rescheduler::kube
