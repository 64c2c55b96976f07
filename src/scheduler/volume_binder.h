// Binds the volumes of a pod after its node is chosen: reserves them in the cluster model, writes the reservations to
// the API server, and waits until the volume controllers have provisioned and bound the volumes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cluster/cluster.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "placement/volume_decision.h"
#include "scheduler/volume_binding_protocol.h"

namespace rescheduler::scheduler {

// All or nothing: reserves no volume if it fails.
Result<ReservedVolumes> reserve_volumes(cluster::Volumes& volumes,
                                        const placement::VolumeDecision& decision,
                                        std::string_view node);
// Reverts the reservations, except where the API server has sent a newer object.
void unreserve_volumes(cluster::Volumes& volumes, const ReservedVolumes& reserved);

// The cluster model as a StorageView; on the thread of the model.
class ClusterStorageView final : public StorageView {
 public:
  using PodExists = std::function<bool(std::string_view uid)>;
  ClusterStorageView(const cluster::Cluster& cluster, PodExists pod_exists)
      : cluster_(cluster), pod_exists_(std::move(pod_exists)) {}

  cluster::VolumePtr volume(std::string_view name) const override;
  cluster::ClaimPtr claim(std::string_view ns, std::string_view name) const override;
  bool pod_exists(std::string_view uid) const override { return pod_exists_(uid); }
  Result<bool> reaches(const cluster::Volume& volume, std::string_view node) const override;

 private:
  const cluster::Cluster& cluster_;
  PodExists pod_exists_;
};

// Can bind the volumes of any number of pods at the same time, on one loop. Api, services and view must outlive the
// calls.
class VolumeBinder {
 public:
  VolumeBinder(kube::Api& api, kube::LoopServices services, const StorageView& view)
      : api_(api), services_(services), view_(view) {}

  struct Outcome {
    Result<void> bound{};
    ReservedVolumes unwritten{};  // not yet sent to the API server; unreserve these if the pod is not bound
  };
  net::Task<Outcome> bind(ReservedVolumes reserved, PodToBind pod, std::chrono::nanoseconds timeout);

 private:
  using Input = volume_binding::Input;
  using Action = volume_binding::Action;

  net::Task<Result<Input>> perform(const Action& action);
  net::Task<Result<Input>> write_volume(volume_binding::WriteVolume write);
  net::Task<Result<Input>> write_claim(volume_binding::WriteClaim write);

  kube::Api& api_;
  kube::LoopServices services_;
  const StorageView& view_;
};

}  // namespace rescheduler::scheduler
