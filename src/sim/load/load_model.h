// The running containers of every node and their use of CPU and memory.
//
// The kubelets report each start and stop, because they know it even if the API does not: on a disconnected node,
// containers go on. Usage comes from profiles (profile.h) and is piecewise constant, so nothing has to be sampled. A
// node is updated when a caller reads it, or when its set of running containers changes.
//
// All sums are integers (millionths of a core times milliseconds are billionths of a core-second), so counters do not
// depend on how often they are read. Belongs to the agenda's thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "sim/load/pod_shape.h"
#include "sim/load/series.h"

namespace rescheduler::sim {

struct LoadSettings {
  DefaultLoad defaults{};
  // The usage of kernel, kubelet and runtime; at most a tenth of the node.
  std::int64_t system_cpu = 60'000;  // 60m
  std::int64_t system_memory = std::int64_t{300} << 20;
  // Below this amount of available memory a kubelet reports MemoryPressure. This is the real kubelet's default.
  std::int64_t memory_pressure_below = std::int64_t{100} << 20;
};

// Millionths of a core, and bytes.
struct PodUsage {
  std::int64_t cpu = 0;            // the granted CPU
  std::int64_t cpu_demand = 0;     // the use on an idle machine without limits
  std::int64_t cpu_throttled = 0;  // the part of the demand above its limit
  std::int64_t cpu_waiting = 0;    // the part of the demand that is not granted because of contention
  std::int64_t memory = 0;
};

struct NodeUsage {
  std::int64_t cpu = 0;  // all pods, and the system
  std::int64_t cpu_demand = 0;
  std::int64_t cpu_capacity = 0;
  std::int64_t memory = 0;
  std::int64_t memory_capacity = 0;
  std::size_t pods = 0;
};

// Counters since the boot of the node, as node_exporter reads them from the kernel. Billionths of a core-second or
// second.
struct NodeCounters {
  std::string name;
  std::int64_t cpus = 0;
  std::int64_t user = 0, system = 0, iowait = 0, idle = 0;
  std::int64_t waiting = 0;  // time in which work waited for CPU (pressure stall "some")
  std::array<double, 3> load{};
  std::int64_t memory_capacity = 0, memory = 0;
  Millis boot = 0;
  Millis now = 0;
};

// Averages over the last complete window, as metrics-server computes them.
struct Sampled {
  Millis at = 0;  // end of the window
  Millis window = 0;
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
};

class LoadModel {
 public:
  static constexpr Millis kWindow = 15'000;  // metrics-server's default resolution

  LoadModel(const Clock& clock, SeriesLibrary library, LoadSettings settings = {});
  ~LoadModel();
  LoadModel(const LoadModel&) = delete;
  LoadModel& operator=(const LoadModel&) = delete;

  // --- called by the kubelets ---
  // A node starts (its counters begin at zero), or its capacity changed. Cores in millionths.
  void node_on(std::string_view node, std::int64_t cpu_capacity, std::int64_t memory_capacity);
  void node_off(std::string_view node);  // also stops all containers on it
  // A kubelet that does not answer hides its node from metrics-server, but not from node_exporter.
  void set_reporting(std::string_view node, bool reporting);

  using PodId = std::uint32_t;
  static constexpr PodId kNoPod = ~PodId{0};
  // A pod is on a node, but its containers do not run yet. The id is valid until stop() or node_off().
  PodId start(const api::Pod& pod, std::string_view node);
  // Which containers run, by the index in PodShape::containers. A change from none to some is a new start.
  void set_running(PodId pod, std::uint64_t containers);
  void reshape(PodId pod, const api::Pod& changed);  // after a change of annotations or resources
  void stop(PodId pod);
  const PodShape& shape(PodId pod) const { return *pods_[pod].shape; }

  // The container to OOM-kill, if any: a container above its own limit. Else, if the node's memory is full, a container
  // of the pod with the highest usage relative to its request.
  struct Victim {
    PodId pod = kNoPod;
    std::size_t container = 0;
  };
  std::optional<Victim> memory_victim(std::string_view node);
  bool memory_pressure(std::string_view node);
  // The time until which memory_victim() and memory_pressure() stay the same if the same containers run.
  Millis memory_steady_until(std::string_view node);

  // --- for all callers, at the clock's current time ---
  std::optional<PodUsage> pod_usage(std::string_view ns, std::string_view name);
  std::optional<NodeUsage> node_usage(std::string_view node);
  std::optional<NodeCounters> node_counters(std::string_view node);

  // Empty before the first window in which the node or pod ran for at least 10 s.
  std::optional<Sampled> node_sample(std::string_view node);
  struct ContainerSample {
    std::string_view name;
    std::int64_t cpu = 0;
    std::int64_t memory = 0;
  };
  struct PodSample {
    Sampled total;
    std::vector<ContainerSample> containers;
  };
  std::optional<PodSample> pod_sample(std::string_view ns, std::string_view name);

  // Of the running containers, as cAdvisor reports them.
  struct ContainerCounters {
    std::string_view pod;  // "ns/name"
    std::string_view name;
    std::int64_t cpu = 0;  // since the pod is on the node; billionths of a core-second
    std::int64_t memory = 0;
  };
  std::vector<ContainerCounters> container_counters(std::string_view node);

  std::vector<std::string> nodes() const;                             // running nodes, by name
  std::vector<std::string_view> pod_keys(std::string_view ns) const;  // "ns/name", sorted; empty ns: all
  bool reports(std::string_view node) const;

 private:
  struct Pod {
    std::string key;  // ns/name
    std::shared_ptr<const PodShape> shape;
    std::uint64_t seed = 0;
    std::uint64_t running = 0;  // a bit for each container
    Millis placed = 0;          // time of placement on the node
    Millis started = 0;         // time of the start of its containers
    std::int64_t cpu_total = 0;
    std::array<std::int64_t, 2> marks{};  // cpu_total at the ends of the last two windows
    std::int64_t cpu_ppm = 0;             // the share of running containers in the pod's usage
    std::uint32_t node = 0;
    bool used = false;
  };
  struct Node {
    std::string name;
    std::int64_t cpu_capacity = 0, memory_capacity = 0;
    std::vector<PodId> pods;
    Millis boot = 0;
    Millis now = 0;  // time of the last update of the counters
    std::int64_t user = 0, system = 0, iowait = 0, idle = 0, waiting = 0;
    std::array<double, 3> load{};
    std::array<std::int64_t, 2> marks{};
    Millis memory_until = 0;  // the result of memory_victim() is valid until then
    bool on = false;
    bool reporting = true;
  };
  struct Rates;

  Millis now() const;
  Node* find_node(std::string_view name);
  Pod* find_pod(std::string_view ns, std::string_view name);
  LoadSubject subject(const Pod& pod, std::int64_t base) const { return {pod.seed, base, pod.started}; }
  std::int64_t system_cpu(const Node& node) const;
  std::int64_t system_memory(const Node& node) const;
  // The usage of each pod at a time, and until when it is constant; in the order of node.pods.
  const Rates& rates_at(const Node& node, Millis moment);
  void advance(Node& node, Millis to);
  void accrue(Node& node, const Rates& rates, Millis to);
  std::int64_t container_memory(const Pod& pod, std::size_t container, std::int64_t level) const;
  std::int64_t memory_at(const Pod& pod, Millis moment, Millis* until) const;
  std::int64_t node_memory_at(const Node& node, Millis moment, Millis* until) const;
  std::optional<Victim> over_own_limit(const Node& node, Millis moment) const;
  void release(PodId pod);

  const Clock& clock_;
  LoadSettings settings_;
  SeriesLibrary library_;
  PodShapes shapes_;
  std::deque<Pod> pods_;
  std::vector<PodId> free_;
  std::deque<Node> nodes_;
  std::map<std::string, std::uint32_t, std::less<>> node_index_;
  std::unordered_map<std::string_view, PodId> pod_index_;  // keys point into pods_
  std::unique_ptr<Rates> rates_;
};

}  // namespace rescheduler::sim
