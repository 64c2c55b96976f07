// What a monitoring system knows about nodes: a reading a minute, and the usual statistics over the last readings.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace rescheduler::replay {

enum class Measured : std::uint8_t { Cpu, Memory };

class Meter {
 public:
  explicit Meter(std::size_t nodes) : nodes_(nodes) {}

  // Shares of the node, 0 to 1: the usage, not the demand.
  void record(std::span<const double> cpu, std::span<const double> memory);

  std::size_t nodes() const { return nodes_; }
  std::int64_t readings() const { return readings_; }
  double latest(Measured what, std::size_t node) const { return reading(what, node, readings_ - 1); }
  // Over the last `window` readings, or over fewer if there are not that many. Zero if there are none.
  double mean(Measured what, std::size_t node, std::int64_t window) const;
  double deviation(Measured what, std::size_t node, std::int64_t window) const;
  double percentile(Measured what, std::size_t node, std::int64_t window, double share) const;
  // The largest five-minute mean within the window.
  double largest_mean(Measured what, std::size_t node, std::int64_t window) const;

 private:
  double reading(Measured what, std::size_t node, std::int64_t at) const {
    return readings_by_time_[static_cast<std::size_t>(what)][static_cast<std::size_t>(at) * nodes_ + node];
  }
  std::int64_t begin(std::int64_t window) const { return readings_ > window ? readings_ - window : 0; }

  std::size_t nodes_;
  std::int64_t readings_ = 0;
  std::array<std::vector<float>, 2> readings_by_time_;
  std::array<std::vector<float>, 2> means_by_time_;  // five-minute means
};

}  // namespace rescheduler::replay
