// Binds claims to volumes: to an existing volume that fits, or to a new volume of the class's provisioner.
//
//   claim names a volume, or a volume names the claim ... bound to each other
//   volumeBindingMode Immediate ........................ the smallest volume that fits; else a new one is provisioned
//   volumeBindingMode WaitForFirstConsumer ............. nothing until a scheduler has written the selected node
//
// A provisioned volume belongs to the zone of the selected node, like a disk of a cloud. Not supported: protection
// finalizers, expansion, snapshots, and pre-binding by the scheduler other than through the volume's claimRef.
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
  Agenda::Duration provisioning = std::chrono::seconds{2};  // average; the delay is 0.5 to 1.5 times this
};

// Whether the volume fits the claim. Does not check whether the volume is already bound.
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
  std::set<std::string> unbound_;       // keys of claims
  std::set<std::string> provisioning_;  // keys of claims that wait for a volume
  WorkQueue claims_;
  WorkQueue volumes_;
  WorkQueue provisions_;
  std::unique_ptr<Store::Subscription> on_claims_;
  std::unique_ptr<Store::Subscription> on_volumes_;
};

}  // namespace rescheduler::sim
