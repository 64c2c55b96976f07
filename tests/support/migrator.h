// A MigrationController on a test's cluster, and a fixture for its tests.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kube/leader/leader_fence.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "migration/migration_controller.h"
#include "migration/record.h"
#include "support/crashing_api.h"
#include "support/scheduler.h"

namespace rescheduler::test {

struct TestMigratorSettings {
  migration::MigrationSettings migration{};
  int crash_after = -1;          // number of writes; -1: no crash
  bool only_loses_lead = false;  // loses its lease right before the last of these writes, instead of dying after it
};

class TestMigrator {
 public:
  TestMigrator(TestCluster& cluster, TestScheduler* steered, TestMigratorSettings settings);
  ~TestMigrator();  // stops it; moves in progress stay as they are
  TestMigrator(const TestMigrator&) = delete;
  TestMigrator& operator=(const TestMigrator&) = delete;

  void begin(migration::MoveRequest request);
  std::vector<migration::MoveOutcome> outcomes();
  std::vector<migration::MoveRequest> under_way();
  void sweep();
  bool dead();
  std::optional<migration::PlacementIntent> intent_for(const api::Pod& pod);  // any thread
  std::vector<std::string> writes();
  std::map<std::string, int> pod_reads();  // reads of single pods, by pod name
  bool leads() const { return fence_->may_act(); }
  void close_fence() { fence_->close(); }  // from now on it is not the leader
  std::string metrics() { return link_->services().metrics->text(); }

 private:
  std::unique_ptr<LiveApi> link_;
  std::unique_ptr<CrashingApi> api_;
  SystemClock clock_;
  std::shared_ptr<kube::LeaderFence> fence_;
  std::unique_ptr<migration::MigrationController> migrator_;
  std::vector<migration::MoveOutcome> outcomes_;
};

// Polls the pods of workloads every 50 ms in its own thread.
class AvailabilityWatch {
 public:
  AvailabilityWatch(TestCluster& cluster, std::string ns, std::vector<std::string> apps);
  ~AvailabilityWatch() { stop(); }
  void stop();
  int least_ready(const std::string& app) const { return least_ready_.at(app); }  // call after stop()
  int samples() const { return samples_; }

 private:
  std::unique_ptr<LiveApi> link_;
  std::atomic<bool> stop_{false};
  std::map<std::string, int> least_ready_;
  std::atomic<int> samples_{0};
  std::thread thread_;
};

class MigrationTest : public SchedulingTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  TestMigrator& start_migrator(TestMigratorSettings settings = {});
  TestMigrator& migrator() { return *migrators_.back(); }
  void kill_migrator() { migrators_.pop_back(); }

  api::Deployment deploy(const std::string& name, int replicas);
  api::StatefulSet deploy_set(const std::string& name, int replicas);
  bool available(const std::string& name, int replicas);
  std::vector<api::Pod> pods_of(const std::string& app);
  migration::MoveRequest move_request_for(const api::Pod& pod, const std::string& target);
  std::string other_node(const std::string& than);
  // Begins the move and waits until it ends.
  migration::MoveOutcome move(migration::MoveRequest request);
  std::vector<api::Migration> migrations();
  // Waits until no move is in progress.
  bool all_ended(std::chrono::seconds limit = std::chrono::seconds{120});
  // Objects, labels and annotations of migrations that are left in the namespace; empty: none.
  std::vector<std::string> leftovers();
  std::string template_hash(const std::string& deployment);  // includes the revision and the number of ReplicaSets

  std::vector<std::string> nodes_{};
  migration::MigrationSettings settings_{};
  std::string scheduler_name_{};  // schedulerName of the pods; empty: the test's scheduler
  std::map<std::string, std::string> pod_annotations_{};

 private:
  api::PodTemplateSpec pod_template(const std::string& app) const;
  std::vector<std::unique_ptr<TestMigrator>> migrators_;
};

}  // namespace rescheduler::test
