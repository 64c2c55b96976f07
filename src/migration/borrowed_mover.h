// For those who want to own a Mover when somebody else already does. The other one outlives it.
#pragma once

#include <memory>

#include "migration/mover.h"

namespace rescheduler::migration {

class BorrowedMover final : public Mover {
 public:
  explicit BorrowedMover(Mover& mover) : mover_(mover) {}
  void begin(MoveOrder order) override { mover_.begin(std::move(order)); }
  std::vector<MoveOrder> under_way() const override { return mover_.under_way(); }
  void on_outcome(std::function<void(const MoveOutcome&)> tell) override { mover_.on_outcome(std::move(tell)); }

 private:
  Mover& mover_;
};

}  // namespace rescheduler::migration
