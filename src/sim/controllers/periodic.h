// Runs a function periodically until the Periodic object is destroyed.
#pragma once

#include <functional>
#include <utility>

#include "sim/time/agenda.h"

namespace rescheduler::sim {

class Periodic {
 public:
  Periodic(Agenda& agenda, Agenda::Duration period, std::function<void()> act)
      : agenda_(agenda), period_(period), act_(std::move(act)) {
    arm();
  }
  ~Periodic() { agenda_.cancel(next_); }
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

 private:
  void arm() {
    next_ = agenda_.after(period_, [this] {
      arm();
      act_();
    });
  }

  Agenda& agenda_;
  Agenda::Duration period_;
  std::function<void()> act_;
  Agenda::Ticket next_{};
};

}  // namespace rescheduler::sim
