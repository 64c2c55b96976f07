// metadata.managedFields: who owns which fields of an object, and how that came about.
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
  bool applies = false;       // by server-side apply; else by updates of any other sort
  std::string api_version{};  // of updates; an applier is the same whichever version it applies
  std::string subresource{};

  auto operator<=>(const FieldManager&) const = default;
};

struct OwnedFields {
  std::string api_version;  // which the paths are of
  std::string time;         // RFC 3339; empty: not known
  FieldSet fields;
};

using ManagedFields = std::map<FieldManager, OwnedFields>;

// Of a JSON array; an empty text is no managers.
Result<ManagedFields> read_managed_fields(std::string_view text);
// Appliers first, then by time and name, as Kubernetes lists them; empty when there are none.
std::string to_text(const ManagedFields& managed);

// "kubectl" with subresource "status" using apps/v1: as conflicts name it.
std::string described(const FieldManager& manager);

}  // namespace rescheduler::sim
