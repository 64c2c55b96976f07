#include "net/http/http.h"

#include <algorithm>

namespace rescheduler::net {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_'
         || c == '~';
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char small = lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

}  // namespace

void Headers::set(std::string_view name, std::string_view value) {
  const auto same = [name](const Entry& entry) { return same_name(entry.first, name); };
  const auto found = std::ranges::find_if(entries_, same);
  if (found == entries_.end()) return add(name, value);
  found->second = value;
  entries_.erase(std::remove_if(found + 1, entries_.end(), same), entries_.end());
}

void Headers::add(std::string_view name, std::string_view value) { entries_.emplace_back(name, value); }

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (same_name(key, name)) return value;
  }
  return std::nullopt;
}

std::string_view Headers::get(std::string_view name, std::string_view otherwise) const {
  return find(name).value_or(otherwise);
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_value(text[i + 1]);
    const int low = hex_value(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace rescheduler::net
