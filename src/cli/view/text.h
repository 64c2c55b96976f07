// Text for a terminal: widths in columns, colours that may be off.
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

// Columns that the text takes: one per character, two for the wide ones of East Asia, none for colours.
std::size_t columns_of(std::string_view text);
// Cut to so many columns; what is cut ends in "~".
std::string clipped(std::string_view text, std::size_t columns);
std::string padded(std::string_view text, std::size_t columns);  // and clipped
std::string painted(std::string_view text, Colour colour, const ViewStyle& style);

// A line for each row: columns as wide as their widest cell, the last one as it is.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows);

// Of a share of capacity: calm, busy, hot.
Colour heat(double share);

// "4.2", "31.9Gi", "512Mi".
std::string cores_text(double cores);
std::string bytes_text(double bytes);
std::string percent_text(double share);    // " 81%"
std::string time_text(long long seconds);  // "1m05s"

// a-2 before a-10.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace rescheduler::cli
