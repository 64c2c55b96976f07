// How a move is carried out (`migration` of the plugin Rescheduler).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace rescheduler::config {

// When the replacement pod must be ready before the old pod is deleted (make before break).
enum class SurgeUse : std::uint8_t {
  Never,
  SingleReplicas,  // only workloads with one replica, whose move would be an outage
  Always,          // wherever make before break is safe
};

struct MigrationSettings {
  // False: nothing is written to workloads, so there is no intent annotation and no make before break.
  bool coordination = true;
  // Maximum duration of a move that the controller starts, including the wait for a ready replacement pod.
  std::chrono::nanoseconds deadline = std::chrono::minutes{10};
  bool direct = false;  // true: also move bare pods
  SurgeUse surge = SurgeUse::SingleReplicas;
  bool avoid_source = true;  // the replacement pod gets the source node only if no other node is feasible
  // Maximum number of replicas of a workload that are unavailable because of moves: the larger of the two, at least 1.
  std::uint32_t max_unavailable = 1;
  std::uint32_t max_unavailable_percent = 0;
  // Creates a temporary PodDisruptionBudget during the move if none matches. At most one of the two fields is set, as
  // text: "1" or "25%". Both empty: maxUnavailable 1.
  bool protect_unprotected = false;
  std::string min_available{};
  std::string max_unavailable_budget{};
  friend bool operator==(const MigrationSettings&, const MigrationSettings&) = default;
};

}  // namespace rescheduler::config
