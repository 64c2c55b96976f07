#include "kube/value/name.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "kube/value/quote.h"

namespace rescheduler::kube {
namespace {

constexpr std::size_t kMaxLabel = 63;
constexpr std::size_t kMaxSubdomain = 253;

constexpr bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
constexpr bool is_alphanumeric(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

// The syntax of a DNS label, without the length limit.
bool has_label_shape(std::string_view text) {
  return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back())
         && std::ranges::all_of(text, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool has_subdomain_shape(std::string_view text) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!has_label_shape(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// The syntax of the name part of a key, or of a non-empty label value.
bool has_name_shape(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back())
         && std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

Unexpected too_long(std::string_view what, std::string_view text, std::size_t limit) {
  return fail(Errc::Invalid, "{} {} has {} bytes: at most {} are allowed", what, kube::quoted(text), text.size(),
              limit);
}

Unexpected misshapen_name(std::string_view what, std::string_view text) {
  return fail(Errc::Invalid,
              "{} {} is not valid: use letters, digits, '-', '_' and '.', and begin and end with a letter or digit",
              what, kube::quoted(text));
}

}  // namespace

bool is_dns_label(std::string_view text) noexcept { return text.size() <= kMaxLabel && has_label_shape(text); }

Result<void> check_dns_label(std::string_view text) {
  if (text.size() > kMaxLabel) return too_long("name", text, kMaxLabel);
  if (has_label_shape(text)) return {};
  if (has_subdomain_shape(text)) return fail(Errc::Invalid, "name {} must not contain dots", kube::quoted(text));
  return fail(
      Errc::Invalid,
      "name {} is not an RFC 1123 label: use lower-case letters, digits and '-', and begin and end with a letter "
      "or digit",
      kube::quoted(text));
}

bool is_dns_subdomain(std::string_view text) noexcept {
  return text.size() <= kMaxSubdomain && has_subdomain_shape(text);
}

Result<void> check_dns_subdomain(std::string_view text) {
  if (text.size() > kMaxSubdomain) return too_long("name", text, kMaxSubdomain);
  if (has_subdomain_shape(text)) return {};
  return fail(
      Errc::Invalid,
      "name {} is not an RFC 1123 subdomain: use lower-case letters, digits, '-' and '.', and begin and end each "
      "part with a letter or digit",
      kube::quoted(text));
}

bool is_label_key(std::string_view text) noexcept {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    if (!is_dns_subdomain(text.substr(0, slash))) return false;
    text.remove_prefix(slash + 1);
  }
  return text.size() <= kMaxLabel && has_name_shape(text);
}

Result<void> check_label_key(std::string_view text) {
  std::string_view name = text;
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return fail(Errc::Invalid, "key {} has more than one '/': write [prefix/]name", kube::quoted(text));
    }
    auto prefix = check_dns_subdomain(text.substr(0, slash));
    if (!prefix) return fail(std::move(prefix.error()).within("prefix of key " + kube::quoted(text)));
  }
  if (name.empty()) return fail(Errc::Invalid, "key {} has no name part", kube::quoted(text));
  if (name.size() > kMaxLabel) return too_long("the name part of key", name, kMaxLabel);
  if (!has_name_shape(name)) return misshapen_name("key", text);
  return {};
}

bool is_label_value(std::string_view text) noexcept {
  return text.empty() || (text.size() <= kMaxLabel && has_name_shape(text));
}

Result<void> check_label_value(std::string_view text) {
  if (is_label_value(text)) return {};
  if (text.size() > kMaxLabel) return too_long("label value", text, kMaxLabel);
  return misshapen_name("label value", text);
}

}  // namespace rescheduler::kube
