#include <charconv>
#include <optional>
#include <tuple>

#include "sim/kinds/custom/custom_version.h"

namespace rescheduler::sim {
namespace {

struct VersionRank {
  int maturity = 0;  // 2: generally available, 1: beta, 0: alpha
  int major = 0;
  int minor = 0;
};

std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// For "v2", "v1beta3", "v1alpha1"; empty for any other text.
std::optional<VersionRank> rank_of(std::string_view text) {
  if (!text.starts_with('v')) return std::nullopt;
  text.remove_prefix(1);
  VersionRank rank;
  const auto major = take_number(text);
  if (!major) return std::nullopt;
  rank.major = *major;
  if (text.empty()) {
    rank.maturity = 2;
    return rank;
  }
  for (const auto& [word, maturity] : {std::pair{std::string_view("beta"), 1}, {std::string_view("alpha"), 0}}) {
    if (!text.starts_with(word)) continue;
    text.remove_prefix(word.size());
    const auto minor = take_number(text);
    if (!minor || !text.empty()) return std::nullopt;
    rank.maturity = maturity;
    rank.minor = *minor;
    return rank;
  }
  return std::nullopt;
}

}  // namespace

bool is_preferred_version(std::string_view a, std::string_view b) {
  const auto left = rank_of(a);
  const auto right = rank_of(b);
  if (left.has_value() != right.has_value()) return left.has_value();
  if (!left) return a < b;
  return std::tie(left->maturity, left->major, left->minor) > std::tie(right->maturity, right->major, right->minor);
}

}  // namespace rescheduler::sim
