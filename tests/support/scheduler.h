// A scheduler on a test's cluster, and a fixture for its tests.
//
//   class Preemption : public SchedulingTest {};
//   TEST_P(Preemption, ...) { add_node("a"); start_scheduler(); add_pod("p"); EXPECT_EQ(lands_on("p"), ...); }
//
// The test's nodes have a label, and its pods select only that label: tests on a shared cluster do not interfere.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/load_settings.h"
#include "kube/leader/leader_elector.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "net/event_loop.h"
#include "scheduler/live_scheduler.h"
#include "support/cluster.h"
#include "support/fault_injecting_api.h"

namespace rescheduler::test {

struct TestSchedulerSettings {
  std::string name{};  // name of the profile; the schedulerName of pods
  std::vector<config::Extender> extenders{};
  std::optional<cluster::LoadSettings> load{};  // enables placing by load, with the defaults of the plugin otherwise
  std::chrono::nanoseconds load_filter_wait = std::chrono::minutes{1};  // with `load`
  bool keeps_off_visited_nodes = false;                                 // enables the plugin Podrescheduling
  std::string home{};                           // the namespace of events about the scheduler itself
  std::optional<kube::LeaderSettings> lease{};  // takes part in leader election; otherwise it leads at once
};

// Threads as in the daemon: one for decisions, one for the network.
class TestScheduler {
 public:
  TestScheduler(TestCluster& cluster, TestSchedulerSettings settings);
  ~TestScheduler();  // stops the scheduler
  TestScheduler(const TestScheduler&) = delete;
  TestScheduler& operator=(const TestScheduler&) = delete;

  void stop();
  // Runs on the decision thread and waits for the end.
  void with_scheduler(std::function<void(scheduler::Scheduler&)> at);
  void with_api(const std::function<void(FaultInjectingApi&)>& how);
  std::size_t assumed();
  int held();
  std::vector<std::string> writes();
  std::size_t reads();  // gets of single objects
  double attempts();    // scheduling attempts so far, whatever the result
  std::string metrics();
  bool leads();
  const kube::LeaderFence& fence() const { return *fence_; }
  void set_intents(std::vector<scheduler::Intent> intents) { live_->set_intents(std::move(intents)); }  // any thread
  std::string load_status();  // the current load source
  Result<std::vector<usage::PodUse>> pod_usage() { return link_->await(live_->read_pod_usage()); }
  LiveApi& link() { return *link_; }

 private:
  void start_elector(kube::LeaderSettings lease);
  net::Task<Result<void>> begin();

  std::unique_ptr<LiveApi> link_;
  std::unique_ptr<FaultInjectingApi> api_;
  std::unique_ptr<net::EventLoop> deciding_;
  std::unique_ptr<kube::LeaderElector> elector_;
  std::shared_ptr<const kube::LeaderFence> fence_;
  bool leads_ = false;
  bool stopped_ = false;
  std::unique_ptr<scheduler::LiveScheduler> live_;
};

class SchedulingTest : public ClusterTest {
 protected:
  void TearDown() override;

  TestScheduler& start_scheduler(TestSchedulerSettings settings = {});
  TestScheduler& scheduler() { return *schedulers_.front(); }

  // `differs`: JSON merged into a node of 32 cores and 110 pods, in zone a.
  std::string add_node(const std::string& suffix, std::string_view differs = "{}");
  void patch_node(const std::string& node, const std::string& json);
  void remove_node(const std::string& node);

  // `differs`: JSON merged into a pod with one small container, for this scheduler and the test's nodes.
  api::Pod pod_like(const std::string& name, std::string_view differs = "{}") const;
  api::Pod add_pod(const std::string& name, std::string_view differs = "{}");
  void remove_pod(const std::string& name);
  api::Pod pod(const std::string& name);  // empty if there is no such pod

  std::string node_of_pod(const std::string& name) { return pod(name).spec().node_name(); }
  std::string lands_on(const std::string& name);  // waits; empty: the pod never gets a node
  // Waits until the scheduler reports the pod as unschedulable; returns the message.
  std::string wait_unschedulable(const std::string& name);
  // On the embedded cluster the whole message must match; on a shared one only the parts, because of other tests'
  // nodes.
  void expect_message(const std::string& name, const std::string& all, const std::vector<std::string>& parts);
  std::vector<std::string> events(const std::string& pod, const std::string& reason);          // returns their notes
  bool has_event(const std::string& pod, const std::string& reason, const std::string& note);  // waits
  // Cluster-scoped, named after the namespace; removed at the end.
  std::string priority_class(const std::string& suffix, int value);

  template <class T>
  T create(T object) {
    auto made = await(client().create(std::move(object)));
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::move(*made) : T();
  }
  template <class T>
  T parsed(std::string_view json) const {
    T object;
    parse_into(json, object);
    return object;
  }

 private:
  static void parse_into(std::string_view json, google::protobuf::Message& object);

  std::vector<std::unique_ptr<TestScheduler>> schedulers_;
  std::vector<std::string> priority_classes_;
};

const api::PodCondition* condition_of(const api::Pod& pod, std::string_view type);
// JSON of a pod's containers: one container with this CPU request.
std::string cpu_request(const std::string& cpu);

}  // namespace rescheduler::test
