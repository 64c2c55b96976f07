// A credential in memory. Only reveal() returns the text, and every use of it can be found by a search. A Secret cannot
// be formatted or streamed by accident. Test frameworks print it as "[secret]".
#pragma once

#include <ostream>
#include <string>
#include <utility>

namespace rescheduler::kube {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  const std::string& reveal() const noexcept { return value_; }
  bool empty() const noexcept { return value_.empty(); }
  bool operator==(const Secret&) const = default;

  // Used by GoogleTest, which would otherwise print the bytes of the object.
  friend void PrintTo(const Secret&, std::ostream* out) { *out << "[secret]"; }

 private:
  std::string value_;
};

}  // namespace rescheduler::kube
