// A part of the program that watches the cluster on every replica and acts on the one that leads.
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

// What one has no use for it leaves out, all but stop().
class Component {
 public:
  Component() = default;
  virtual ~Component() = default;
  Component(const Component&) = delete;
  Component& operator=(const Component&) = delete;

  virtual void follow() {}  // starts its informers
  // They have the whole state. Errc::Cancelled when the one who waits is cancelled.
  virtual net::Task<Result<void>> wait_synced() { co_return Result<void>{}; }
  virtual void lead() {}  // begins to act
  // Acts no more; what was begun is finished, and nothing of it runs on the loop any more. False: not within the grace.
  virtual net::Task<bool> stop(std::chrono::nanoseconds grace) = 0;
};

// Components in the order of their making: each may use those before it. They stop and go in the reverse order.
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
