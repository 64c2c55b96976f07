// Deletes the content of terminating namespaces, then removes their finalizer.
#pragma once

#include <memory>
#include <string>

#include "sim/controllers/controller_scope.h"
#include "sim/controllers/work_queue.h"

namespace rescheduler::sim {

class NamespaceDeletion {
 public:
  explicit NamespaceDeletion(const ControllerScope& scope);

 private:
  void changed(const Change& change);
  void reconcile(const std::string& name);
  void finalize(const Version& version);

  Server& server_;
  WorkQueue queue_;
  std::unique_ptr<Store::Subscription> on_namespaces_;
};

}  // namespace rescheduler::sim
