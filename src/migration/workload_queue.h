// Allows one move at a time for each pod and each workload, and queues the others.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace rescheduler::migration {

class WorkloadQueue {
 public:
  // `begun` puts a move in front, even if others were queued earlier: an earlier leader may have started it.
  void enqueue(const std::string& uid, const std::string& move, bool begun);
  // The first move in the queue of this UID; empty: `move` itself is first, or there is no queue.
  std::string ahead_of(const std::string& uid, const std::string& move) const;
  // Removes the move from all queues. Returns the moves that are now first: only these need to observe again. If every
  // queued move observed whenever one ends, a hundred queued moves would keep the API server busy.
  std::vector<std::string> remove(const std::string& move);

 private:
  std::map<std::string, std::deque<std::string>> queues_;  // by UID of the pod or workload; the first move runs
};

}  // namespace rescheduler::migration
