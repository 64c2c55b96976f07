// What is done about a pod's volumes once its node is chosen: promised in the model (reserve), written to the API
// server, and waited for until whoever provisions and binds volumes has done so.
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

// Nothing is promised when it fails.
Result<ReservedVolumes> reserve_volumes(cluster::Volumes& volumes,
                                        const placement::VolumeDecision& decision,
                                        std::string_view node);
// Takes the promises back, except where something newer is known already.
void unreserve_volumes(cluster::Volumes& volumes, const ReservedVolumes& reserved);

// The model as a StorageView; on the model's thread.
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

// One per loop; any number of pods at a time. Api, services and view outlive what it runs.
class VolumeBinder {
 public:
  VolumeBinder(kube::Api& api, kube::LoopServices services, const StorageView& view)
      : api_(api), services_(services), view_(view) {}

  struct Outcome {
    Result<void> bound{};
    ReservedVolumes unwritten{};  // to be unreserved if the pod is not placed: what the API server has not been told
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
