// The actions that a user of a demo can start in its cluster. Used only on the thread of the cluster.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "dashboard/actions.h"
#include "rescheduling/loop/controller.h"
#include "sim/cluster.h"
#include "sim/scenario/scenario_runner.h"

namespace rescheduler::cli {

class DemoActionRunner final : public dashboard::DemoActions {
 public:
  // All arguments must outlive the object. Without a controller, strategies cannot be switched.
  DemoActionRunner(sim::EmbeddedCluster& cluster, sim::ScenarioRunner& runner, rescheduling::Controller* controller);
  ~DemoActionRunner() override;

  Result<std::string> perform(const dashboard::DemoAction& demo_action) override;
  std::string choices() const override;

 private:
  Result<std::string> add_load(const dashboard::DemoAction& demo_action);
  Result<std::string> fault(const std::string& node, const std::string& fault, const std::string& sentence);
  Result<std::string> crash(const dashboard::DemoAction& demo_action);
  Result<std::string> heal(const std::string& node);
  Result<std::string> set_strategy(const dashboard::DemoAction& demo_action);
  bool has_node(const std::string& name) const;
  std::string chosen_workload(const dashboard::DemoAction& demo_action) const;  // ns/name; empty: none
  void on_pod(const sim::Change& change);

  sim::EmbeddedCluster& cluster_;
  sim::ScenarioRunner& runner_;
  rescheduling::Controller* controller_;
  std::map<std::string, std::string> crashing_;          // node -> ns/app that crashes there
  std::map<std::string, std::set<std::string>> broken_;  // node -> ns/pod that got the fault
  std::map<std::string, int> load_;                      // ns/name -> load in percent of its requests
  std::set<std::string> dead_;
  std::unique_ptr<sim::Store::Subscription> on_pods_;
};

}  // namespace rescheduler::cli
