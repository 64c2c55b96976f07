// Keeps spec.replicas pods of each ReplicaSet.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/controllers/controller_settings.h"
#include "sim/controllers/event_writer.h"
#include "sim/controllers/pods/owned_index.h"
#include "sim/controllers/pods/pod_control.h"
#include "sim/controllers/pods/pod_index.h"
#include "sim/controllers/pods/workload_watch.h"
#include "sim/controllers/work_queue.h"
#include "sim/server/server.h"

namespace rescheduler::api {
class ReplicaSet;
class ReplicaSetStatus;
}  // namespace rescheduler::api

namespace rescheduler::sim {

class ReplicaSetController {
 public:
  ReplicaSetController(Server& server, PodIndex& pods, EventWriter& events, ControllerSettings settings = {});
  ReplicaSetController(const ReplicaSetController&) = delete;
  ReplicaSetController& operator=(const ReplicaSetController&) = delete;

 private:
  void reconcile(const std::string& key);
  // Both functions return the error, if there is one.
  std::optional<std::string> create_missing(const std::string& key, const api::ReplicaSet& set, std::size_t missing);
  std::optional<std::string> delete_surplus(const api::ReplicaSet& set,
                                            std::vector<const PodView*> active,
                                            std::size_t surplus);
  std::vector<const PodView*> related_pods(const api::ReplicaSet& set) const;
  void look_again_when_available(const std::string& key,
                                 const api::ReplicaSet& set,
                                 const std::vector<const PodView*>& active);

  Server& server_;
  PodIndex& pods_;
  WorkQueue queue_;
  PodControl control_;
  OwnedIndex sets_;
  WorkloadWatch watch_;
};

}  // namespace rescheduler::sim
