#include "cli/view/bars.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rescheduler::cli {
namespace {

constexpr std::array<std::string_view, 9> kEighths{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array<std::string_view, 8> kHeights{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view kAsciiHeights = ".:-=+*#@";

std::size_t eighths(double share, std::size_t columns) {
  const double all = static_cast<double>(columns) * 8;
  return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * all));
}

std::string_view fill(std::size_t column, std::size_t filled, const ViewStyle& style) {
  const std::size_t begin = column * 8;
  if (!style.unicode) return filled >= begin + 4 ? "#" : ".";
  if (filled >= begin + 8) return "█";
  if (filled <= begin) return "░";
  return kEighths[filled - begin];
}

}  // namespace

std::string use_bar(const Use& use, std::size_t columns, const ViewStyle& style) {
  const std::size_t filled = eighths(use.used_share(), columns);
  const bool marked = use.requested > 0 && columns > 0;
  const std::size_t mark = marked ? std::min(columns - 1, eighths(use.requested_share(), columns) / 8) : columns;
  const Colour colour = heat(use.used_share());
  std::string before;
  std::string after;
  for (std::size_t i = 0; i < columns; ++i) {
    if (i == mark) continue;
    (i < mark ? before : after) += fill(i, filled, style);
  }
  if (!marked) return painted(before, colour, style);
  return painted(before, colour, style) + painted(style.unicode ? "┃" : "|", Colour::Bold, style)
         + painted(after, colour, style);
}

std::string score_bar(double score, std::size_t columns, const ViewStyle& style) {
  const std::size_t filled = eighths(score / 100, columns);
  std::string bar;
  for (std::size_t i = 0; i < columns; ++i) bar += fill(i, filled, style);
  return painted(bar, score < 50 ? Colour::Red : score < 75 ? Colour::Yellow : Colour::Green, style);
}

std::string heat_cell(double share, const ViewStyle& style) {
  const double level = std::clamp(share, 0.0, 1.0) * 7.999;
  const auto step = static_cast<std::size_t>(level);
  const std::string cell = style.unicode ? std::string(kHeights[step]) : std::string(1, kAsciiHeights[step]);
  return painted(cell, heat(share), style);
}

}  // namespace rescheduler::cli
