// The controllers of the embedded cluster, all that a settings object has on, and what they share.
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
  // `rng` is for those that draw lots: how long a volume takes to be provisioned.
  Controllers(Server& server, Rng rng, ControllerSettings settings = {});
  ~Controllers();
  Controllers(const Controllers&) = delete;
  Controllers& operator=(const Controllers&) = delete;

  PodIndex& pods();       // for others who need to know about pods: kubelets, placement
  EventWriter& events();  // one for the whole cluster: it also lets Events expire

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rescheduler::sim
