// The settings of the Podrescheduling plugin: how strictly a pod is kept off nodes it failed on, and how failing pods
// are recovered.
#pragma once

#include "placement/args.h"
#include "placement/recovery_settings.h"

namespace rescheduler::placement {

struct PodreschedulingArgs final : PluginArgs {
  bool hard = false;  // rather no node than one it failed on
  RecoverySettings recovery{};
};

}  // namespace rescheduler::placement
