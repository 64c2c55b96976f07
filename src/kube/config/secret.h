// A credential in memory. It can be handed over with reveal(), and that word can be searched for; it cannot be
// formatted, streamed or compared into a message by accident. Test frameworks print it as "[secret]".
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

  // GoogleTest finds this one; without it, it would print the object's bytes.
  friend void PrintTo(const Secret&, std::ostream* out) { *out << "[secret]"; }  // NOLINT: its name is GoogleTest's

 private:
  std::string value_;
};

}  // namespace rescheduler::kube
