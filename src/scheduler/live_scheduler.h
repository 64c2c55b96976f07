// A Scheduler that runs in a cluster: informers feed it, an ActionExecutor carries out its decisions.
//
// All calls on the loop's thread unless stated otherwise. The apis and services outlive the LiveScheduler and the jobs
// of the loop.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/configuration.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/leader/component.h"
#include "kube/leader/leader_fence.h"
#include "scheduler/cluster_sink.h"
#include "scheduler/decision_loop.h"
#include "scheduler/intents.h"
#include "usage/pod_use.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::scheduler {

struct LiveApis {
  kube::Api* api = nullptr;
  kube::Api* events = nullptr;  // a separate client, so that events never delay a binding; null: the same client
};

struct LiveSettings {
  config::Configuration configuration{};
  std::string host{};  // the reporting instance in events
  // The informers include finished pods, for listeners that count failures. The scheduler itself does not need them.
  bool finished_pods = false;
  std::size_t bindings_at_once = 64;
  std::uint64_t seed = 1;
  std::shared_ptr<const kube::LeaderFence> fence{};
  // The loop of the decisions, which has its own thread; null: the same loop as everything else.
  net::EventLoop* deciding = nullptr;
  net::EventLoop* network = nullptr;  // the loop of `services`; needed for extenders, because decisions block on them
};

class LiveScheduler final : public kube::Component {
 public:
  static Result<std::unique_ptr<LiveScheduler>> make(LiveApis apis, LiveSettings settings, kube::LoopServices services);
  ~LiveScheduler() override;

  void listen(ClusterSink sink);  // before follow(); the sink receives what the scheduler receives
  // Returns annotations for a pending pod of this scheduler; asked once per pod. The scheduler decides as if the pod
  // had them, and the binding writes them to the pod. Before follow().
  using PodAnnotator = std::function<std::map<std::string, std::string>(const api::Pod& pod)>;
  void annotate_by(PodAnnotator annotator);
  void follow() override;
  bool synced() const { return not_synced().empty(); }
  std::vector<std::string> not_synced() const;  // resources whose informer has not synced yet: "pods", "nodes"
  net::Task<Result<void>> wait_synced() override;
  void lead() override;
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;

  // Sets the target nodes of replacement pods. Call it before the step that makes a replacement pod appear.
  void set_intents(std::vector<Intent> intents);

  // The load source and its state, as text for users; nullopt: no profile uses load.
  std::optional<std::string> load_status() const;

  // The measured usage of all pods, from the load source in use.
  net::Task<Result<std::vector<usage::PodUse>>> read_pod_usage();

  // A copy of the cluster model, made on the decision thread.
  net::Task<std::unique_ptr<cluster::Cluster>> copy_cluster();
  // Any loop: calls `look` on the decision thread and returns when `look` has returned.
  net::Task<void> visit(std::function<void(Scheduler&)> look);
  // Any thread: reserves load on a node for a pod that moves there, under a unique key, until release().
  void reserve_load(const std::string& key, const std::string& node, const cluster::Loads& load);
  void release(const std::string& key);
  // Any thread: the measured usage of workloads. The scheduler expects the same usage from their new pods.
  void expect(usage::WorkloadUsagesPtr workload_usages);
  // Any thread: calls `look` on the decision thread.
  void inspect(std::function<void(Scheduler&)> look);

 private:
  struct State;
  explicit LiveScheduler(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::scheduler
