// The identity of a compiled object, as bytes: equal keys mean equal objects.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rescheduler::cluster {

class PodSignature {
 public:
  template <class Number>
    requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void add(Number number) {
    const auto value = static_cast<std::uint64_t>(number);
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(std::string_view text) {
    add(text.size());
    text_.append(text);
  }
  std::string& bytes() { return text_; }
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace rescheduler::cluster
