// For tests, in virtual time: a server with nodes, a scheduler, kubelets, and the workload controllers that a test
// starts. The scheduler binds a pod to the node of its required affinity, or else to the nodes in turn. The kubelets
// make bound pods ready and remove deleted pods, each after a delay.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core.pb.h"
#include "sim/controllers/event_writer.h"
#include "sim/controllers/pods/pod_index.h"
#include "sim/server/server.h"
#include "sim/time/agenda.h"

namespace rescheduler::sim {

class WorkloadRig {
 public:
  using seconds = std::chrono::seconds;

  explicit WorkloadRig(std::uint64_t seed = 1);
  ~WorkloadRig();

  // Each function starts a controller; a test starts those that it needs.
  void run_replica_sets();
  void run_deployments();  // also starts ReplicaSets
  void run_stateful_sets();
  void run_daemon_sets();

  void add_node(const std::string& name);

  template <class T>
  void apply(T object) {  // creates the object
    const auto made = server.create(std::move(object));
    if (!made) fail(made.error());
  }
  template <class T>
  std::shared_ptr<const T> get(std::string_view name) {
    return server.find<T>("default", name);
  }
  template <class T>
  void change(std::string_view name, const std::function<void(T&)>& how) {
    const auto written = server.modify<T>("default", name, how);
    if (!written) fail(written.error());
  }
  void pass(Agenda::Duration time) { agenda.run_for(time); }
  bool eventually(const std::function<bool()>& condition, Agenda::Duration limit = std::chrono::minutes{10}) {
    return agenda.run_until(condition, limit);
  }
  void delete_pod(std::string_view name, bool at_once = false);
  std::vector<std::string> events(std::string_view reason);  // their notes, in order of time

  Agenda agenda;
  Server server;
  PodIndex pods;
  EventWriter events_writer;
  Rng rng;

  Agenda::Duration start_delay = std::chrono::seconds{2};
  Agenda::Duration stop_delay = std::chrono::seconds{1};
  std::function<bool(const PodView&)> stays_unready;  // empty: all pods become ready

 private:
  static void fail(const StatusError& refusal);
  void on_pod(const PodView* before, const PodView* after);
  void schedule(const std::string& ns, const std::string& name);
  void start(const std::string& ns, const std::string& name);
  void stop(const std::string& ns, const std::string& name);

  std::vector<std::string> nodes_;
  std::size_t next_node_ = 0;
  PodIndex::Subscription pod_changes_;
  std::vector<std::shared_ptr<void>> controllers_;
};

// Small objects for tests.
api::PodTemplateSpec template_of(std::string_view app, std::string_view image = "app:1");
api::ReplicaSet replica_set(std::string_view name, int replicas);
api::Deployment deployment(std::string_view name, int replicas);
api::StatefulSet stateful_set(std::string_view name, int replicas);
api::DaemonSet daemon_set(std::string_view name);

}  // namespace rescheduler::sim
