// Deletes pods from nodes with NoExecute taints that they do not tolerate: at once, or after tolerationSeconds.
// Does not respect PodDisruptionBudgets.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/controllers/controller_scope.h"
#include "sim/controllers/nodes/taint_math.h"
#include "sim/controllers/work_queue.h"

namespace rescheduler::sim {

class TaintEvictionController {
 public:
  explicit TaintEvictionController(const ControllerScope& scope);
  ~TaintEvictionController();

  std::size_t scheduled() const { return scheduled_.size(); }

 private:
  struct Scheduled {
    std::string uid;  // a StatefulSet's next pod has the same name
    Agenda::Ticket ticket{};
  };
  void node_changed(const Change& change);
  void pod_changed(const PodView* before, const PodView* after);
  void look_at_node(const std::string& name);
  void look_at_pod(const std::string& key);
  void judge(const std::string& key, const std::vector<TaintText>& taints);
  void cancel(const std::string& key);
  void evict(const std::string& key);
  void note(const std::string& key, std::string_view what);

  Server& server_;
  PodIndex& pods_;
  EventWriter& events_;
  std::map<std::string, std::vector<TaintText>, std::less<>> tainted_;  // by node
  std::map<std::string, Scheduled, std::less<>> scheduled_;             // by pod
  WorkQueue node_queue_;
  WorkQueue pod_queue_;
  std::unique_ptr<Store::Subscription> on_nodes_;
  PodIndex::Subscription on_pods_;
};

}  // namespace rescheduler::sim
