// What every controller works with.
#pragma once

#include "sim/controllers/event_writer.h"
#include "sim/controllers/pod_index.h"
#include "sim/server/server.h"
#include "sim/time/agenda.h"

namespace rescheduler::sim {

struct ControllerScope {
  Server& server;
  PodIndex& pods;
  EventWriter& events;
  Agenda::Duration lag;  // between a change and a controller's look at it
};

// "namespace/name", as the queues carry it; cluster-scoped objects are "/name".
struct ObjectKey {
  std::string ns;
  std::string name;
};
inline std::string key_of(std::string_view ns, std::string_view name) {
  std::string key(ns);
  key += '/';
  key += name;
  return key;
}
inline ObjectKey split_key(std::string_view key) {
  const auto slash = key.find('/');
  return {std::string(key.substr(0, slash)), std::string(key.substr(slash + 1))};
}

}  // namespace rescheduler::sim
