#include "kube/value/base64.h"

#include <algorithm>
#include <cstdint>

namespace rescheduler::kube {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) text += i <= count ? kAlphabet[group >> (18 - 6 * i) & 63u] : '=';
  }
  return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  int letters = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const auto value = kAlphabet.find(c);
    if (value == std::string_view::npos || padding > 0) return std::nullopt;
    group = group << 6 | static_cast<std::uint32_t>(value);
    if (++letters == 4) {
      for (const unsigned shift : {16u, 8u, 0u}) bytes += static_cast<char>(group >> shift & 255u);
      group = 0;
      letters = 0;
    }
  }
  if (letters == 0) return padding == 0 ? std::optional(std::move(bytes)) : std::nullopt;
  if (letters == 1 || padding != 4 - letters) return std::nullopt;
  group <<= 6 * (4 - letters);
  bytes += static_cast<char>(group >> 16 & 255u);
  if (letters == 3) bytes += static_cast<char>(group >> 8 & 255u);
  return bytes;
}

}  // namespace rescheduler::kube
