// How a move is carried out (`migration` of the plugin Rescheduler).
#pragma once

#include <cstdint>
#include <string>

namespace rescheduler::config {

// When the new pod comes before the old one goes.
enum class SurgeUse : std::uint8_t {
  Never,
  SingleReplicas,  // of their own accord only those whose move would be an outage
  Always,          // wherever it is safe
};

struct MigrationSettings {
  bool direct = false;  // bare pods are moved too
  SurgeUse surge = SurgeUse::SingleReplicas;
  // A workload may lack so many replicas at a time by our doing: the larger of the two, and at least one.
  std::uint32_t max_unavailable = 1;
  std::uint32_t max_unavailable_percent = 0;
  // Makes a PodDisruptionBudget where none matches, for as long as the move takes. Either of the two, as text: "1",
  // "25%"; both empty: maxUnavailable 1.
  bool protect_unprotected = false;
  std::string min_available{};
  std::string max_unavailable_budget{};
  friend bool operator==(const MigrationSettings&, const MigrationSettings&) = default;
};

}  // namespace rescheduler::config
