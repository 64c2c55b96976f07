#include "kube/value/quote.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace rescheduler::kube {
namespace {

// Longer than the name part of any valid label key, and shorter than a log line.
constexpr std::size_t kShown = 80;

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
  if (text.size() > kShown) out += fmt::format("... ({} bytes)", text.size());
  return out;
}

}  // namespace rescheduler::kube
