// Progress of a plan: which of its moves can begin now. A step begins when the step before it has ended. Within a step,
// the caps limit the number of concurrent moves. Pure: no I/O.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/rescheduling_settings.h"
#include "migration/migrator.h"
#include "rescheduling/planning/plan.h"

namespace rescheduler::rescheduling {

// Whether the caps allow one more concurrent move. For a node, leaving and coming pods are counted separately.
class CapsInUse {
 public:
  CapsInUse(config::MoveCaps caps, const std::vector<migration::MoveRequest>& under_way);
  bool fits(const PlannedMove& move) const;
  void take(const PlannedMove& move) { take(move.ns, move.lineage, move.source, move.target); }

 private:
  void take(const std::string& ns, const migration::Lineage& lineage, const std::string& from, const std::string& to);

  config::MoveCaps caps_;
  std::uint32_t total_ = 0;
  std::map<std::string, std::uint32_t> leaving_;
  std::map<std::string, std::uint32_t> coming_;
  std::map<std::string, std::uint32_t> namespaces_;
  std::map<migration::Lineage, std::uint32_t> lineages_;
};

class PlanProgress {
 public:
  // Moves of an earlier plan that have not begun are dropped. The migrator continues the moves that have begun.
  void adopt(std::shared_ptr<const Plan> plan);
  void drop() { adopt(nullptr); }

  std::vector<PlannedMove> due(const std::vector<migration::MoveRequest>& under_way,
                               const config::MoveCaps& at_once) const;
  void began(const std::string& uid) { set(uid, State::Begun); }
  void ended(const std::string& uid) { set(uid, State::Over); }
  void skipped(const std::string& uid) { set(uid, State::Over); }  // the cluster has changed

  // Every move has ended or was skipped.
  bool over() const;
  bool waiting() const;  // some moves have not begun
  const Plan* plan() const { return plan_.get(); }

 private:
  enum class State : std::uint8_t { Waiting, Begun, Over };
  void set(const std::string& uid, State state);

  std::shared_ptr<const Plan> plan_;
  std::vector<State> states_;  // by move
};

migration::MoveRequest move_request_for(const PlannedMove& move,
                                        const std::string& plan,
                                        std::chrono::nanoseconds deadline);

}  // namespace rescheduler::rescheduling
