// Checks moves by the API server's history only. It does not use the MigrationController, and it knows of a Migration
// only what its fields contain.
//
// The availability of a workload is checked at each ready pod that the workload loses. A workload that an injected
// fault has disturbed is exempt until it is complete again.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "chaos/breach.h"
#include "chaos/cluster_index.h"
#include "chaos/disturbances.h"
#include "chaos/move_ledger.h"
#include "sim/server/server.h"

namespace rescheduler::api {
class Deployment;
class ObjectMeta;
}  // namespace rescheduler::api

namespace rescheduler::test {

class HistoryChecker {
 public:
  explicit HistoryChecker(sim::Server& server);

  // Actions of the test itself, so that they are not attributed to the product. Call these before the action.
  void user_deletes_pod(const std::string& app) { disturb(app); }
  void user_scales(const std::string& app, int replicas);
  void user_rolls_out(const std::string& app);
  void node_fails(const std::string& node);
  void node_recovers(const std::string& node);

  void forbid(const std::string& app) { ledger_.forbid(app); }
  void single_identity(const std::string& app) { single_.insert(app); }
  void wrote_without_lease(const std::string& what);

  const std::vector<Breach>& breaches() const { return breaches_; }
  const MoveLedger& ledger() const { return ledger_; }
  const ClusterIndex& index() const { return index_; }
  std::size_t bindings() const { return bindings_; }
  std::size_t evictions() const { return evictions_; }
  // How often an undisturbed workload, or its PodDisruptionBudget, lost a ready pod; by name.
  const std::map<std::string, int>& judged_workloads() const { return judged_workloads_; }
  const std::map<std::string, int>& judged_budgets() const { return judged_budgets_; }

  // Call this when all moves have ended: nothing of the product may be left, and all objects of users must exist.
  void check_end();

 private:
  WallTime now() const { return server_.agenda().wall_now(); }
  void disturb(const std::string& app);
  void on_change(const sim::Change& change);
  // Called after the change is applied to the index. `before` and `disturbed` are the state before the change.
  void pod_changed(const PodFacts* before, const PodFacts* after, bool disturbed);
  void node_changed(const std::string& name);
  void deployment_changed(const api::Deployment& before, const api::Deployment& after);
  void migration_changed(const sim::Change& change);
  void check_binding(const PodFacts& pod);
  void check_copies(const PodFacts& pod);
  void check_eviction(const PodFacts& pod);
  void check_loss(const PodFacts& lost);
  void check_budgets(const PodFacts& lost, int available, int desired);
  bool explained(const PodFacts& lost) const;
  void check_success(const Move& move);
  void check_marks(const api::ObjectMeta& meta, std::string_view kind);
  void check_bare_pods();
  template <class... Args>
  void breach(BreachKind kind, fmt::format_string<Args...> text, Args&&... args) {
    breaches_.push_back({kind, fmt::format(text, std::forward<Args>(args)...)});
  }

  sim::Server& server_;
  ClusterIndex index_{server_};
  Disturbances disturbances_;
  MoveLedger ledger_;
  std::map<std::string, int> user_replicas_;  // set by users, at creation or by scaling
  std::map<std::string, int> rollouts_;
  std::map<std::string, int> templates_;
  std::set<std::string> single_;
  std::map<std::string, int> judged_workloads_;
  std::map<std::string, int> judged_budgets_;
  std::size_t bindings_ = 0;
  std::size_t evictions_ = 0;
  std::vector<Breach> breaches_;
  std::unique_ptr<sim::Store::Subscription> changes_;  // last member: it uses the others
};

}  // namespace rescheduler::test
