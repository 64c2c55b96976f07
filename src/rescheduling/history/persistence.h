// Is a node hot for long enough to act on it, or was that a single bad moment? A node counts once it was hot in
// `needed` of its last `of` looks - of all looks, also those at which nobody was hot, and none that lies further back.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "config/rescheduling_settings.h"
#include "rescheduling/planning/make_plan.h"

namespace rescheduler::rescheduling {

class PersistenceTracker {
 public:
  explicit PersistenceTracker(config::Persistence settings) : settings_(settings) {}

  // One look at the cluster: the nodes that are hot in it. A node of which nothing is known is not in it.
  void look(const std::set<std::string>& hot, bool uneven);
  // Nothing could be seen: that is no evidence for anything.
  void look_without_data() { look({}, false); }
  Evidence evidence() const;

 private:
  using Looks = std::uint64_t;  // the last one is bit 0
  bool lasts(Looks looks) const;
  Looks shifted(Looks looks, bool now) const;

  config::Persistence settings_;
  std::map<std::string, Looks> nodes_;
  Looks uneven_ = 0;
};

}  // namespace rescheduler::rescheduling
