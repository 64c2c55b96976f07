// What runs where, and what it uses: the CPU and memory of every container the kubelets have running, node by node.
//
// The kubelets say what starts and stops, for they know it even where the API does not: on a node that is cut off,
// containers go on. Usage follows from profiles (profile.h) and is constant in between, so nothing has to be sampled:
// a node is brought up to date when somebody asks, or when what runs on it changes.
//
// All sums are whole numbers - millionths of a core times milliseconds are billionths of a core-second -, so that
// counters do not depend on how often they were read. Belongs to the agenda's thread.
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
  // What kernel, kubelet and runtime use themselves; never more than a tenth of the node.
  std::int64_t system_cpu = 60'000;  // 60m
  std::int64_t system_memory = std::int64_t{300} << 20;
  // Below this much available memory a kubelet reports MemoryPressure; the kubelet's own default.
  std::int64_t memory_pressure_below = std::int64_t{100} << 20;
};

// Millionths of a core, and bytes.
struct PodUsage {
  std::int64_t cpu = 0;            // what it gets
  std::int64_t cpu_demand = 0;     // what it would use on a machine of its own
  std::int64_t cpu_throttled = 0;  // the part of the demand that its limit refuses
  std::int64_t cpu_waiting = 0;    // the part that is refused because others use the node as well
  std::int64_t memory = 0;
};

struct NodeUsage {
  std::int64_t cpu = 0;  // everything on the node, the system's own share included
  std::int64_t cpu_demand = 0;
  std::int64_t cpu_capacity = 0;
  std::int64_t memory = 0;
  std::int64_t memory_capacity = 0;
  std::size_t pods = 0;
};

// What has accumulated since the node booted, as node_exporter would read it from the kernel. Billionths of a
// core-second or second.
struct NodeCounters {
  std::string name;
  std::int64_t cpus = 0;
  std::int64_t user = 0, system = 0, iowait = 0, idle = 0;
  std::int64_t waiting = 0;  // time in which work stood still for want of CPU (pressure stall "some")
  std::array<double, 3> load{};
  std::int64_t memory_capacity = 0, memory = 0;
  Millis boot = 0;
  Millis now = 0;
};

// Averages over the last whole window, as metrics-server takes them.
struct Sampled {
  Millis at = 0;  // the window's end
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

  // --- told by the kubelets ---
  // A node runs (again: its counters begin at zero), or its size changed. Cores in millionths.
  void node_on(std::string_view node, std::int64_t cpu_capacity, std::int64_t memory_capacity);
  void node_off(std::string_view node);  // with everything that ran there
  // A kubelet that does not answer hides its node from metrics-server, but not from node_exporter.
  void set_reporting(std::string_view node, bool reporting);

  using PodId = std::uint32_t;
  static constexpr PodId kNoPod = ~PodId{0};
  // A pod has a place on a node; its containers do not run yet. An id is good until stop() or node_off().
  PodId start(const api::Pod& pod, std::string_view node);
  // Which of its containers run, by the place in PodShape::containers. From none to some begins a new start.
  void set_running(PodId pod, std::uint64_t containers);
  void reshape(PodId pod, const api::Pod& changed);  // its annotations or resources changed
  void stop(PodId pod);
  const PodShape& shape(PodId pod) const { return *pods_[pod].shape; }

  // Who has to be killed for want of memory, if anybody: a container over its own limit, else, on a node that is used
  // up, the pod that uses most in relation to its request.
  struct Victim {
    PodId pod = kNoPod;
    std::size_t container = 0;
  };
  std::optional<Victim> memory_victim(std::string_view node);
  bool memory_pressure(std::string_view node);
  // Until when memory_victim() and memory_pressure() say the same, as long as the same things run.
  Millis memory_steady_until(std::string_view node);

  // --- asked by everybody, at the clock's now ---
  std::optional<PodUsage> pod_usage(std::string_view ns, std::string_view name);
  std::optional<NodeUsage> node_usage(std::string_view node);
  std::optional<NodeCounters> node_counters(std::string_view node);
  // Total core-billionth-seconds of a pod.
  std::optional<std::int64_t> pod_cpu_total(std::string_view ns, std::string_view name);

  // Nothing before the first window in which it ran for at least 10 s.
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

  std::vector<std::string> nodes() const;                             // that run, by name
  std::vector<std::string_view> pod_keys(std::string_view ns) const;  // "ns/name", sorted; empty: of all namespaces
  bool reports(std::string_view node) const;

 private:
  struct Pod {
    std::string key;  // ns/name
    std::shared_ptr<const PodShape> shape;
    std::uint64_t seed = 0;
    std::uint64_t running = 0;  // containers, as bits
    Millis placed = 0;          // on its node
    Millis started = 0;         // its containers
    std::int64_t cpu_total = 0;
    std::array<std::int64_t, 2> marks{};  // cpu_total at the ends of the last two windows
    std::int64_t cpu_ppm = 0;             // the part of the shape's usage that the running containers make
    std::uint32_t node = 0;
    bool used = false;
  };
  struct Node {
    std::string name;
    std::int64_t cpu_capacity = 0, memory_capacity = 0;
    std::vector<PodId> pods;
    Millis boot = 0;
    Millis now = 0;  // the counters are as of here
    std::int64_t user = 0, system = 0, iowait = 0, idle = 0, waiting = 0;
    std::array<double, 3> load{};
    std::array<std::int64_t, 2> marks{};
    Millis memory_until = 0;  // what memory_victim() found stands until then
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
  // Who uses how much at a moment, and until when; in the order of node.pods.
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
  std::unordered_map<std::string_view, PodId> pod_index_;  // keys live in pods_
  std::unique_ptr<Rates> rates_;
};

}  // namespace rescheduler::sim
