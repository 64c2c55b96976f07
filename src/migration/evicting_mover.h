// The plainest way to move a pod: evict it, and see where its replacement comes up. It keeps budgets and never touches
// another pod than the one it was told of, but cannot say where the replacement goes, and knows nothing after a
// restart.
#pragma once

#include <memory>

#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "migration/mover.h"
#include "net/task.h"

namespace rescheduler::migration {

class EvictingMover final : public Mover {
 public:
  // Writes go through `api`; who must not write without leading hands in one that is fenced. Both outlive the loop's
  // jobs.
  EvictingMover(kube::Api& api, kube::LoopServices services);
  ~EvictingMover() override;  // what was begun is not followed any further

  void begin(MoveOrder order) override;
  std::vector<MoveOrder> under_way() const override;
  void on_outcome(std::function<void(const MoveOutcome&)> tell) override;
  net::Task<void> stop();  // to the end of what runs on the loop; tells of no more outcomes

  bool steers() const override { return false; }

  // Every pod, as it changes: among them the replacements. On the loop's thread.
  void seen(const kube::ObjectPtr& object) override;
  void gone(const kube::ObjectPtr& object) override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::migration
