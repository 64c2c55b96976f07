// The data that plugins store during one scheduling cycle. A what-if changes a copy of it when it adds or removes pods.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace rescheduler::placement {

struct StateData {
  virtual ~StateData() = default;
  virtual std::unique_ptr<StateData> clone() const = 0;
};

class CycleState {
 public:
  explicit CycleState(std::size_t plugins) : data_(plugins) {}

  CycleState(CycleState&&) = default;
  CycleState& operator=(CycleState&&) = default;
  CycleState clone() const {
    CycleState copy(data_.size());
    for (std::size_t i = 0; i < data_.size(); ++i) {
      if (data_[i]) copy.data_[i] = data_[i]->clone();
    }
    return copy;
  }

  // The data of the plugin with this slot. `T` must be the type that the plugin wrote; null: nothing written.
  template <class T>
  const T* find(std::size_t slot) const {
    return static_cast<const T*>(data_[slot].get());
  }
  template <class T>
  T* find(std::size_t slot) {
    return static_cast<T*>(data_[slot].get());
  }
  template <class T>
  T& write(std::size_t slot, T data) {
    auto owned = std::make_unique<T>(std::move(data));
    T& written = *owned;
    data_[slot] = std::move(owned);
    return written;
  }

 private:
  std::vector<std::unique_ptr<StateData>> data_;
};

}  // namespace rescheduler::placement
