// An embedded cluster in virtual time that is more than half full. It has workloads, PodDisruptionBudgets, a scheduler
// and a MigrationController, and it injects faults: requests are refused or time out, answers are lost, watches break,
// pods vanish, workloads are scaled and rolled out, nodes die, leaders change.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/metrics.h"
#include "base/rng.h"
#include "chaos/history_checker.h"
#include "chaos/lease_checking_api.h"
#include "kube/client/client.h"
#include "kube/client/loop_services.h"
#include "migration/migration_controller.h"
#include "scheduler/live_scheduler.h"
#include "sim/cluster.h"
#include "sim/frontend/faults.h"
#include "sim/frontend/local_api.h"
#include "sim/time/pacer.h"

namespace rescheduler::test {

struct ChaosSettings {
  bool wire = true;         // between the MigrationController and the API server
  bool disruptions = true;  // users, nodes, leaders
};

class ChaoticCluster {
 public:
  ChaoticCluster(std::uint64_t seed, ChaosSettings chaos);
  ~ChaoticCluster();

  // Begins this number of moves while it injects faults. Then the faults stop, and every move has to end.
  void run(int moves);

  const HistoryChecker& checker() const { return checker_; }
  const sim::FaultCounts& fault_counts() const { return faults_.counts(); }
  int moves_begun() const { return moves_begun_; }
  int leaders() const { return leaders_; }
  int disruptions() const { return disruptions_; }

 private:
  struct Leader {
    std::shared_ptr<kube::LeaderFence> lease{};
    std::unique_ptr<migration::MigrationController> migrator{};
  };

  kube::LoopServices services() { return {loop_.executor(), &loop_.timers(), &cluster_.agenda(), &rng_, &metrics_}; }
  kube::Client client() { return kube::Client(*reliable_api_); }
  template <class T>
  void create(const std::string& json);
  template <class T>
  void patch(const std::string& name, const std::string& json);

  void populate();
  void make_node(const std::string& name);
  void deploy(const std::string& name, int replicas);
  void deploy_set(const std::string& name, int replicas);
  void make_pod(const std::string& name, bool port);
  void protect(const std::string& app, const std::string& demand, const std::string& suffix = "");
  void start_scheduler();

  // Lets time pass; the current leader renews its lease.
  void advance(std::chrono::nanoseconds duration);
  void change_leader();
  void add_wire_faults();
  void stop_faults();

  void begin_move();
  void disrupt();
  void delete_a_pod();
  void scale(const std::string& app);
  void roll_out(const std::string& app);
  void break_a_node();
  void cordon_a_node();
  void cancel_move();
  void replace_lost_pod();
  void later(std::chrono::nanoseconds delay, std::function<void()> what);
  std::vector<const PodFacts*> running_pods() const;
  std::string any_node() { return "n" + std::to_string(rng_.below(kNodes)); }

  static constexpr std::uint64_t kNodes = 8;

  Rng rng_;
  ChaosSettings chaos_;
  MetricRegistry metrics_;
  int moves_begun_ = 0;
  int leaders_ = 0;
  int disruptions_ = 0;
  int bare_pods_ = 0;
  std::vector<std::string> deployments_;
  std::vector<std::pair<SteadyTime, std::function<void()>>> later_;
  std::string broken_node_{};
  std::string cordoned_node_{};
  sim::EmbeddedCluster cluster_;
  sim::WireFaults faults_;
  HistoryChecker checker_;
  std::unique_ptr<sim::LocalApi> reliable_api_;
  std::unique_ptr<sim::LocalApi> faulty_api_;
  std::vector<std::unique_ptr<LeaseCheckingApi>>
      lease_apis_;  // one for each leader; its coroutines may outlive the leader
  std::unique_ptr<scheduler::LiveScheduler> live_;
  std::vector<Leader> past_;  // still running, without the lease
  Leader leader_;
  sim::VirtualLoop loop_{cluster_.agenda()};  // last member: its coroutines use the others
};

}  // namespace rescheduler::test
