// A value from files that other programs renew. get() reads the files again after a minute, and at once after expire().
// While the files cannot be read, the last valid value stays in use, one warning is logged, and get() tries again every
// 10 seconds.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

namespace rescheduler::kube {

template <class T>
class Reloaded {
 public:
  using Load = std::function<Result<T>()>;

  // `what` names the files in warnings. `initial` counts as just read.
  Reloaded(std::string what, const Clock& clock, Load load, std::shared_ptr<const T> initial = nullptr)
      : what_(std::move(what)), clock_(clock), load_(std::move(load)), last_(std::move(initial)) {
    if (last_) read_again_at_ = clock_.steady_now() + kPeriod;
  }

  // Returns the same pointer while the content does not change.
  Result<std::shared_ptr<const T>> get() {
    if (last_ && clock_.steady_now() < read_again_at_) return last_;
    auto loaded = load_();
    if (!loaded) {
      if (!last_) return fail(std::move(loaded.error()));
      if (!std::exchange(warned_, true)) log_warning("{}; the previous content stays in use", loaded.error().message);
      read_again_at_ = clock_.steady_now() + kRetry;
      return last_;
    }
    if (std::exchange(warned_, false)) log_info("{} can be read again", what_);
    read_again_at_ = clock_.steady_now() + kPeriod;
    if (!last_ || !(*last_ == *loaded)) last_ = std::make_shared<const T>(std::move(*loaded));
    return last_;
  }

  void expire() { read_again_at_ = SteadyTime::min(); }

 private:
  static constexpr std::chrono::seconds kPeriod{60};  // as in client-go; the kubelet renews long before expiry
  static constexpr std::chrono::seconds kRetry{10};

  std::string what_;
  const Clock& clock_;
  Load load_;
  std::shared_ptr<const T> last_;
  SteadyTime read_again_at_ = SteadyTime::min();
  bool warned_ = false;
};

}  // namespace rescheduler::kube
