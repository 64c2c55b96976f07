// A set of plugins of one profile, as bits by slot (placement::Plugin::slot()).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace rescheduler::scheduler {

// The last bit stands for the extenders: all extenders together count as one plugin that every event can interest.
inline constexpr std::size_t kExtenderSlot = 63;

class PluginIndexSet {
 public:
  constexpr PluginIndexSet() = default;
  static PluginIndexSet only(std::size_t slot) {
    PluginIndexSet set;
    set.add(slot);
    return set;
  }
  static PluginIndexSet extender() { return only(kExtenderSlot); }

  void add(std::size_t slot) {
    RESCHEDULER_CHECK(slot <= kExtenderSlot, "a profile has at most {} plugins; slot {}", kExtenderSlot, slot);
    bits_ |= std::uint64_t{1} << slot;
  }
  bool has(std::size_t slot) const { return slot <= kExtenderSlot && (bits_ >> slot & 1U) != 0; }
  bool meets(PluginIndexSet other) const { return (bits_ & other.bits_) != 0; }
  bool empty() const { return bits_ == 0; }

  friend PluginIndexSet operator|(PluginIndexSet a, PluginIndexSet b) { return PluginIndexSet{a.bits_ | b.bits_}; }
  friend PluginIndexSet operator&(PluginIndexSet a, PluginIndexSet b) { return PluginIndexSet{a.bits_ & b.bits_}; }
  friend bool operator==(PluginIndexSet, PluginIndexSet) = default;

  template <class Visit>
  void each(Visit visit) const {
    for (std::uint64_t rest = bits_; rest != 0; rest &= rest - 1) {
      visit(static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }

 private:
  explicit constexpr PluginIndexSet(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

}  // namespace rescheduler::scheduler
