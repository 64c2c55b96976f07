// Brings claims and volumes together: a volume that is there and fits, or one that a class's provisioner makes.
//
//   claim names a volume, or a volume names the claim ... bound to each other
//   class binds immediately ............................ the smallest volume that fits; else one is provisioned
//   class waits for the first consumer ................. nothing until a scheduler has written the selected node
//
// A provisioned volume belongs to the selected node's zone, as a cloud's disk does. Left out: protection finalizers,
// expansion, snapshots, pre-binding by the scheduler other than through the volume's claimRef.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "base/rng.h"
#include "sim/controllers/controller_scope.h"
#include "sim/controllers/work_queue.h"

namespace rescheduler::api {
class PersistentVolume;
class PersistentVolumeClaim;
class StorageClass;
}  // namespace rescheduler::api

namespace rescheduler::sim {

struct VolumeBinderSettings {
  Agenda::Duration provisioning = std::chrono::seconds{2};  // on average; between half and one and a half of it
};

// Would this volume do for this claim? Whether somebody has it already is not asked.
bool volume_fits(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim);

class VolumeBinder {
 public:
  VolumeBinder(const ControllerScope& scope, Rng rng, VolumeBinderSettings settings = {});

 private:
  using ClaimPtr = std::shared_ptr<const api::PersistentVolumeClaim>;
  using VolumePtr = std::shared_ptr<const api::PersistentVolume>;
  void claim_changed(const Change& change);
  void volume_changed(const Change& change);
  void reconcile_claim(const std::string& key);
  void reconcile_volume(const std::string& name);
  VolumePtr find_volume(const api::PersistentVolumeClaim& claim, bool any) const;
  bool bind(const api::PersistentVolumeClaim& claim, const api::PersistentVolume& volume);
  void provision_soon(const api::PersistentVolumeClaim& claim);
  void provision(const std::string& key);
  void note(const api::PersistentVolumeClaim& claim, std::string_view reason, std::string text);

  Server& server_;
  EventWriter& events_;
  Rng rng_;
  VolumeBinderSettings settings_;
  std::set<std::string> unbound_;       // claims
  std::set<std::string> provisioning_;  // of them
  WorkQueue claims_;
  WorkQueue volumes_;
  WorkQueue provisions_;
  std::unique_ptr<Store::Subscription> on_claims_;
  std::unique_ptr<Store::Subscription> on_volumes_;
};

}  // namespace rescheduler::sim
