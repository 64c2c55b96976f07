// The extension points of kube-scheduler, at which a plugin can take part in scheduling.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace rescheduler::placement {

// In the order in which they run for a pod.
enum class Point : std::uint8_t {
  PreEnqueue,
  QueueSort,
  PreFilter,
  Filter,
  PostFilter,
  PreScore,
  Score,
  Reserve,
  Permit,
  PreBind,
  Bind,
  PostBind,
};
inline constexpr std::size_t kPointCount = 12;

// As in the configuration file. kube-scheduler's metrics use the same names with a capital letter.
inline constexpr std::array<std::string_view, kPointCount> kPointNames = {
    "preEnqueue", "queueSort", "preFilter", "filter",  "postFilter", "preScore",
    "score",      "reserve",   "permit",    "preBind", "bind",       "postBind"};

inline std::string_view name_of(Point point) { return kPointNames[static_cast<std::size_t>(point)]; }

class PointSet {
 public:
  constexpr PointSet() = default;
  constexpr PointSet(std::initializer_list<Point> points) {
    for (Point point : points) add(point);
  }
  constexpr void add(Point point) { bits_ = static_cast<std::uint16_t>(bits_ | bit(point)); }
  constexpr bool has(Point point) const { return (bits_ & bit(point)) != 0; }

 private:
  static constexpr std::uint16_t bit(Point point) {
    return static_cast<std::uint16_t>(1U << static_cast<unsigned>(point));
  }
  std::uint16_t bits_ = 0;
};

}  // namespace rescheduler::placement
