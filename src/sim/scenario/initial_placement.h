// Places the first pods of some workloads where the scenario wants them, without a scheduler. This makes imbalances
// that no scheduler would make. Later pods are not changed.
//
// InitialPlacer sets the node of pods at their creation, like an admission webhook, so no scheduler can act first. The
// next Admission runs afterwards.
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
  PlacementRequest* request_of(const PendingWrite& pending_write);

  Server& server_;
  Admission* next_ = nullptr;
  std::map<std::string, PlacementRequest> requests_;  // by workload: ns/app
  std::unique_ptr<NodeRooms> rooms_;                  // null if no workload has a placement
};

}  // namespace rescheduler::sim
