// Text for a terminal: widths in columns, optional colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rescheduler::cli {

enum class Colour { None, Green, Yellow, Red, Dim, Bold };

// What a terminal can show.
struct ViewStyle {
  std::size_t width = 80;
  std::size_t height = 24;
  bool colour = false;
  bool unicode = true;
};

// Number of columns of the text: one per character, two for wide East Asian characters, none for colour sequences.
std::size_t columns_of(std::string_view text);
// Cuts the text to `columns`; a cut text ends in "~".
std::string clipped(std::string_view text, std::size_t columns);
std::string padded(std::string_view text, std::size_t columns);  // and clipped
std::string painted(std::string_view text, Colour colour, const ViewStyle& style);

// One line per row. Each column is as wide as its widest cell; the last column is not padded.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows);

// Colour for a share of capacity: normal, busy, hot.
Colour heat(double share);

// "4.2", "31.9Gi", "512Mi".
std::string cores_text(double cores);
std::string bytes_text(double bytes);
std::string percent_text(double share);    // " 81%"
std::string time_text(long long seconds);  // "1m05s"

// a-2 before a-10.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace rescheduler::cli
