// What there is now according to the API server's history: pods, workloads, budgets and nodes as far as moves are
// judged by them. A workload has the name that its pods carry in the label "app"; a bare pod is a workload of its own.
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

using ResourceAmounts = std::map<std::string, std::int64_t>;  // in thousandths; "pods" among them

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
  std::optional<WallTime> cordoned{};  // since
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
  std::vector<std::string> bare_apps() const;  // that have ever been there
  // What the budgets that match pods of the workload ask for, by the budget's name.
  std::map<std::string, int> budgets(const std::string& app) const;
  // Of every pod on the node that has not finished.
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
