// Moves carried out on a test's cluster: a MigrationController on a loop, and a fixture for what it does there.
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
#include "support/mortal_api.h"
#include "support/scheduler.h"

namespace rescheduler::test {

struct TestMigratorSettings {
  migration::MigrationSettings migration{};
  int die_after = -1;            // writes
  bool only_loses_lead = false;  // at that moment, instead of dying
};

class TestMigrator {
 public:
  TestMigrator(TestCluster& cluster, TestScheduler* steered, TestMigratorSettings settings);
  ~TestMigrator();  // stops it: what is under way stays as it is
  TestMigrator(const TestMigrator&) = delete;
  TestMigrator& operator=(const TestMigrator&) = delete;

  void begin(migration::MoveRequest request);
  std::vector<migration::MoveOutcome> outcomes();
  std::vector<migration::MoveRequest> under_way();
  void sweep();
  bool dead();
  std::string wanted_on(const api::Pod& pod);  // any thread
  std::vector<std::string> writes();
  std::map<std::string, int> looks();  // at single pods, by name
  bool leads() const { return fence_->may_act(); }
  void close_fence() { fence_->close(); }  // another one leads from now on
  std::string metrics() { return link_->services().metrics->text(); }

 private:
  std::unique_ptr<LiveApi> link_;
  std::unique_ptr<MortalApi> api_;
  SystemClock clock_;
  std::shared_ptr<kube::LeaderFence> fence_;
  std::unique_ptr<migration::MigrationController> migrator_;
  std::vector<migration::MoveOutcome> outcomes_;
};

// Looks at the pods of workloads every 50 ms, by itself.
class AvailabilityWatch {
 public:
  AvailabilityWatch(TestCluster& cluster, std::string ns, std::vector<std::string> apps);
  ~AvailabilityWatch() { stop(); }
  void stop();
  int least_ready(const std::string& app) const { return least_ready_.at(app); }  // once it is stopped
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

  TestMigrator& start_mover(TestMigratorSettings settings = {});
  TestMigrator& migrator() { return *movers_.back(); }
  void kill_mover() { movers_.pop_back(); }

  api::Deployment deploy(const std::string& name, int replicas);
  api::StatefulSet deploy_set(const std::string& name, int replicas);
  bool available(const std::string& name, int replicas);
  std::vector<api::Pod> pods_of(const std::string& app);
  migration::MoveRequest move_request_for(const api::Pod& pod, const std::string& target);
  std::string other_node(const std::string& than);
  // Begins it, waits for its end.
  migration::MoveOutcome move(migration::MoveRequest request);
  std::vector<api::Migration> migrations();
  // Waits until none is under way.
  bool all_ended(std::chrono::seconds limit = std::chrono::seconds{120});
  // What is left of ours anywhere in the namespace; empty: nothing.
  std::vector<std::string> leftovers();
  std::string template_hash(const std::string& deployment);  // with the revision and the number of ReplicaSets

  std::vector<std::string> nodes_{};
  migration::MigrationSettings settings_{};
  std::string scheduler_name_{};  // whom pods ask for; empty: the test's scheduler
  std::map<std::string, std::string> pod_annotations_{};

 private:
  api::PodTemplateSpec pod_template(const std::string& app) const;
  std::vector<std::unique_ptr<TestMigrator>> movers_;
};

}  // namespace rescheduler::test
