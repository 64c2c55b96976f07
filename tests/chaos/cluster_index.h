// The current pods, workloads, PodDisruptionBudgets and nodes according to the API server's history, as far as the
// checks of moves need them. The name of a workload is the label "app" of its pods; a bare pod is a workload of its
// own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sim/server/server.h"

namespace rescheduler::api {
class Node;
class Pod;
class PodDisruptionBudget;
}  // namespace rescheduler::api

namespace rescheduler::test {

using ResourceAmounts = std::map<std::string, std::int64_t>;  // in thousandths; includes "pods"

struct PodFacts {
  std::string name{};
  std::string uid{};
  std::string app{};
  std::string node{};
  std::string revision{};  // of the workload's template
  ResourceAmounts requests{};
  bool bare = false;  // no controller
  bool ready = false;
  bool leaving = false;
  bool finished = false;
  bool evicted = false;  // through the Eviction API
  bool present() const { return !leaving && !finished; }
  bool available() const { return present() && ready; }
};

struct WorkloadFacts {
  std::string kind{};  // Deployment, StatefulSet or Pod
  int desired = 0;
};

struct NodeFacts {
  ResourceAmounts allocatable{};
  std::optional<WallTime> cordoned{};  // time of the cordon
  std::optional<WallTime> unready{};
};

struct Replicas {
  int present = 0;
  int available = 0;
  bool one_revision = true;
};

class ClusterIndex {
 public:
  explicit ClusterIndex(sim::Server& server) : server_(server) {}

  void apply(const sim::Change& change);

  const std::map<std::string, PodFacts>& pods() const { return pods_; }  // by uid
  const PodFacts* pod(const std::string& uid) const;
  const WorkloadFacts* workload(const std::string& app) const;
  const NodeFacts* node(const std::string& name) const;
  Replicas replicas(const std::string& app) const;
  std::vector<std::string> bare_apps() const;  // all that ever existed
  // The healthy pods that each PodDisruptionBudget of the workload requires, by the name of the budget.
  std::map<std::string, int> budgets(const std::string& app) const;
  // Requests of all pods on the node that have not finished.
  ResourceAmounts requested(const std::string& node) const;
  bool fits(const std::string& node, const ResourceAmounts& more) const;

 private:
  void pod_changed(const api::Pod& pod, bool gone);
  void node_changed(const api::Node& node);

  sim::Server& server_;
  std::map<std::string, PodFacts> pods_;
  std::map<std::string, WorkloadFacts> workloads_;
  std::map<std::string, NodeFacts> nodes_;
};

PodFacts facts_of(const api::Pod& pod);
void add(ResourceAmounts& to, const ResourceAmounts& more);

}  // namespace rescheduler::test
