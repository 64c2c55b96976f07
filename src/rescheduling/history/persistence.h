// Decides whether a node has been hot for long enough to act, or only for a moment. A node counts if it was hot in
// `needed` of the last `of` samples. Samples without any hot node count too; older samples do not.
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

  // Adds one sample: the nodes that are hot now. Nodes with unknown load are not in it, so that a sample without load
  // data is no evidence.
  void look(const std::set<std::string>& hot, bool uneven);
  Evidence evidence() const;

 private:
  using SampleBits = std::uint64_t;  // one bit per sample, the last sample is bit 0
  bool lasts(SampleBits samples) const;
  SampleBits shifted(SampleBits samples, bool now) const;

  config::Persistence settings_;
  std::map<std::string, SampleBits> nodes_;
  SampleBits uneven_ = 0;
};

}  // namespace rescheduler::rescheduling
