// Everything that the plugins Rescheduler and Podrescheduling are told (`pluginConfig` of a profile), by who needs it.
#pragma once

#include <cstdint>
#include <string>

#include "base/phrase.h"
#include "cluster/load_settings.h"
#include "config/migration_settings.h"
#include "config/recovery_settings.h"
#include "config/rescheduling_settings.h"
#include "placement/args.h"

namespace rescheduler::config {

struct LogSettings {
  Language language = Language::English;  // what operators read
  bool json = false;                      // instead of klog's text
};

// The pages of the daemon.
struct DashboardSettings {
  bool enabled = true;
  std::string grafana{};  // where the pages link to; empty: nowhere
};

struct ReschedulerSettings {
  placement::ReschedulerArgs placing{};  // by load
  cluster::LoadSettings load{};
  ReschedulingSettings rescheduling{};
  LogSettings log{};
  MigrationSettings migration{};
  DashboardSettings dashboard{};
};

struct PodreschedulingSettings {
  placement::PodreschedulingArgs placing{};
  RecoverySettings recovery{};
};

}  // namespace rescheduler::config
