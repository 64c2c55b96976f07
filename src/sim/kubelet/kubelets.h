// The kubelets of all nodes: run bound pods and send the heartbeats of nodes.
//
// There is one object for all nodes. It follows pods and nodes in the store and keeps a small PodRun for each pod that
// is not finished (pod_run.h). It processes a pod when something is due (pod_step.h). Every Node object has a kubelet.
// If a Node object is deleted, all containers of the node stop.
//
// Not supported: volumes, hooks, real probes (a readiness probe only delays), ephemeral containers, host ports,
// eviction under pressure (a node without free memory OOM-kills at once), and in-place resize except for its effect on
// load.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/rng.h"
#include "sim/kubelet/fault_board.h"
#include "sim/kubelet/heartbeats.h"
#include "sim/kubelet/node_table.h"
#include "sim/kubelet/pod_run.h"
#include "sim/kubelet/settings.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

class EventWriter;
class PodStep;

class Kubelets {
 public:
  // Without an EventWriter no Events are written.
  Kubelets(Server& server, LoadModel& load, Rng rng, KubeletSettings settings = {}, EventWriter* events = nullptr);
  ~Kubelets();
  Kubelets(const Kubelets&) = delete;
  Kubelets& operator=(const Kubelets&) = delete;

  FaultBoard& faults() { return faults_; }
  const KubeletSettings& settings() const { return settings_; }
  std::size_t tracked_pods() const { return index_.size(); }  // bound and not finished

 private:
  using Index = std::uint32_t;

  // --- following the store (kubelets_follow.cc); these functions write nothing ---
  void on_pod(const Change& change);
  void on_node(const Change& change);
  void adopt(const api::Pod& pod, std::string key);
  void observe_pod(Index index, const api::Pod& pod);
  void orphan(Index index);
  void apply_fault(KubeletNode& node);
  void power_off(KubeletNode& node);
  void resume_node(KubeletNode& node, bool rebooted);

  // --- acting, in events of the agenda ---
  void wake(Index index, Agenda::Duration delay);
  void sync_pod(Index index, std::string_view out_of_memory = {});
  struct Outcome {
    SteadyTime next = kNever;
    bool removable = false;
    std::string uid;
  };
  void step(Index index, KubeletNode& node, api::Pod& pod, std::string_view out_of_memory, Outcome& outcome);
  void enter(Index index, KubeletNode& node, const api::Pod& pod, PodStep& step);
  void follow_load(Index index, const KubeletNode& node, const api::Pod& pod, PodStep& step);
  void let_exit(PodRun& run) const;
  void remove_object(const std::string& key, const std::string& uid);
  void release(Index index);
  void relieve(KubeletNode& node);
  void record_events(const api::Pod& pod, const KubeletNode& node, PodStep& step);

  Server& server_;
  Agenda& agenda_;
  LoadModel& load_;
  Rng rng_;
  KubeletSettings settings_;
  EventWriter* events_;
  FaultBoard faults_;
  NodeTable nodes_;
  std::deque<PodRun> pods_;
  std::vector<Index> free_;
  std::unordered_map<std::string_view, Index> index_;  // keys point into pods_
  std::vector<Index> by_load_;                         // by LoadModel::PodId
  bool writing_ = false;
  Heartbeats heartbeats_;
  std::unique_ptr<Store::Subscription> on_nodes_;
  std::unique_ptr<Store::Subscription> on_pods_;
};

}  // namespace rescheduler::sim
