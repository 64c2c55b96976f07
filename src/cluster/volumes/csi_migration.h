// In-tree volume plugins have been replaced by CSI drivers, one by one and node by node. Where one has been, its
// volumes are the driver's: under the driver's name, with a handle and node labels of its making.
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

// The driver that replaces a plugin; empty: none does, or it is not counted as replaced by the scheduler.
std::string_view driver_replacing(std::string_view plugin);
// Is this a plugin that some driver replaces, counted or not?
bool is_replaceable(std::string_view plugin);

struct Translated {
  std::string_view plugin{};
  std::string_view driver{};
  std::string_view zone_key{};  // the node label the driver uses for zones; empty: it has none
  Result<std::string> handle{};
};

// Nothing: no plugin that is replaced.
std::optional<Translated> translate(const api::PersistentVolume& volume);
std::optional<Translated> translate(const api::VolumeSource& inline_volume);

// Zone labels in the volume's affinity, or on the volume itself, become the driver's own.
void translate_zones(api::PersistentVolume& volume, std::string_view zone_key);

}  // namespace rescheduler::cluster
