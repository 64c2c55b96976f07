#include "migration/workload_queue.h"

#include <algorithm>

namespace rescheduler::migration {

void WorkloadQueue::enqueue(const std::string& uid, const std::string& move, bool begun) {
  if (uid.empty()) return;
  auto& queue = queues_[uid];
  const auto found = std::ranges::find(queue, move);
  if (found == queue.end()) {
    begun ? queue.push_front(move) : queue.push_back(move);
  } else if (begun && found != queue.begin()) {
    queue.erase(found);
    queue.push_front(move);
  }
}

std::string WorkloadQueue::ahead_of(const std::string& uid, const std::string& move) const {
  const auto found = queues_.find(uid);
  if (found == queues_.end() || found->second.front() == move) return {};
  return found->second.front();
}

std::vector<std::string> WorkloadQueue::remove(const std::string& move) {
  std::vector<std::string> next;
  for (auto one = queues_.begin(); one != queues_.end();) {
    auto& queue = one->second;
    const bool had_it = queue.front() == move;
    std::erase(queue, move);
    if (queue.empty()) {
      one = queues_.erase(one);
      continue;
    }
    if (had_it) next.push_back(queue.front());
    ++one;
  }
  return next;
}

}  // namespace rescheduler::migration
