#include "rescheduling/history/persistence.h"

#include <bit>

namespace rescheduler::rescheduling {

bool PersistenceTracker::lasts(SampleBits samples) const { return std::popcount(samples) >= settings_.needed; }

PersistenceTracker::SampleBits PersistenceTracker::shifted(SampleBits samples, bool now) const {
  constexpr int kBits = 64;
  const SampleBits window = settings_.of >= kBits ? ~SampleBits{0} : (SampleBits{1} << settings_.of) - 1;
  return (samples << 1 | SampleBits{now}) & window;
}

void PersistenceTracker::look(const std::set<std::string>& hot, bool uneven) {
  for (const std::string& node : hot) nodes_.try_emplace(node, 0);
  for (auto& [node, samples] : nodes_) samples = shifted(samples, hot.contains(node));
  std::erase_if(nodes_, [](const auto& entry) { return entry.second == 0; });
  uneven_ = shifted(uneven_, uneven);
}

Evidence PersistenceTracker::evidence() const {
  Evidence evidence;
  for (const auto& [node, samples] : nodes_) {
    if (lasts(samples)) evidence.hot.insert(node);
  }
  evidence.uneven = lasts(uneven_);
  return evidence;
}

}  // namespace rescheduler::rescheduling
