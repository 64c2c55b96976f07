// metadata.managedFields: which manager owns which fields of an object.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/error.h"
#include "sim/patch/field_set.h"

namespace rescheduler::sim {

struct FieldManager {
  std::string name;
  bool applies = false;       // true: server-side apply; false: any other write
  std::string api_version{};  // for updates; an applier is the same for all versions
  std::string subresource{};

  auto operator<=>(const FieldManager&) const = default;
};

struct OwnedFields {
  std::string api_version;  // the version of the paths
  std::string time;         // RFC 3339; empty: unknown
  FieldSet fields;
};

using ManagedFields = std::map<FieldManager, OwnedFields>;

// Reads a JSON array; an empty text means no managers.
Result<ManagedFields> read_managed_fields(std::string_view text);
// Appliers first, then by time and name, as in Kubernetes; empty without managers.
std::string to_text(const ManagedFields& managed);

// "kubectl" with subresource "status" using apps/v1: the name in conflict messages.
std::string described(const FieldManager& manager);

}  // namespace rescheduler::sim
