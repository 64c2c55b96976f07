// The volumes of a pod spec, compiled: the storage part of a CompiledPodSpec.
#pragma once

#include <string>
#include <vector>

#include "cluster/pod_spec/compiled_pod_spec.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

struct Interner;

struct PodVolumes {
  std::vector<ClaimUse> claims{};
  std::vector<InlineDisk> disks{};
  std::vector<MigratedVolume> migrated{};
  bool has_inline_csi = false;
  friend bool operator==(const PodVolumes&, const PodVolumes&) = default;
};

PodVolumes volumes_of(const api::Pod& pod, Interner& interner);

// Equal volumes append equal keys, different volumes append different keys.
void append_key(const PodVolumes& volumes, std::string& key);

}  // namespace rescheduler::cluster
