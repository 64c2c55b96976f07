// Binds the volumes of one pod: decides on the next action from the last input and the state of the API server. No
// sockets, no clock, no sleeping.
//
//   Started --> WriteVolume --Written--> ... --> WriteClaim --Written--> ... --> look --> Sleep --Woke--> look ...
//                    |  WriteFailed                  |  WriteFailed               |
//                    +------------> Failed <---------+---- reverted, timed out ---+----> Done, all claims are bound
//
// A write is never reverted, because a volume controller may have acted on it already. The next attempt for the pod
// finds the written objects and continues from there.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "cluster/volumes/volume_records.h"
#include "scheduler/actions.h"

namespace rescheduler::scheduler {

// The volumes that a decision chose for a pod; the cluster model assumes them. The records are those of the decision,
// and writes use their resourceVersion.
struct ReservedVolumes {
  struct Binding {
    cluster::VolumePtr volume{};
    cluster::ClaimPtr claim{};
  };
  std::string node{};
  std::vector<Binding> bindings{};
  std::vector<cluster::ClaimPtr> provisions{};

  bool empty() const { return bindings.empty() && provisions.empty(); }
};

// The latest state from the API server, without the assumed reservations.
class StorageView {
 public:
  virtual ~StorageView() = default;
  virtual cluster::VolumePtr volume(std::string_view name) const = 0;  // null: not found
  virtual cluster::ClaimPtr claim(std::string_view ns, std::string_view name) const = 0;
  virtual bool pod_exists(std::string_view uid) const = 0;
  // Fails if the node is gone, or if the node affinity of the volume cannot be read.
  virtual Result<bool> reaches(const cluster::Volume& volume, std::string_view node) const = 0;
};

namespace volume_binding {

// Inputs.
struct Started {};
struct Written {
  std::string version;  // the new resourceVersion of the object
};
struct WriteFailed {
  Error error;
};
struct Woke {};
using Input = std::variant<Started, Written, WriteFailed, Woke>;

// Actions.
struct WriteVolume {  // sets the claimRef of the volume to the claim
  cluster::VolumePtr volume;
  cluster::ClaimPtr claim;
};
struct WriteClaim {  // requests provisioning for the claim on the node
  cluster::ClaimPtr claim;
  std::string node;
};
struct Sleep {
  std::chrono::nanoseconds duration;
};
struct Done {};
struct Failed {
  Error error;
};
using Action = std::variant<WriteVolume, WriteClaim, Sleep, Done, Failed>;

}  // namespace volume_binding

class VolumeBindingProtocol {
 public:
  VolumeBindingProtocol(ReservedVolumes reserved, PodToBind pod, std::chrono::nanoseconds timeout)
      : reserved_(std::move(reserved)), pod_(std::move(pod)), timeout_(timeout) {}

  volume_binding::Action next(const volume_binding::Input& on_event, SteadyTime now, const StorageView& view);

  // The reservations that are not yet written to the API server.
  ReservedVolumes unwritten() const;

 private:
  using Action = volume_binding::Action;
  enum class Progress { Wait, Bound };

  bool is_written(std::size_t index, const StorageView& view) const;
  Action write_next(SteadyTime now, const StorageView& view);
  Action look(SteadyTime now, const StorageView& view) const;
  Result<Progress> check(const StorageView& view) const;
  Result<Progress> check_binding(std::size_t index, const StorageView& view) const;
  Result<Progress> check_provision(std::size_t index, const StorageView& view) const;
  Result<void> check_place(const cluster::Volume& volume, const StorageView& view) const;

  ReservedVolumes reserved_;
  PodToBind pod_;
  std::chrono::nanoseconds timeout_;
  // resourceVersions of the written objects: volumes first, then claims. One for each completed write.
  std::vector<std::string> versions_;
  SteadyTime deadline_{};
};

// Compares resourceVersions, which are growing numbers.
bool is_older(std::string_view version, std::string_view than);

}  // namespace rescheduler::scheduler
