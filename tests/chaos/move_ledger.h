// Every Migration of the API server's history, with its expected result. A move has to succeed if only network faults,
// changes of leader or moves of other workloads interfere with it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "chaos/cluster_index.h"
#include "chaos/disturbances.h"

namespace rescheduler::api {
class Migration;
}  // namespace rescheduler::api

namespace rescheduler::test {

enum class Expected : std::uint8_t {
  Anything,  // a user, a node or another move of the workload interfered, or the target has no room
  Success,
  Refused,  // the pod is protected, its PodDisruptionBudgets never allow the eviction, or the mode is not possible
};

struct Move {
  std::string name{};
  std::string app{};
  std::string pod{};
  std::string pod_uid{};
  std::string target{};
  std::string mode{};   // as carried out, not as requested
  std::string phase{};  // the result once the move has ended
  std::string replacement{};
  std::string message{};
  ResourceAmounts requests{};
  int on_target = 0;  // pods of the workload that were on the target before
  Expected expected = Expected::Anything;
  WallTime begun{};
  WallTime closed{};
  bool open = true;
};

using Results = std::map<std::string, int>;  // moves by result

class MoveLedger {
 public:
  MoveLedger(const Clock& clock, const ClusterIndex& index, Disturbances& disturbances)
      : clock_(clock), index_(index), disturbances_(disturbances) {}

  void forbid(const std::string& app) { forbidden_.insert(app); }
  bool forbidden(const std::string& app) const { return forbidden_.contains(app); }

  // Returns the move if this change has ended it, else null.
  const Move* apply(const api::Migration& migration, bool gone);
  // A user or a node interferes with these moves.
  void app_disturbed(const std::string& app);
  void node_closed(const std::string& node);
  void pod_bound(const PodFacts& pod);

  // The expected result of a move that begins now. `mode` as requested.
  Expected expectation(const std::string& pod_uid, const std::string& target, const std::string& mode) const;

  // A later move has begun to move the replacement pod.
  bool moved_on(const Move& move) const;

  const std::map<std::string, Move>& moves() const { return moves_; }  // by uid
  Results results(Expected expected) const;
  // One line for each move that did not end as expected.
  std::vector<std::string> surprises() const;

 private:
  Move begun(const api::Migration& migration) const;
  bool budgets_refuse(const std::string& app, const WorkloadFacts& workload) const;
  int count_on(const std::string& app, const std::string& node) const;
  bool target_takes(const std::string& target, const ResourceAmounts& requests) const;

  const Clock& clock_;
  const ClusterIndex& index_;
  Disturbances& disturbances_;
  std::set<std::string> forbidden_;
  std::map<std::string, Move> moves_;
};

}  // namespace rescheduler::test
