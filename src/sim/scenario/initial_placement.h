// Puts the first pods of some workloads where their scenario wants them, whatever a scheduler thinks: that is how an
// imbalance comes about that no scheduler would have made. Pods that come later are left alone.
//
// It stands in the way of pods as they are created, like an admission webhook, and gives them their node: so nobody
// can be quicker. Whoever else reviews pods is asked afterwards.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/scenario/node_rooms.h"
#include "sim/scenario/scenario.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

class InitialPlacer final : public Admission {
 public:
  InitialPlacer(Server& server, const Scenario& scenario);
  ~InitialPlacer() override;
  InitialPlacer(const InitialPlacer&) = delete;
  InitialPlacer& operator=(const InitialPlacer&) = delete;

  bool concerns(const PendingWrite& pending_write) override;
  void review(PendingWrite pending_write, Done done) override;

 private:
  struct PlacementRequest {
    InitialPlacement placement;
    int left = 0;
  };
  PlacementRequest* wish_of(const PendingWrite& pending_write);

  Server& server_;
  Admission* next_ = nullptr;
  std::map<std::string, PlacementRequest> wishes_;  // by workload: ns/app
  std::unique_ptr<NodeRooms> rooms_;                // none when nobody wishes anything
};

}  // namespace rescheduler::sim
