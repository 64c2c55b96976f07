// Every Migration of the API server's history, and what was to be expected of it: a move that nothing but the wire, a
// change of leader or another move came in the way of has to succeed.
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
  Anything,  // somebody came in its way
  Success,
  StatusError,  // the pod is protected, or its PodDisruptionBudgets never let it go
};

struct Move {
  std::string name{};
  std::string app{};
  std::string pod_uid{};
  std::string target{};
  std::string mode{};   // as carried out
  std::string phase{};  // the result once it has ended
  std::string replacement{};
  std::string message{};
  ResourceAmounts requests{};
  int on_target = 0;  // pods of the workload that were there before
  Expected expected = Expected::Anything;
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

  // The move as it stands after the change, if it has just ended; else null.
  const Move* apply(const api::Migration& migration, bool gone);
  // A user or a node has come in the way of these.
  void app_disturbed(const std::string& app);
  void node_closed(const std::string& node);
  void pod_bound(const PodFacts& pod);

  // Of a move that would begin now. `mode` as ordered.
  Expected expectation(const std::string& pod_uid, const std::string& target, const std::string& mode) const;

  const std::map<std::string, Move>& moves() const { return moves_; }  // by uid
  Results results(Expected expected) const;
  // One line for each that did not end as expected.
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
