// Whose word on load a plan rests on, and that word put into the world.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/plan/snapshot_input.h"
#include "cluster/load_settings.h"
#include "kube/client/loop_services.h"
#include "net/event_loop.h"

namespace rescheduler::cli {

// Who can be asked. No API where there is only a file.
struct LiveSources {
  kube::Api* api = nullptr;
  net::EventLoop* loop = nullptr;
  const kube::LoopServices* services = nullptr;
};

// `usage`: "requests", "metrics-server", "prometheus=URL", a file - or empty: the best there is. Sentences about what
// was left out go to `notes`.
Result<void> put_loads(const std::string& usage,
                       const cluster::LoadSettings& settings,
                       const LiveSources& live,
                       WallTime now,
                       SnapshotInput& into,
                       std::vector<std::string>& notes);

}  // namespace rescheduler::cli
