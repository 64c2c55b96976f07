#include "kube/codec/json_scalars.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/core.h>

namespace rescheduler::kube {
namespace {

using Days = std::chrono::days;
using SysDays = std::chrono::sys_days;

// Length of the well-formed UTF-8 sequence at the beginning of text, 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2
                             : (lead & 0xf0U) == 0xe0       ? 3
                             : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0U) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  if (lead == 0xe0 && at(1) < 0xa0) return 0;
  if (lead == 0xed && at(1) > 0x9f) return 0;
  if (lead == 0xf0 && at(1) < 0x90) return 0;
  if (lead == 0xf4 && at(1) > 0x8f) return 0;
  return length;
}

void append_control(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c)); return;
  }
}

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\';
}

// Takes digits off the front of text one field at a time.
class DigitReader {
 public:
  explicit DigitReader(std::string_view text) : text_(text) {}

  bool number(std::size_t digits, int& value) {
    if (text_.size() < digits) return false;
    value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const char c = text_[i];
      if (c < '0' || c > '9') return false;
      value = value * 10 + (c - '0');
    }
    text_.remove_prefix(digits);
    return true;
  }
  bool literal(std::string_view any_of) {
    if (text_.empty() || any_of.find(text_.front()) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }
  char take() {
    const char c = text_.empty() ? '\0' : text_.front();
    if (!text_.empty()) text_.remove_prefix(1);
    return c;
  }
  // ".5" as 500,000,000; digits beyond the ninth are dropped.
  bool fraction(std::int32_t& nanos) {
    nanos = 0;
    if (!text_.starts_with('.') && !text_.starts_with(',')) return true;
    text_.remove_prefix(1);
    std::int32_t scale = 100'000'000;
    bool any = false;
    for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; text_.remove_prefix(1), any = true) {
      nanos += (text_.front() - '0') * scale;
      scale /= 10;
    }
    return any;
  }
  bool done() const { return text_.empty(); }

 private:
  std::string_view text_;
};

std::optional<std::int64_t> parse_zone(DigitReader& reader) {
  const char sign = reader.take();
  if (sign == 'Z' || sign == 'z') return 0;
  if (sign != '+' && sign != '-') return std::nullopt;
  int hours = 0;
  int minutes = 0;
  if (!reader.number(2, hours) || !reader.literal(":") || !reader.number(2, minutes)) return std::nullopt;
  if (hours > 23 || minutes > 59) return std::nullopt;
  const std::int64_t offset = hours * 3600 + minutes * 60;
  return sign == '-' ? -offset : offset;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto plain = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    if (length > 1) {
      out += text.substr(0, length);
    } else if (length == 1) {
      append_control(out, text.front());
    } else {
      out += "\xef\xbf\xbd";  // U+FFFD
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out += '"';
}

std::string format_time(TimePoint time, TimePrecision precision) {
  using std::chrono::seconds;
  constexpr seconds kFirst = SysDays(std::chrono::year(0) / 1 / 1).time_since_epoch();
  constexpr seconds kLast = SysDays(std::chrono::year(10000) / 1 / 1).time_since_epoch() - seconds(1);
  const seconds total(std::clamp(time.seconds, std::int64_t{kFirst.count()}, std::int64_t{kLast.count()}));
  const Days day_count = std::chrono::floor<Days>(total);
  const std::chrono::year_month_day date{SysDays(day_count)};
  const std::chrono::hh_mm_ss clock(total - day_count);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (precision == TimePrecision::Micros) text += fmt::format(".{:06}", std::clamp(time.nanos, 0, 999'999'999) / 1000);
  return text + 'Z';
}

std::optional<TimePoint> parse_time(std::string_view text) {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  DigitReader reader(text);
  const bool shaped = reader.number(4, year) && reader.literal("-") && reader.number(2, month) && reader.literal("-")
                      && reader.number(2, day) && reader.literal("Tt") && reader.number(2, hour) && reader.literal(":")
                      && reader.number(2, minute) && reader.literal(":") && reader.number(2, second);
  TimePoint time;
  if (!shaped || !reader.fraction(time.nanos)) return std::nullopt;
  const auto zone = parse_zone(reader);
  if (!zone || !reader.done()) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::int64_t days = SysDays(date).time_since_epoch().count();
  time.seconds = days * 86'400 + hour * 3600 + minute * 60 + second - *zone;
  return time;
}

std::string base64_encode(std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= group.size() ? kAlphabet[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  const auto value_of = [](char c) -> int {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  std::string out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  std::size_t symbols = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const int value = value_of(c);
    if (value < 0 || padding > 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    ++symbols;
    if (symbols % 4 == 0) {
      for (const unsigned shift : {16U, 8U, 0U}) out += static_cast<char>(bits >> shift & 0xffU);
    }
  }
  const std::size_t rest = symbols % 4;
  if (rest == 1 || (rest + padding) % 4 != 0 || padding > 2) return std::nullopt;
  if (rest >= 2) out += static_cast<char>(bits >> (rest == 2 ? 4U : 10U) & 0xffU);
  if (rest == 3) out += static_cast<char>(bits >> 2 & 0xffU);
  return out;
}

}  // namespace rescheduler::kube
