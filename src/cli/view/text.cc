#include "cli/view/text.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace rescheduler::cli {
namespace {

// One UTF-8 character: the number of bytes and the code point. Each invalid byte counts as one character.
struct Character {
  std::size_t bytes = 1;
  char32_t code = 0;
};

Character first_character(std::string_view text) {
  const auto byte = [&text](std::size_t index) {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U;
  };
  const unsigned lead = byte(0);
  const std::size_t bytes = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (bytes == 1 || bytes > text.size()) return {1, static_cast<char32_t>(lead)};
  char32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) code = (code << 6) | (byte(i) & 0x3FU);
  return {bytes, code};
}

std::size_t columns_of_code(char32_t code) {
  const bool wide = (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF)
                    || (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF)
                    || (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60)
                    || (code >= 0x1F300 && code <= 0x1FAFF) || (code >= 0x20000 && code <= 0x3FFFD);
  return wide ? 2 : 1;
}

constexpr std::string_view kReset = "\x1b[0m";

// The length of a colour sequence at the start, or 0.
std::size_t escape_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find('m');
  return end == std::string_view::npos ? text.size() : end + 1;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_number(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) ++length;
  std::string_view number = text.substr(0, length);
  text.remove_prefix(length);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    if (const std::size_t escape = escape_length(text); escape > 0) {
      text.remove_prefix(escape);
      continue;
    }
    const Character next = first_character(text);
    columns += columns_of_code(next.code);
    text.remove_prefix(next.bytes);
  }
  return columns;
}

std::string clipped(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::string out;
  std::size_t used = 0;
  bool painted = false;
  while (!text.empty()) {
    if (const std::size_t escape = escape_length(text); escape > 0) {
      painted = text.substr(0, escape) != kReset;
      out += text.substr(0, escape);
      text.remove_prefix(escape);
      continue;
    }
    const Character next = first_character(text);
    const std::size_t wide = columns_of_code(next.code);
    if (used + wide > columns - 1) break;
    out += text.substr(0, next.bytes);
    used += wide;
    text.remove_prefix(next.bytes);
  }
  out += '~';
  if (painted) out += kReset;
  return out;
}

std::string padded(std::string_view text, std::size_t columns) {
  std::string out = clipped(text, columns);
  const std::size_t used = columns_of(out);
  if (used < columns) out.append(columns - used, ' ');
  return out;
}

std::string painted(std::string_view text, Colour colour, const ViewStyle& style) {
  if (!style.colour || colour == Colour::None || text.empty()) return std::string(text);
  std::string_view code;
  switch (colour) {
    case Colour::Green: code = "32"; break;
    case Colour::Yellow: code = "33"; break;
    case Colour::Red: code = "31"; break;
    case Colour::Dim: code = "2"; break;
    case Colour::Bold:
    case Colour::None: code = "1"; break;
  }
  return fmt::format("\x1b[{}m{}{}", code, text, kReset);
}

std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string& line = lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - columns_of(row[i]) + 2, ' ');
    }
  }
  return lines;
}

Colour heat(double share) { return share >= 0.85 ? Colour::Red : share >= 0.65 ? Colour::Yellow : Colour::Green; }

std::string cores_text(double cores) {
  return cores >= 100 ? fmt::format("{:.0f}", cores) : fmt::format("{:.3g}", cores);
}

std::string bytes_text(double bytes) {
  constexpr double kGi = 1024.0 * 1024.0 * 1024.0;
  if (bytes >= 1024 * kGi) return fmt::format("{:.3g}Ti", bytes / kGi / 1024);
  if (bytes >= kGi) return fmt::format("{:.3g}Gi", bytes / kGi);
  return fmt::format("{:.0f}Mi", bytes * 1024 / kGi);
}

std::string percent_text(double share) { return fmt::format("{:3.0f}%", std::min(share, 9.99) * 100); }

std::string time_text(long long seconds) {
  if (seconds >= 3600) return fmt::format("{}h{:02}m{:02}s", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (seconds >= 60) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}s", seconds);
}

bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_number(a);
      const std::string_view y = take_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

}  // namespace rescheduler::cli
