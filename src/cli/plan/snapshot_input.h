// A world out of files or a live cluster, with what was measured where that is among it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "kube/client/api.h"
#include "rescheduling/planning/snapshot.h"
#include "usage/node_finder.h"
#include "usage/sample.h"

namespace rescheduler::cli {

struct SnapshotInput {
  rescheduling::Snapshot snapshot{};
  std::vector<usage::NodeIdentity> nodes{};      // for who measures them
  usage::Reading measured{};                     // NodeMetrics that were among the objects
  std::map<std::string, cluster::Loads> pods{};  // PodMetrics, by namespace/name: cores and bytes
  std::map<std::string, std::string> uids{};     // of pods, by namespace/name
  WallTime newest{};                             // the last thing that is dated in it: when a dump was made, nearly
  std::size_t skipped = 0;                       // objects of kinds that say nothing about moving pods
};

// `kubectl get ... -o json` or `-o yaml`: a list, an object, or several YAML documents. An object that cannot be read
// is an error: a model with holes would give wrong answers.
Result<void> read_dump(std::string_view text, std::string_view file, SnapshotInput& into);

// Only lists. Kinds that the server does not have, or that we may not see, are left out where placing pods does not
// need them; what they are is in `notes`.
net::Task<Result<void>> read_live(kube::Api& api, SnapshotInput& into, std::vector<std::string>& notes);
// metrics.k8s.io; what it is not known of is left out.
net::Task<Result<void>> read_pod_metrics(kube::Api& api, SnapshotInput& into);

}  // namespace rescheduler::cli
