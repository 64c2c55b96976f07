// One move at a time for a pod and for a workload: who has it, and who is next.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace rescheduler::migration {

class WorkloadQueue {
 public:
  // A move that has begun already has its turn, whoever came first: it may be another leader's.
  void stand_for(const std::string& uid, const std::string& move, bool begun);
  // Who has the turn instead; empty if this one has it, or nobody wants it.
  std::string ahead_of(const std::string& uid, const std::string& move) const;
  // It wants nothing any more. These have a turn now that had to wait for it: they alone need to look again. Were all
  // that wait to look whenever one ends, a hundred of them would keep the API server busy with nothing else.
  std::vector<std::string> leave(const std::string& move);

 private:
  std::map<std::string, std::deque<std::string>> queues_;  // by what is moved; the first has the turn
};

}  // namespace rescheduler::migration
