// What every controller needs.
#pragma once

#include <string>
#include <string_view>

#include "sim/controllers/event_writer.h"
#include "sim/controllers/keys.h"
#include "sim/controllers/pods/pod_index.h"
#include "sim/server/server.h"
#include "sim/time/agenda.h"

namespace rescheduler::sim {

struct ControllerScope {
  Server& server;
  PodIndex& pods;
  EventWriter& events;
  Agenda::Duration lag;  // between a change and the reconcile
};

inline std::string key_of(std::string_view ns, std::string_view name) {
  std::string key(ns);
  key += '/';
  key += name;
  return key;
}

}  // namespace rescheduler::sim
