// All settings of the plugins Rescheduler and Podrescheduling (`pluginConfig` of a profile), one struct per component.
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
  Language language = Language::English;  // of the log
  bool json = false;                      // instead of the text format of klog
};

struct DashboardSettings {
  bool enabled = true;
  std::string grafana{};  // address that the pages link to; empty: no links
};

struct ReschedulerSettings {
  placement::ReschedulerArgs placing{};  // of the scheduling plugin
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
