// Chooses the load source of a plan and sets its loads in the snapshot.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/plan/snapshot_input.h"
#include "cluster/load_settings.h"
#include "kube/client/loop_services.h"
#include "net/event_loop.h"

namespace rescheduler::cli {

// Clients for live sources. `api` is null if there are only files.
struct LiveSources {
  kube::Api* api = nullptr;
  net::EventLoop* loop = nullptr;
  const kube::LoopServices* services = nullptr;
};

// `usage`: "requests", "metrics-server", "prometheus", "prometheus=URL" or a file; empty: the best available source.
// `notes` gets sentences about data that was left out.
Result<void> put_loads(const std::string& usage,
                       const cluster::LoadSettings& settings,
                       const LiveSources& live,
                       WallTime now,
                       SnapshotInput& into,
                       std::vector<std::string>& notes);

}  // namespace rescheduler::cli
