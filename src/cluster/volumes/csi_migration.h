// CSI migration: CSI drivers replace in-tree volume plugins, one plugin and one node at a time. A migrated volume
// belongs to the driver: it has the driver's name, handle and node labels.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rescheduler::api {
class PersistentVolume;
class VolumeSource;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

// The driver that replaces a plugin. Empty: no driver, or the scheduler does not count the plugin as replaced.
std::string_view driver_replacing(std::string_view plugin);
// Does a driver replace this plugin, counted or not?
bool is_replaceable(std::string_view plugin);

struct Translated {
  std::string_view plugin{};
  std::string_view driver{};
  std::string_view zone_key{};  // the node label that the driver uses for zones; empty: none
  Result<std::string> handle{};
};

// Nothing: the volume does not use a plugin that is replaced.
std::optional<Translated> translate(const api::PersistentVolume& volume);
std::optional<Translated> translate(const api::VolumeSource& inline_volume);

// Replaces the zone labels in the volume's affinity, or on the volume itself, by the driver's own.
void translate_zones(api::PersistentVolume& volume, std::string_view zone_key);

}  // namespace rescheduler::cluster
