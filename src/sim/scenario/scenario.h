// A scenario: the initial state of a cluster, and the events that follow. Plain values; scenario_file.h reads them,
// scenario_objects.h converts them to API objects and scenario_runner.h runs them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "sim/scenario/manifest.h"

namespace rescheduler::sim {

using TextMap = std::map<std::string, std::string, std::less<>>;

struct TaintSpec {
  std::string key;
  std::string value{};
  std::string effect{};  // NoSchedule, PreferNoSchedule, NoExecute
};

struct TolerationSpec {
  std::string key;
  std::string value{};                                // empty: any
  std::string effect{};                               // empty: any
  std::optional<std::chrono::nanoseconds> seconds{};  // NoExecute: tolerationSeconds
};

// Nodes of one shape.
struct NodeGroup {
  std::string name;    // the name in placements and events
  std::string prefix;  // its nodes are PREFIX-1, PREFIX-2, ...
  int count = 1;
  std::vector<std::string> names{};  // if not empty: these names instead of numbered ones
  std::string cpu = "8";
  std::string memory = "32Gi";
  int pods = 110;
  TextMap resources{};  // extended resources: nvidia.com/gpu: "8"
  TextMap labels{};
  TextMap annotations{};
  std::vector<TaintSpec> taints{};
  std::vector<std::string> zones{};  // topology.kubernetes.io/zone, assigned round-robin

  int size() const { return names.empty() ? count : static_cast<int>(names.size()); }
  std::string node_name(int index) const;  // 0 <= index < size()
};

enum class WorkloadKind { Deployment, StatefulSet, DaemonSet, Job, CronJob, Pod };
std::string_view to_string(WorkloadKind kind);

// The PodDisruptionBudget of a workload: "2" or "50%". At most one of the two is set.
struct BudgetSpec {
  std::string min_available{};
  std::string max_unavailable{};
};

// Where the first pods of a workload are placed, without a scheduler. The scheduler places later pods.
struct InitialPlacement {
  enum class Fill { Even, Pack };  // round-robin, or node by node
  std::string group;
  Fill fill = Fill::Even;
};

struct Workload {
  std::string ns = "default";
  std::string name;
  WorkloadKind kind = WorkloadKind::Deployment;
  int replicas = 1;                // Jobs: completions; Pods: number of pods
  int parallelism = 0;             // Jobs: pods at the same time; 0: all
  bool scales_with_nodes = false;  // replicas change with an overridden number of nodes
  TextMap requests{};
  TextMap limits{};
  std::string cpu_load{};  // profiles: src/sim/load/profile.h
  std::string memory_load{};
  std::string priority_class{};
  TextMap labels{};       // on the workload and its pods, in addition to app: NAME
  TextMap annotations{};  // on its pods
  TextMap node_selector{};
  std::map<std::string, std::vector<std::string>> node_affinity{};  // label: one of these values
  std::vector<TolerationSpec> tolerations{};
  std::optional<BudgetSpec> budget{};
  std::optional<InitialPlacement> placement{};
  std::string scheduler_name{};
  std::string schedule{};  // CronJobs: cron syntax
  std::optional<std::chrono::nanoseconds> run_for{};
  std::optional<std::chrono::nanoseconds> start_delay{};
  std::optional<std::chrono::nanoseconds> ready_delay{};
  std::optional<std::chrono::nanoseconds> grace{};  // terminationGracePeriodSeconds
  std::chrono::nanoseconds starts_at{0};            // created at this time, not at the start

  std::string key() const { return ns + "/" + name; }
};

struct PrioritySpec {
  std::string name;
  std::int32_t value = 0;
  bool global_default = false;
  std::string preemption_policy{};
  std::string description{};
};

// Nodes and pods from the openb trace; see openb.h.
struct OpenbSource {
  std::string path{};  // a directory; empty: $RESCHEDULER_DATA/openb
  bool gpu_nodes_only = false;
  int node_limit = 0;  // 0: all nodes
  int pod_limit = 0;
  std::chrono::nanoseconds arrive_within{0};  // pods arrive one by one over this time; 0: all at once
  double cpu_use = 0.5;                       // share of the request
  double memory_use = 0.6;
};

namespace event {

struct Scale {
  std::string workload;  // NAMESPACE/NAME
  int replicas = 0;
};
// Applies to existing and future pods. Absent values do not change.
struct ChangeLoad {
  std::string workload;  // NAMESPACE/* for all workloads of a namespace
  std::optional<std::string> cpu{};
  std::optional<std::string> memory{};
};
struct Fault {
  std::string node;
  std::string fault;  // frozen, dead, slow; empty removes the fault
};
struct Cordon {
  std::string node;
  bool on = true;
};
struct Mark {
  std::string kind;  // Node, Pod, Deployment, ...
  std::string ns{};
  std::string name;
  bool annotations = false;  // false: labels
  TextMap set{};
  std::vector<std::string> remove{};
};
struct DeletePods {
  std::string ns{};
  std::string name{};      // this pod; or
  std::string workload{};  // `count` pods of this workload
  int count = 1;
};
struct Apply {
  std::vector<Manifest> manifests;
};
struct Rollout {
  std::string workload;
};
struct Nothing {};  // has no effect; the event only shows its text `say`

using Action = std::variant<Nothing, Scale, ChangeLoad, Fault, Cordon, Mark, DeletePods, Apply, Rollout>;

}  // namespace event

struct TimedEvent {
  std::chrono::nanoseconds at{0};
  event::Action action{};
  std::string say{};  // a text for viewers: why this happens
};
// "scale shop/web to 40", for views and logs.
std::string describe(const TimedEvent& event);

struct Scenario {
  std::string name = "plain";
  std::string description{};
  std::uint64_t seed = 1;
  std::vector<NodeGroup> node_groups{};
  std::vector<std::string> namespaces{};
  std::vector<PrioritySpec> priority_classes{};
  std::vector<Workload> workloads{};
  std::vector<Manifest> manifests{};
  std::vector<TimedEvent> events{};  // in order of time
  std::optional<OpenbSource> openb{};

  int nodes() const;
  const NodeGroup* find_group(std::string_view group) const;
  const Workload* find_workload(std::string_view key) const;
  bool has_node(std::string_view node) const;
};

// Equal nodes in three zones, and nothing else.
Scenario plain_scenario(int nodes);

// The same scenario with another number of nodes. Every group keeps its share, with at least one node. Workloads that
// scale with the nodes keep their pods per node. An error if there are fewer nodes than groups, if an event names a
// node that would be missing, or if the nodes come from a trace.
Result<Scenario> resized(Scenario scenario, int nodes);

}  // namespace rescheduler::sim
