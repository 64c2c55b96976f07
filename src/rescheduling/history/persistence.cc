#include "rescheduling/history/persistence.h"

#include <bit>

namespace rescheduler::rescheduling {

bool PersistenceTracker::lasts(Looks looks) const { return std::popcount(looks) >= settings_.needed; }

PersistenceTracker::Looks PersistenceTracker::shifted(Looks looks, bool now) const {
  constexpr int kBits = 64;
  const Looks window = settings_.of >= kBits ? ~Looks{0} : (Looks{1} << settings_.of) - 1;
  return (looks << 1 | Looks{now}) & window;
}

void PersistenceTracker::look(const std::set<std::string>& hot, bool uneven) {
  for (const std::string& node : hot) nodes_.try_emplace(node, 0);
  for (auto& [node, looks] : nodes_) looks = shifted(looks, hot.contains(node));
  std::erase_if(nodes_, [](const auto& entry) { return entry.second == 0; });
  uneven_ = shifted(uneven_, uneven);
}

Evidence PersistenceTracker::evidence() const {
  Evidence evidence;
  for (const auto& [node, looks] : nodes_) {
    if (lasts(looks)) evidence.hot.insert(node);
  }
  evidence.uneven = lasts(uneven_);
  return evidence;
}

}  // namespace rescheduler::rescheduling
