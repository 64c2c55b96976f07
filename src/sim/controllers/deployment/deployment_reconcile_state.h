// The state of one reconcile of one Deployment, shared by the files of its controller.
#pragma once

#include <string>

#include "kube/proto/apps.pb.h"
#include "sim/controllers/deployment/deployment_controller.h"

namespace rescheduler::sim {

struct DeploymentController::ReconcileState {
  std::string key;
  api::Deployment deployment;  // as stored, except for the revision
  bool new_revision = false;   // must be stored
  ReplicaSetPtr new_set;       // null: not created yet
  ReplicaSets old_sets;        // oldest first

  ReplicaSets all_sets() const {
    ReplicaSets all = old_sets;
    if (new_set) all.push_back(new_set);
    return all;
  }
  const std::string& ns() const { return deployment.metadata().namespace_(); }
  const std::string& name() const { return deployment.metadata().name(); }
};

}  // namespace rescheduler::sim
