// The volumes of a pod's spec, compiled: the part of a PodForm that is about storage.
#pragma once

#include <string>
#include <vector>

#include "cluster/forms/pod_form.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

struct Words;

struct PodVolumes {
  std::vector<ClaimUse> claims{};
  std::vector<InlineDisk> disks{};
  std::vector<MigratedVolume> migrated{};
  bool has_inline_csi = false;
  friend bool operator==(const PodVolumes&, const PodVolumes&) = default;
};

PodVolumes volumes_of(const api::Pod& pod, Words& words);

// Different for different volumes, the same for the same.
void append_key(const PodVolumes& volumes, std::string& key);

}  // namespace rescheduler::cluster
