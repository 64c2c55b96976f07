// How a move is carried out, as a configuration says it (`migration` and `logLanguage` of the plugin Rescheduler).
#pragma once

#include <string>

namespace rescheduler::placement {

struct MovingSettings {
  std::string log_language = "en";                   // or "zh": what operators read
  std::string log_format = "text";                   // or "json"
  bool direct = false;                               // pods of nobody are moved too
  std::string make_before_break = "SingleReplicas";  // or Never, Always
  int max_unavailable = 1;  // replicas of a workload that may be away by our doing: the larger of the two
  int max_unavailable_percent = 0;
  bool protect_unprotected = false;    // a PodDisruptionBudget for the time of the move, where none matches
  std::string budget_min_available{};  // of it, "1" or "25%"; neither: maxUnavailable 1
  std::string budget_max_unavailable{};
  friend bool operator==(const MovingSettings&, const MovingSettings&) = default;
};

}  // namespace rescheduler::placement
