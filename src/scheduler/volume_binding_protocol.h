// Binding the volumes of one pod: what to do next, given what happened and what the API server has said. No sockets, no
// clock, no sleeping.
//
//   Started --> WriteVolume --Written--> ... --> WriteClaim --Written--> ... --> look --> Sleep --Woke--> look ...
//                    |  Failed                       |  Failed                    |
//                    +------------> Failed <---------+----- undone, timed out ----+----> Done, all claims are bound
//
// What has been written is never taken back: whoever binds volumes may have acted on it already. A pod that is tried
// again finds it, and goes on from there.
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

// Decided, and counted as such by the model. The records are those the decision was made with: their versions are what
// the writes are based on.
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

// What the API server has said last, without our promises.
class StorageView {
 public:
  virtual ~StorageView() = default;
  virtual cluster::VolumePtr volume(std::string_view name) const = 0;  // null: not there
  virtual cluster::ClaimPtr claim(std::string_view ns, std::string_view name) const = 0;
  virtual bool pod_exists(std::string_view uid) const = 0;
  // Fails when the node is gone, or the volume's place cannot be read.
  virtual Result<bool> reaches(const cluster::Volume& volume, std::string_view node) const = 0;
};

namespace volume_binding {

// What happened.
struct Started {};
struct Written {
  std::string version;  // of the object, now
};
struct WriteFailed {
  Error error;
};
struct Woke {};
using Input = std::variant<Started, Written, WriteFailed, Woke>;

// What to do.
struct WriteVolume {  // promise this volume to this claim
  cluster::VolumePtr volume;
  cluster::ClaimPtr claim;
};
struct WriteClaim {  // have a volume made for this claim, for this node
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

  // What the API server has not been told yet.
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
  // Of what was written, in order: volumes first. One for each write that is behind us.
  std::vector<std::string> versions_;
  SteadyTime deadline_{};
};

// Is a resourceVersion older than another? They are numbers that grow.
bool is_older(std::string_view version, std::string_view than);

}  // namespace rescheduler::scheduler
