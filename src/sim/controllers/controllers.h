// The controllers of the embedded cluster that the settings enable, and the parts that they share.
#pragma once

#include <memory>

#include "base/rng.h"
#include "sim/controllers/controller_settings.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

class EventWriter;
class PodIndex;

class Controllers {
 public:
  // `rng` is for random delays: the time to provision a volume.
  Controllers(Server& server, Rng rng, ControllerSettings settings = {});
  ~Controllers();
  Controllers(const Controllers&) = delete;
  Controllers& operator=(const Controllers&) = delete;

  PodIndex& pods();       // also for kubelets and placement
  EventWriter& events();  // one for the whole cluster: it also deletes expired Events

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rescheduler::sim
