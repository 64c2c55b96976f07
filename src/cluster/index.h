// Indexes of nodes and pods in the arrays of the model. An index converts to an integer, but neither an integer nor an
// index of the other kind converts to it.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace rescheduler::cluster {

template <class Of>
class Index {
 public:
  constexpr Index() = default;
  constexpr explicit Index(std::integral auto value) : value_(static_cast<std::uint32_t>(value)) {}

  constexpr operator std::uint32_t() const { return value_; }  // NOLINT(google-explicit-constructor)
  constexpr Index& operator++() {
    ++value_;
    return *this;
  }

  friend constexpr bool operator==(Index, Index) = default;
  friend constexpr auto operator<=>(Index, Index) = default;
  template <class Other>
  friend bool operator==(Index, Index<Other>) = delete;
  friend std::size_t hash_value(Index index) { return index.value_; }
  friend std::uint32_t format_as(Index index) { return index.value_; }

 private:
  std::uint32_t value_ = 0;
};

// Stays valid while the node or a pod on it is known.
using NodeIndex = Index<struct NodeIndexTag>;
inline constexpr NodeIndex kNoNode{~std::uint32_t{0}};

// Is used again after the pod is removed.
using PodIndex = Index<struct PodIndexTag>;
inline constexpr PodIndex kNoPod{~std::uint32_t{0}};

}  // namespace rescheduler::cluster
