// A snapshot from files or a live cluster, with the measured usage that they contain.
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
  std::vector<usage::NodeIdentity> nodes{};              // for load sources
  usage::Reading measured{};                             // NodeMetrics of the dump
  std::map<std::string, rescheduling::PodUsage> pods{};  // measured, by namespace/name
  std::map<std::string, std::string> uids{};             // of pods, by namespace/name
  WallTime newest{};                                     // the latest timestamp: approximately the time of the dump
  std::size_t skipped = 0;                               // objects of kinds that planning does not use
};

// Output of `kubectl get ... -o json` or `-o yaml`: a list, an object, or several YAML documents. An object that cannot
// be parsed is an error, because an incomplete model would give wrong results.
Result<void> read_dump(std::string_view text, std::string_view file, SnapshotInput& into);

// Uses only list requests. Kinds that the server does not have, or that must not be read, are skipped if scheduling
// does not need them; `notes` names them.
net::Task<Result<void>> read_live(kube::Api& api, SnapshotInput& into, std::vector<std::string>& notes);

}  // namespace rescheduler::cli
