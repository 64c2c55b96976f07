// A scheduler at work on a test's cluster, and a fixture for tests of what it does there.
//
//   class Preemption : public SchedulingTest {};
//   TEST_P(Preemption, ...) { add_node("a"); start_scheduler(); add_pod("p"); EXPECT_EQ(lands_on("p"), ...); }
//
// The test's nodes are marked and its pods look for the mark and nothing else: on a shared cluster tests keep apart.
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
#include "support/meddling_api.h"

namespace rescheduler::test {

struct TestSchedulerSettings {
  std::string name{};  // profile; who asks for pods
  std::vector<config::Extender> extenders{};
  std::optional<cluster::LoadSettings> load{};  // places by load, with the plugin's defaults otherwise
  bool keeps_off_visited_nodes = false;         // with the plugin Podrescheduling
  std::string home{};                           // the namespace in which it tells of itself
  std::optional<kube::LeaderSettings> lease{};  // stands for election; otherwise it leads at once
};

// Threads as in the daemon: one that decides, one for the network.
class TestScheduler {
 public:
  TestScheduler(TestCluster& cluster, TestSchedulerSettings settings);
  ~TestScheduler();  // stops it
  TestScheduler(const TestScheduler&) = delete;
  TestScheduler& operator=(const TestScheduler&) = delete;

  void stop();
  // On the decision thread, waited for.
  void look(std::function<void(scheduler::Scheduler&)> at);
  void meddle(const std::function<void(MeddlingApi&)>& how);
  std::size_t assumed();
  int held();
  std::vector<std::string> writes();
  std::size_t reads();  // of single objects
  double attempts();    // decisions made so far, whatever came of them
  std::string metrics();
  bool leads();
  const kube::LeaderFence& fence() const { return *fence_; }
  void want(std::vector<scheduler::Intent> intents) { live_->want(std::move(intents)); }  // any thread
  std::string load_status();                                                              // who says how busy nodes are
  LiveApi& link() { return *link_; }

 private:
  void stand_for_election(kube::LeaderSettings lease);
  net::Task<Result<void>> begin();

  std::unique_ptr<LiveApi> link_;
  std::unique_ptr<MeddlingApi> api_;
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

  // JSON of what differs from a node of 32 cores and 110 pods, in zone a.
  std::string add_node(const std::string& suffix, std::string_view differs = "{}");
  void patch_node(const std::string& node, const std::string& json);
  void remove_node(const std::string& node);

  // JSON of what differs from a pod with one small container that asks for this scheduler and the test's nodes.
  api::Pod pod_like(const std::string& name, std::string_view differs = "{}") const;
  api::Pod add_pod(const std::string& name, std::string_view differs = "{}");
  void remove_pod(const std::string& name);
  api::Pod pod(const std::string& name);  // empty: not there

  std::string node_of_pod(const std::string& name) { return pod(name).spec().node_name(); }
  std::string lands_on(const std::string& name);  // waits; empty: it never gets a node
  // Waits until the scheduler has said that the pod has no node; what it said.
  std::string turned_away(const std::string& name);
  // On the embedded cluster the sentence as it is; on a shared one other tests' nodes come into it.
  void expect_said(const std::string& name, const std::string& all, const std::vector<std::string>& parts);
  std::vector<std::string> events(const std::string& pod, const std::string& reason);          // their notes
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
// The one container of a pod, asking for this much: for the JSON of a pod.
std::string asking_for(const std::string& cpu);

}  // namespace rescheduler::test
