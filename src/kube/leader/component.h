// A part of the program that watches the cluster on every replica and acts only on the leader.
//
//   follow()  -->  wait_synced()  -->  lead()  -->  stop()
//
// Members belong to the loop's thread.
#pragma once

#include <chrono>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include "base/error.h"
#include "net/task.h"

namespace rescheduler::kube {

// A component overrides the functions that it needs; only stop() is required.
class Component {
 public:
  Component() = default;
  virtual ~Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

  virtual void follow() {}  // starts the informers
  // Returns when the informers have synced. Errc::Cancelled when the waiting coroutine is cancelled.
  virtual net::Task<Result<void>> wait_synced() { co_return Result<void>{}; }
  virtual void lead() {}  // starts to act
  // Starts no more actions and finishes running ones; then none of its jobs runs on the loop. False: `grace` was
  // exceeded.
  virtual net::Task<bool> stop(std::chrono::nanoseconds grace) = 0;
};

// Components in order of construction: each may use earlier ones. They are stopped and destroyed in reverse order.
class Components {
 public:
  Components() = default;
  ~Components() {
    while (!all_.empty()) all_.pop_back();
  }
  Components(const Components&) = delete;
  Components& operator=(const Components&) = delete;

  template <class T>
  T& add(std::unique_ptr<T> component) {
    T& added = *component;
    all_.push_back(std::move(component));
    return added;
  }
  net::Task<bool> stop(std::chrono::nanoseconds grace) {
    bool ended = true;
    for (const auto& component : all_ | std::views::reverse) {
      const bool one = co_await component->stop(grace);
      ended = ended && one;
    }
    co_return ended;
  }

 private:
  std::vector<std::unique_ptr<Component>> all_;
};

}  // namespace rescheduler::kube
