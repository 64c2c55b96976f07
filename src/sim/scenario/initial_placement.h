// Puts the first pods of some workloads where their scenario wants them, before any scheduler has looked: that is how
// an imbalance comes about that no scheduler would have made. Pods that come later are left alone.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/scenario/node_rooms.h"
#include "sim/scenario/scenario.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

class InitialPlacer {
 public:
  InitialPlacer(Server& server, const Scenario& scenario);
  ~InitialPlacer();
  InitialPlacer(const InitialPlacer&) = delete;
  InitialPlacer& operator=(const InitialPlacer&) = delete;

 private:
  struct Wish {
    InitialPlacement placement;
    int left = 0;
  };
  void on_pod(const Change& change);
  void place(const std::string& ns, const std::string& name, const InitialPlacement& placement);

  Server& server_;
  std::map<std::string, Wish> wishes_;  // by workload: ns/app
  std::unique_ptr<NodeRooms> rooms_;    // none when nobody wishes anything
  std::unique_ptr<Store::Subscription> subscription_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // what is still on the agenda asks
};

}  // namespace rescheduler::sim
