#include "meter.h"

#include <algorithm>
#include <cmath>

namespace rescheduler::replay {

void Meter::record(std::span<const double> cpu, std::span<const double> memory) {
  for (const double one : cpu) readings_by_time_[0].push_back(static_cast<float>(one));
  for (const double one : memory) readings_by_time_[1].push_back(static_cast<float>(one));
  ++readings_;
  for (const Measured what : {Measured::Cpu, Measured::Memory}) {
    auto& means = means_by_time_[static_cast<std::size_t>(what)];
    for (std::size_t node = 0; node < nodes_; ++node) means.push_back(static_cast<float>(mean(what, node, 5)));
  }
}

double Meter::mean(Measured what, std::size_t node, std::int64_t window) const {
  const std::int64_t from = begin(window);
  double sum = 0;
  for (std::int64_t at = from; at < readings_; ++at) sum += reading(what, node, at);
  return readings_ == from ? 0 : sum / static_cast<double>(readings_ - from);
}

double Meter::deviation(Measured what, std::size_t node, std::int64_t window) const {
  const double middle = mean(what, node, window);
  const std::int64_t from = begin(window);
  double squares = 0;
  for (std::int64_t at = from; at < readings_; ++at) {
    const double off = reading(what, node, at) - middle;
    squares += off * off;
  }
  return readings_ == from ? 0 : std::sqrt(squares / static_cast<double>(readings_ - from));
}

double Meter::percentile(Measured what, std::size_t node, std::int64_t window, double share) const {
  std::vector<double> all;
  for (std::int64_t at = begin(window); at < readings_; ++at) all.push_back(reading(what, node, at));
  if (all.empty()) return 0;
  const auto place = static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(all.size() - 1)));
  std::ranges::nth_element(all, all.begin() + place);
  return all[static_cast<std::size_t>(place)];
}

double Meter::largest_mean(Measured what, std::size_t node, std::int64_t window) const {
  const auto& means = means_by_time_[static_cast<std::size_t>(what)];
  float largest = 0;
  for (std::int64_t at = begin(window); at < readings_; ++at) {
    largest = std::max(largest, means[static_cast<std::size_t>(at) * nodes_ + node]);
  }
  return largest;
}

}  // namespace rescheduler::replay
