// A small random engine (xoshiro256**). A seed gives the same sequence on every machine and with every standard
// library. Code takes an Rng as a parameter; only the daemon seeds one from the clock.
#pragma once

#include <array>
#include <cstdint>

namespace rescheduler {

class Rng {
 public:
  explicit Rng(std::uint64_t seed);

  std::uint64_t next();
  std::uint64_t below(std::uint64_t bound);  // 0 .. bound-1, unbiased; bound > 0
  double unit();                             // [0, 1)

  // Interface for the standard algorithms.
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return next(); }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace rescheduler
