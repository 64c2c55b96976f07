// What plugins note down for themselves while one pod is being placed. A copy of it is changed to find out what would
// be if other pods came or went.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace rescheduler::placement {

struct Notes {
  virtual ~Notes() = default;
  virtual std::unique_ptr<Notes> clone() const = 0;
};

class CycleState {
 public:
  explicit CycleState(std::size_t plugins) : notes_(plugins) {}

  CycleState(CycleState&&) = default;
  CycleState& operator=(CycleState&&) = default;
  CycleState clone() const {
    CycleState copy(notes_.size());
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      if (notes_[i]) copy.notes_[i] = notes_[i]->clone();
    }
    return copy;
  }

  // Of a plugin, by its slot. `T` must be what that plugin wrote; null when it wrote nothing.
  template <class T>
  const T* find(std::size_t slot) const {
    return static_cast<const T*>(notes_[slot].get());
  }
  template <class T>
  T* find(std::size_t slot) {
    return static_cast<T*>(notes_[slot].get());
  }
  template <class T>
  T& write(std::size_t slot, T notes) {
    auto owned = std::make_unique<T>(std::move(notes));
    T& written = *owned;
    notes_[slot] = std::move(owned);
    return written;
  }

 private:
  std::vector<std::unique_ptr<Notes>> notes_;
};

}  // namespace rescheduler::placement
