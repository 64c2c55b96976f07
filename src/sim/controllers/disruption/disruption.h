// Keeps the status of PodDisruptionBudgets: how many of their pods are healthy, and how many disruptions are allowed.
//
// An eviction that used a disruption stays in status.disruptedPods until the pod terminates, or for two minutes.
// The controller also sets the condition DisruptionTarget to False if the pod does not terminate within two minutes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/controllers/controller_scope.h"
#include "sim/controllers/disruption/disruption_math.h"
#include "sim/controllers/work_queue.h"

namespace rescheduler::api {
class PodDisruptionBudget;
class PodDisruptionBudgetStatus;
}  // namespace rescheduler::api

namespace rescheduler::sim {

class DisruptionController {
 public:
  explicit DisruptionController(const ControllerScope& scope);

 private:
  using Pods = std::vector<const PodView*>;
  void budget_changed(const Change& change);
  void pod_changed(const PodView* before, const PodView* after);
  void pod_written(const Change& change);
  void reconcile(const std::string& key);
  void fail_safe(const api::PodDisruptionBudget& budget, const std::string& why);
  Result<int> scale_of_controllers(const api::PodDisruptionBudget& budget, const Pods& pods);
  void forget_stale_mark(const std::string& key);

  Server& server_;
  PodIndex& pods_;
  EventWriter& events_;
  // By namespace, then name.
  std::map<std::string, std::map<std::string, kube::LabelSelector>, std::less<>> selectors_;
  WorkQueue queue_;
  WorkQueue stale_marks_;
  PodIndex::Subscription on_pods_;
  std::unique_ptr<Store::Subscription> on_pod_writes_;
  std::unique_ptr<Store::Subscription> on_budgets_;
};

}  // namespace rescheduler::sim
