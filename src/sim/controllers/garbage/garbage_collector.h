// Deletes dependents after their owner (background), before it (foreground), or not at all (orphan). Also deletes
// objects whose owners all do not exist.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/controllers/controller_scope.h"
#include "sim/controllers/garbage/object_graph.h"
#include "sim/controllers/work_queue.h"

namespace rescheduler::sim {

class GarbageCollector {
 public:
  explicit GarbageCollector(const ControllerScope& scope);

 private:
  enum class Standing { Solid, Waiting, Dangling };

  void changed(const Change& change);
  void put(const Kind& kind, const api::ObjectMeta& metadata);
  void erase(const api::ObjectMeta& metadata);
  void look_at(UidHash uid);
  void look_at_dependents(UidHash owner);
  void reconcile(const std::string& key);
  Standing standing(const api::OwnerReference& owner, const api::ObjectMeta& dependent) const;
  // The current object; null if it is deleted or replaced by another object with the same name.
  VersionPtr current(UidHash uid, const ObjectGraph::Place& place) const;
  bool finish_foreground(UidHash uid, const Version& version);
  bool orphan_dependents(UidHash uid, const Version& version);
  bool judge(UidHash uid, const Version& version);
  bool remove(const Version& version, std::string_view policy);
  bool change_metadata(const Version& version, const std::function<void(api::ObjectMeta&)>& change);

  Server& server_;
  ObjectGraph graph_;
  WorkQueue queue_;  // uid hashes in hex
  std::unique_ptr<Store::Subscription> on_all_;
};

}  // namespace rescheduler::sim
