// Runs a scenario on an API server: creates nodes first, then workloads when the nodes are ready, then runs its events.
//
//   start() -> nodes are created -> all Ready, or kNodeTimeout over -> workloads, time 0 of the events -> ... -> over
//
// Errors of the server do not stop the run; they become ScenarioActivity entries. Belongs to the agenda's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/scenario/initial_placement.h"
#include "sim/scenario/scenario.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

// An action of the runner, or an error.
struct ScenarioActivity {
  WallTime at;
  std::string text;
  bool warning = false;
};

class ScenarioRunner {
 public:
  // Clusters without kubelets have no ready nodes, and a node that is dead from the start must not delay the rest.
  static constexpr std::chrono::seconds kNodeTimeout{15};

  ScenarioRunner(Server& server, Scenario scenario);
  ~ScenarioRunner();
  ScenarioRunner(const ScenarioRunner&) = delete;
  ScenarioRunner& operator=(const ScenarioRunner&) = delete;

  void start();
  bool begun() const { return began_.has_value(); }  // the workloads are being created
  bool over() const { return begun() && waiting_ == 0; }
  std::size_t events_left() const { return waiting_; }
  const Scenario& scenario() const { return scenario_; }

  // Performs an event that is not in the scenario now; its time is ignored.
  void perform(const TimedEvent& event);

  const std::vector<ScenarioActivity>& activities() const { return activities_; }
  void on_activity(std::function<void(const ScenarioActivity&)> listener) { listener_ = std::move(listener); }

 private:
  void look_at_nodes();
  void begin();
  void at(std::chrono::nanoseconds time, std::function<void()> what);
  void create(MessagePtr object);
  void create_workloads(const std::vector<const Workload*>& workloads);
  void report(std::string text, bool warning = false);
  void report_refusal(const std::string& what, const StatusError& refusal);

  void act(const event::Scale& scale);
  void act(const event::ChangeLoad& load);
  void act(const event::Fault& fault);
  void act(const event::Cordon& cordon);
  void act(const event::Mark& mark);
  void act(const event::DeletePods& pods);
  void act(const event::Apply& apply);
  void act(const event::Rollout& rollout);
  void act(const event::Nothing&) {}
  void apply(const Manifest& manifest);
  const Kind* workload_kind(const std::string& key) const;
  std::vector<std::string> pods_of(const std::string& workload) const;  // names
  void on_pod(const Change& change);
  void load_pod(const std::string& ns, const std::string& name, const event::ChangeLoad& load);

  Server& server_;
  Scenario scenario_;
  std::optional<InitialPlacer> placer_;
  std::optional<SteadyTime> began_;
  SteadyTime started_{};
  std::size_t waiting_ = 0;
  std::map<std::string, event::ChangeLoad> loads_;  // the last change of each workload, for future pods
  std::vector<ScenarioActivity> activities_;
  std::function<void(const ScenarioActivity&)> listener_;
  std::unique_ptr<Store::Subscription> on_pods_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace rescheduler::sim
